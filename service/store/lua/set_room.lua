-- Set how many matches a bot may play at once; more room wakes what waits for it.
-- KEYS 1 rooms  2 woken bots  3 contests  4 stirred
-- ARGV 1 bot  2 places
-- Returns 1 if it changed, else 0.
--@ stir
local before = redis.call('HGET', KEYS[1], ARGV[1])
if before == ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('SADD', KEYS[2], ARGV[1])
stir(KEYS[3], KEYS[4], {ARGV[1]})
return 1
