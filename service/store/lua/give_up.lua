-- End a claim without a result: give the match back, count a failure, or hold it.
-- A match that is given back without progress is claimed again after a pause that grows.
-- KEYS 1 the match  2 leases  3 queued  4 held  5 epoch
-- ARGV 1 id  2 epoch  3 fence  4 'release' | 'failed' | 'hold'  5 the reason
--      6 failures in a row that hold it
-- Returns {'applied' | 'already applied' | 'fenced', state}
--@ fence
--@ hold
local id, how, reason, claim = ARGV[1], ARGV[4], ARGV[5], ARGV[2] .. ':' .. ARGV[3]
if fenced(KEYS[1], KEYS[5], ARGV[2], ARGV[3]) then
  local found = redis.call('HMGET', KEYS[1], 'gave_up', 'state')
  return {found[1] == claim and 'already applied' or 'fenced', found[2]}
end
local found = redis.call('HMGET', KEYS[1], 'idle', 'failures', 'term')
local counts = how == 'failed' or found[1]
local failures = tonumber(found[2] or '0') + (counts and 1 or 0)
redis.call('HSET', KEYS[1], 'gave_up', claim, 'failures', failures)
redis.call('HDEL', KEYS[1], 'idle', 'worker')
if how == 'hold' or failures >= tonumber(ARGV[6]) then
  hold(KEYS[1], KEYS[2], KEYS[3], KEYS[4], id, reason)
  return {'applied', 'held'}
end
redis.call('HINCRBY', KEYS[1], 'fence', 1)
if reason ~= '' then redis.call('HSET', KEYS[1], 'state_reason', reason) end
local pause = failures > 1 and math.min(tonumber(found[3]), 250 * 2 ^ math.min(failures, 16)) or 0
redis.call('ZADD', KEYS[2], pause > 0 and now_ms() + pause or 0, id)
return {'applied', 'running'}
