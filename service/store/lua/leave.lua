-- Give the places of a visit back.
-- KEYS 1 visits  2 woken bots  3 contests  4 stirred
-- ARGV 1 whose visit  2 prefix of the bots' busy sets (in this slot)
-- Returns 1, or 0 if there was none.
--@ stir
local visit = redis.call('HGET', KEYS[1], ARGV[1])
if not visit then return 0 end
local bot, taken = string.match(visit, '^(%S+) (%d+)$')
for i = 1, taken do redis.call('SREM', ARGV[2] .. bot, ARGV[1] .. ':' .. i) end
redis.call('HDEL', KEYS[1], ARGV[1])
redis.call('SADD', KEYS[2], bot)
stir(KEYS[3], KEYS[4], {bot})
return 1
