-- How it stands with a message; closes it once its time has run out.
-- The time runs from when it was handed out, but no later than `grace` after it was ready.
-- KEYS 1 the place  2 the mailbox
-- ARGV 1 the place's name  2 message id  3 what the reply may take, µs  4 grace, µs
--      5 how long a reply may be on its way through the API, µs
-- Returns {'waiting', µs until it is worth looking again} | {'gone'}
--   | {'replied' | 'closed', when it was ready, was handed out or '', was replied to or closed}
--@ micros
local id, ready, delivered, replied = unpack(redis.call('HMGET', KEYS[1], 'id', 'ready', 'delivered', 'replied'))
if id ~= ARGV[2] then return {'gone'} end
if replied then return {'replied', ready, delivered or '', replied} end
local now, limit = now_us(), ARGV[3] + ARGV[5]
local begun = math.min(tonumber(delivered or us(now)), ready + ARGV[4])
local left = begun + limit - now
if left > 0 then return {'waiting', us(left)} end
redis.call('HDEL', KEYS[1], 'id', 'body')
redis.call('ZREM', KEYS[2], ARGV[1])
return {'closed', ready, delivered or '', us(now)}
