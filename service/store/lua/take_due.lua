-- Take what is due and make it due again later, in case the taker dies.
-- KEYS 1 sorted set: member -> when, ms
-- ARGV 1 at most so many  2 how much later, ms
-- Returns the members.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local found = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ARGV[1])
for _, member in ipairs(found) do redis.call('ZADD', KEYS[1], now + ARGV[2], member) end
return found
