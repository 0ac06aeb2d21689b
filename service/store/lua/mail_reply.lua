-- Take the reply to a message; the first one counts.
-- KEYS 1 the match  2 epoch  3 the mailbox  4.. the bot's places in the match, one a seat
-- ARGV 1 message id  2 the reply  3 this call's token  4 how long ago the reply arrived, µs  5 channel
--      6.. names of the places
-- Returns 'taken' | 'answered' | 'over'
--@ fence
--@ micros
local id = ARGV[1]
for i = 4, #KEYS do
  local place = KEYS[i]
  local open, replied, token, answered, delivered, epoch, fence = unpack(
    redis.call('HMGET', place, 'id', 'replied', 'token', 'answered', 'delivered', 'epoch', 'fence'))
  if answered == id then return 'answered' end
  if open == id then
    if replied then return token == ARGV[3] and 'taken' or 'answered' end -- the same call came twice
    if fence ~= '' and fenced(KEYS[1], KEYS[2], epoch, fence) then return 'over' end
    local arrived = math.max(now_us() - ARGV[4], tonumber(delivered or '0'))
    redis.call('HSET', place, 'replied', us(arrived), 'reply', ARGV[2], 'token', ARGV[3])
    redis.call('HDEL', place, 'body')
    redis.call('ZREM', KEYS[3], ARGV[i + 2])
    redis.call('PUBLISH', ARGV[5], id)
    return 'taken'
  end
end
return 'over'
