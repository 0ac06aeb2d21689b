-- Note that messages have left the API: their time runs from now, if that is soon after they were handed out.
-- KEYS 1.. the places
-- ARGV 1 how much later their time may begin, µs  2.. the message ids
--@ micros
local now = now_us()
for i, place in ipairs(KEYS) do
  local id, delivered, replied, sent = unpack(redis.call('HMGET', place, 'id', 'delivered', 'replied', 'sent'))
  if id == ARGV[i + 1] and delivered and not replied and not sent then
    redis.call('HSET', place, 'sent', 1, 'delivered', us(math.min(now, delivered + ARGV[1])))
  end
end
return redis.status_reply('OK')
