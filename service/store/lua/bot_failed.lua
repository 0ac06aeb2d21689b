-- Count one more failure in a row; enough of them pause an active bot, of which webhooks are told.
-- KEYS 1 the bot  2 the outbox  3 its items
-- ARGV 1 this call's token  2 failures that pause it  3 the reason  4 the letter's id  5 its item, JSON
-- Returns the bot as field, value, ...; nothing if there is none.
if redis.call('EXISTS', KEYS[1]) == 0 then return nil end
if redis.call('HGET', KEYS[1], 'failure_token') ~= ARGV[1] then -- else the same call came twice
  redis.call('HSET', KEYS[1], 'failure_token', ARGV[1])
  local failures = redis.call('HINCRBY', KEYS[1], 'failures', 1)
  if failures >= tonumber(ARGV[2]) and redis.call('HGET', KEYS[1], 'state') == 'active' then
    redis.call('HSET', KEYS[1], 'state', 'paused',
      'state_reason', failures .. ' failures in a row, the last: ' .. ARGV[3])
    redis.call('HINCRBY', KEYS[1], 'revision', 1)
    local time = redis.call('TIME')
    redis.call('ZADD', KEYS[2], string.format('%d', time[1] * 1000 + math.floor(time[2] / 1000)), ARGV[4])
    redis.call('HSET', KEYS[3], ARGV[4], ARGV[5])
  end
end
return redis.call('HGETALL', KEYS[1])
