-- Put a message into a seat's place in its bot's mailbox, instead of the one before, and tell whoever polls.
-- KEYS 1 the match  2 epoch  3 the place  4 the mailbox
-- ARGV 1 the place's name  2 message id  3 body  4 how long it is kept, ms  5 channel  6 the match's id
--      7 epoch and 8 fence of the claim that asks, '' for a message that needs no claim
-- Returns 'put' | 'fenced'. The same message again changes nothing.
--@ fence
--@ micros
local place, box, id, kept = KEYS[3], KEYS[4], ARGV[2], tonumber(ARGV[4])
if ARGV[8] ~= '' and fenced(KEYS[1], KEYS[2], ARGV[7], ARGV[8]) then return 'fenced' end
local before, replied, answered = unpack(redis.call('HMGET', place, 'id', 'replied', 'answered'))
if before == id then return 'put' end

local ready = us(now_us())
redis.call('DEL', place)
redis.call('HSET', place, 'id', id, 'body', ARGV[3], 'match', ARGV[6], 'epoch', ARGV[7], 'fence', ARGV[8],
  'ready', ready)
answered = replied and before or answered
if answered then redis.call('HSET', place, 'answered', answered) end
redis.call('PEXPIRE', place, kept)
redis.call('ZADD', box, ready, ARGV[1])
if redis.call('PTTL', box) < kept then redis.call('PEXPIRE', box, kept) end
redis.call('PUBLISH', ARGV[5], id)
return 'put'
