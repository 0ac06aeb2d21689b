-- KEYS 1 workers  2 places  3 notes  4 those that are being drained
-- Returns for each worker: name, ms since its last beat, places, note, whether it is being drained (1 or 0)
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local out, found = {}, redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
for i = 1, #found, 2 do
  out[#out + 1] = found[i]
  out[#out + 1] = string.format('%d', math.max(0, now - found[i + 1]))
  out[#out + 1] = redis.call('HGET', KEYS[2], found[i])
  out[#out + 1] = redis.call('HGET', KEYS[3], found[i])
  out[#out + 1] = redis.call('SISMEMBER', KEYS[4], found[i])
end
return out
