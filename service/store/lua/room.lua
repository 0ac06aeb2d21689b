-- How many matches bots may play at once, and how many of these places nothing takes up.
-- KEYS 1 rooms
-- ARGV 1 prefix of the bots' busy sets (in this slot)  2.. bots
-- Returns for each bot: places, free ones
local out = {}
for i = 2, #ARGV do
  local places = tonumber(redis.call('HGET', KEYS[1], ARGV[i]) or '1')
  out[#out + 1] = places
  out[#out + 1] = places - redis.call('SCARD', ARGV[1] .. ARGV[i])
end
return out
