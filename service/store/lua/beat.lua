-- Note that a worker lives; forget those that have been silent for long.
-- KEYS 1 workers  2 places  3 notes  4 those that are being drained
-- ARGV 1 worker  2 places  3 note, JSON  4 how long a silent worker is remembered, ms
-- Returns 1 if the worker is to take no more matches; then it has no places.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local drained = redis.call('SISMEMBER', KEYS[4], ARGV[1])
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('HSET', KEYS[2], ARGV[1], drained == 1 and 0 or ARGV[2])
redis.call('HSET', KEYS[3], ARGV[1], ARGV[3])
for _, name in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[4])) do
  redis.call('ZREM', KEYS[1], name)
  redis.call('HDEL', KEYS[2], name)
  redis.call('HDEL', KEYS[3], name)
  redis.call('SREM', KEYS[4], name)
end
return drained
