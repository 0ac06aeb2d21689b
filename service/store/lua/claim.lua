-- Take a match that is queued, or whose lease has run out; every claim raises the fence.
-- A lease that ends more than its own term ahead (the clock was set back) has run out too.
-- KEYS 1 the match  2 leases  3 queued  4 held  5 epoch
-- ARGV 1 id  2 worker  3 lease, ms  4 this call's token  5 an epoch, if there is none yet
--      6 claims in a row without progress after which it is held
-- Returns {'claimed', epoch and token, field, value, ...} | {'busy'} | {'held'} | {'over'} | {'missing'}
--@ fence
--@ hold
local id, lease = ARGV[1], tonumber(ARGV[3])
local found = redis.call('HMGET', KEYS[1], 'state', 'token', 'term', 'idle', 'failures')
local state, token, term, idle, failures = unpack(found)
if not state then return {'missing'} end
if state ~= 'queued' and state ~= 'running' then return {state == 'held' and 'held' or 'over'} end

local now = now_ms()
redis.call('SET', KEYS[5], ARGV[5], 'NX')
local epoch = redis.call('GET', KEYS[5])
local function claimed()
  local out = redis.call('HGETALL', KEYS[1])
  table.insert(out, 1, epoch .. ':' .. ARGV[4])
  table.insert(out, 1, 'claimed')
  return out
end

if state == 'running' then
  local lease_end = tonumber(redis.call('ZSCORE', KEYS[2], id) or '0')
  if lease_end > now and lease_end <= now + tonumber(term or '0') then
    return token == ARGV[4] and claimed() or {'busy'} -- the same call came twice
  end
  if idle then
    failures = tonumber(failures or '0') + 1
    redis.call('HSET', KEYS[1], 'failures', failures)
    if failures >= tonumber(ARGV[6]) then
      hold(KEYS[1], KEYS[2], KEYS[3], KEYS[4], id, failures .. ' workers in a row took it and made no progress')
      return {'held'}
    end
  end
end
redis.call('HINCRBY', KEYS[1], 'fence', 1)
redis.call('HSET', KEYS[1], 'state', 'running', 'worker', ARGV[2], 'term', lease, 'token', ARGV[4], 'idle', 1,
  'turn_began_at', now, 'since', redis.call('HGET', KEYS[1], 'next') or 1)
redis.call('ZREM', KEYS[3], id)
redis.call('ZADD', KEYS[2], now + lease, id)
return claimed()
