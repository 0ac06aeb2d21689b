-- Choose matches to tell workers of again: `expired` ones first, then those told long ago and not claimed since.
-- KEYS, ARGV 1-2: see schedule.lua; ARGV 3 at most so many  4 a hint counts for so long, ms
--      5.. ids whose lease has run out
-- Returns the ids, each noted as told now.
--@ schedule
local now, chosen, limit = now_ms(), {}, tonumber(ARGV[3])
local function tell(id)
  if #chosen >= limit or redis.call('HEXISTS', RESERVED, id) == 0 then return end
  local told = tonumber(redis.call('ZSCORE', HINTED, id) or '0')
  if told > now - ARGV[4] and told <= now then return end
  redis.call('ZADD', HINTED, now, id)
  chosen[#chosen + 1] = id
end
for i = 5, #ARGV do tell(ARGV[i]) end
for _, id in ipairs(redis.call('ZRANGEBYSCORE', HINTED, '-inf', now - ARGV[4], 'LIMIT', 0, limit)) do tell(id) end
for _, id in ipairs(redis.call('ZRANGEBYSCORE', HINTED, '(' .. string.format('%d', now), '+inf', 'LIMIT', 0, limit)) do tell(id) end
return chosen
