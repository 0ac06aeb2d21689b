-- Count one more failure in a row; enough of them pause an active bot.
-- KEYS 1 the bot
-- ARGV 1 this call's token  2 failures that pause it  3 the reason
-- Returns the bot as field, value, ...; nothing if there is none.
if redis.call('EXISTS', KEYS[1]) == 0 then return nil end
if redis.call('HGET', KEYS[1], 'failure_token') ~= ARGV[1] then -- else the same call came twice
  redis.call('HSET', KEYS[1], 'failure_token', ARGV[1])
  local failures = redis.call('HINCRBY', KEYS[1], 'failures', 1)
  if failures >= tonumber(ARGV[2]) and redis.call('HGET', KEYS[1], 'state') == 'active' then
    redis.call('HSET', KEYS[1], 'state', 'paused',
      'state_reason', failures .. ' failures in a row, the last: ' .. ARGV[3])
    redis.call('HINCRBY', KEYS[1], 'revision', 1)
  end
end
return redis.call('HGETALL', KEYS[1])
