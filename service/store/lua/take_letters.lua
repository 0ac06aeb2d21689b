-- Take letters that are due and make them due again later, in case the taker dies.
-- KEYS 1 the outbox  2 its items  3 how often each was taken
-- ARGV 1 at most so many  2 how much later, ms
-- Returns for each letter: id, item, attempt.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local out = {}
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ARGV[1])) do
  redis.call('ZADD', KEYS[1], now + ARGV[2], id)
  out[#out + 1] = id
  out[#out + 1] = redis.call('HGET', KEYS[2], id)
  out[#out + 1] = redis.call('HINCRBY', KEYS[3], id, 1)
end
return out
