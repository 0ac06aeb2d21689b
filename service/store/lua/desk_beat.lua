-- Note that the API is there to be polled; after a silence it counts as there since now.
-- KEYS 1 the desk
-- ARGV 1 the longest silence, µs  2 '1' if it has just been opened
--@ micros
local now, last = now_us(), redis.call('HGET', KEYS[1], 'last')
if ARGV[2] == '1' or not last or now - last > tonumber(ARGV[1]) then
  redis.call('HSET', KEYS[1], 'since', us(now))
end
redis.call('HSET', KEYS[1], 'last', us(now))
return redis.status_reply('OK')
