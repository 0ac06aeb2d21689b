-- Take places of a bot for something that is no match, as many of those wanted as are free.
-- KEYS 1 visits  2 the bot's busy set
-- ARGV 1 whose visit  2 bot  3 places that the bot has  4 how many are wanted
-- Returns how many were taken; the same call again takes no more.
local before = redis.call('HGET', KEYS[1], ARGV[1])
if before then return tonumber(string.match(before, '%d+$')) end
local taken = math.min(ARGV[4], ARGV[3] - redis.call('SCARD', KEYS[2]))
if taken < 1 then return 0 end
for i = 1, taken do redis.call('SADD', KEYS[2], ARGV[1] .. ':' .. i) end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2] .. ' ' .. string.format('%d', taken))
return taken
