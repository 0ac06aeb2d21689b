-- Taken in by scripts that may give a match up for the operator to look at.
local function hold(match, leases, queued, held, id, reason)
  redis.call('HSET', match, 'state', 'held', 'state_reason', reason)
  redis.call('HINCRBY', match, 'fence', 1)
  redis.call('ZREM', leases, id)
  redis.call('ZREM', queued, id)
  redis.call('ZADD', held, 0, id)
end
