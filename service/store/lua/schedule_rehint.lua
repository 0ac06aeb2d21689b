-- Choose matches to tell workers of again: `expired` ones first, then those told long ago and not claimed since.
-- KEYS, ARGV 1-2: see schedule.lua; ARGV 3 at most so many  4 a hint counts for so long, ms
--      5 a worker counts for so long after its beat, ms  6 how many matches run  7.. ids whose lease has run out
-- Returns the ids, each noted as told now: no more than there are places without a match or a fresh hint.
--@ schedule
local now, chosen = now_ms(), {}
local fresh = redis.call('ZCOUNT', HINTED, '(' .. string.format('%d', now - ARGV[4]), now)
local limit = math.min(tonumber(ARGV[3]), places_of_workers(ARGV[5]) - ARGV[6] - fresh)
local function tell(id)
  if #chosen >= limit or redis.call('HEXISTS', RESERVED, id) == 0 then return end
  local told = tonumber(redis.call('ZSCORE', HINTED, id) or '0')
  if told > now - ARGV[4] and told <= now then return end
  redis.call('ZADD', HINTED, now, id)
  chosen[#chosen + 1] = id
end
for i = 7, #ARGV do tell(ARGV[i]) end
local function tell_stale(from, to)
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', HINTED, from, to, 'LIMIT', 0, math.max(limit, 0))) do tell(id) end
end
tell_stale('-inf', now - ARGV[4])
tell_stale('(' .. string.format('%d', now), '+inf') -- the clock was set back
return chosen
