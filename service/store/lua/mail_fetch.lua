-- Hand messages of a mailbox out: first those that never were, then those whose last time is long ago.
-- KEYS 1 the mailbox  2 epoch
-- ARGV 1 prefix of its places  2 prefix of matches (both in this slot)  3 at most so many
--      4 how long after it was handed out an unanswered message comes again, µs
--      5 how long a message that needs no claim is kept once it was handed out, ms
-- Returns for each: its place, its id, its body.
--@ fence
--@ micros
local now, most, fresh, again = now_us(), tonumber(ARGV[3]), {}, {}
for _, name in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  local place = ARGV[1] .. name
  local id, match, epoch, fence, seen = unpack(redis.call('HMGET', place, 'id', 'match', 'epoch', 'fence', 'seen'))
  if not id or (fence ~= '' and fenced(ARGV[2] .. match, KEYS[2], epoch, fence)) then
    redis.call('ZREM', KEYS[1], name) -- it is too old, or who asked has lost the match
  elseif not seen then
    fresh[#fresh + 1] = place
    if fence == '' then redis.call('PEXPIRE', place, ARGV[5]) end
  elseif now - seen >= tonumber(ARGV[4]) then
    again[#again + 1] = place
  end
end

local out, stamp = {}, us(now)
local function hand_out(places)
  for _, place in ipairs(places) do
    if #out == 3 * most then return end
    redis.call('HSETNX', place, 'delivered', stamp)
    redis.call('HSET', place, 'seen', stamp)
    local found = redis.call('HMGET', place, 'id', 'body')
    for _, word in ipairs({place, found[1], found[2]}) do out[#out + 1] = word end
  end
end
hand_out(fresh)
hand_out(again)
return out
