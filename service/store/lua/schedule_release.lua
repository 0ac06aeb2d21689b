-- Give back what matches have reserved, or let them wait no longer.
-- KEYS, ARGV 1-2: see schedule.lua; ARGV 3.. for each match: id, the text its place must still have, or ''
-- Returns how many were there.
--@ schedule
--@ stir
local gone = 0
for i = 3, #ARGV, 2 do
  local id, wanted = ARGV[i], ARGV[i + 1]
  local held, waits = redis.call('HGET', RESERVED, id), redis.call('HGET', WAITING, id)
  local text = held or waits
  if text and (wanted == '' or wanted == text) then
    local _, share, bots = parse(text)
    redis.call('HDEL', RESERVED, id)
    redis.call('HDEL', WAITING, id)
    redis.call('ZREM', HINTED, id)
    leave_queues(id, share, bots)
    for _, bot in ipairs(bots) do redis.call('SREM', BUSY .. bot, id) end
    wake_all(bots)
    if held then stir(KEYS[12], KEYS[13], bots) end
    gone = gone + 1
  end
end
return gone
