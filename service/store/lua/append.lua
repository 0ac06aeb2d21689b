-- Append events to a match and renew its lease.
-- KEYS 1 the match  2 its events  3 leases  4 epoch
-- ARGV 1 id  2 epoch  3 fence  4 id of the first event  5 plies among them  6 started at, ms, or ''
--      7 channel  8.. events, JSON
-- Returns 'applied' | 'already applied' (same fence, ids and bytes) | 'fenced'
--@ fence
--@ events
local id, first = ARGV[1], tonumber(ARGV[4])
if fenced(KEYS[1], KEYS[4], ARGV[2], ARGV[3]) then return 'fenced' end
local found = redis.call('HMGET', KEYS[1], 'next', 'since', 'term', 'idle', 'failures')
local next_id, since = tonumber(found[1] or '1'), tonumber(found[2])
local events = {}
for i = 8, #ARGV do events[#events + 1] = ARGV[i] end
if next_id ~= first then
  return events_stored(KEYS[2], first, since, events) and 'already applied' or 'fenced'
end

local now = now_ms()
events_add(KEYS[2], first, events)
redis.call('HSET', KEYS[1], 'next', first + #events, 'turn_began_at', now)
redis.call('HINCRBY', KEYS[1], 'plies', ARGV[5])
if ARGV[6] ~= '' then redis.call('HSET', KEYS[1], 'started_at', ARGV[6]) end
if found[4] then redis.call('HDEL', KEYS[1], 'idle', 'failures') end
redis.call('ZADD', KEYS[3], now + found[3], id)
redis.call('PUBLISH', ARGV[7], first + #events - 1)
return 'applied'
