-- Book places for matches that are being played without having reserved any (data was lost).
-- KEYS, ARGV 1-2: see schedule.lua; ARGV 3.. for each match: id, "<share>|<bot>|<bot>..."
-- Returns how many were booked.
--@ schedule
local booked = 0
for i = 3, #ARGV, 2 do
  local id, text = ARGV[i], '0|' .. ARGV[i + 1]
  if redis.call('HEXISTS', RESERVED, id) == 0 then
    local _, share, bots = parse(text)
    leave_queues(id, share, bots)
    reserve(id, text, bots)
    booked = booked + 1
  end
end
return booked
