-- Let an examination of a bot wait for a worker, unless one is under way or its bounds are reached.
-- KEYS 1 the bot's last one  2 the document  3 all that are not over  4 the owner's that are not over
--      5 Idempotency-Key (any key if there is none)  6.. counts of today
-- ARGV 1 id  2 the document's fields, JSON  3 now, ms  4 how long it is kept, ms  5 most at once of an owner
--      6 payload of the Idempotency-Key or ''  7 how long that is kept, ms  8 a day, ms  9.. most of each count
-- Returns {'made'} | {'again', id} | {'other'} | {'many'} | {'full', which count}
--@ once
local id, payload = ARGV[1], ARGV[6]
if payload ~= '' then
  local before = once_answer(KEYS[5], payload)
  if before then return before end
end
local function answer(word, made)
  if payload ~= '' then once_keep(KEYS[5], payload, made, ARGV[7]) end
  return {word, made}
end
local last = redis.call('GET', KEYS[1])
if last and redis.call('ZSCORE', KEYS[3], last) then return answer('again', last) end
for _, other in ipairs(redis.call('SMEMBERS', KEYS[4])) do
  if not redis.call('ZSCORE', KEYS[3], other) then redis.call('SREM', KEYS[4], other) end
end
if redis.call('SCARD', KEYS[4]) >= tonumber(ARGV[5]) then return {'many'} end
for i = 6, #KEYS do
  if tonumber(redis.call('GET', KEYS[i]) or '0') >= tonumber(ARGV[i + 3]) then return {'full', i - 6} end
end
for i = 6, #KEYS do
  redis.call('INCR', KEYS[i])
  redis.call('PEXPIRE', KEYS[i], ARGV[8])
end
for name, value in pairs(cjson.decode(ARGV[2])) do redis.call('HSET', KEYS[2], name, value) end
redis.call('PEXPIRE', KEYS[2], ARGV[4])
redis.call('SET', KEYS[1], id, 'PX', ARGV[4])
redis.call('ZADD', KEYS[3], ARGV[3], id)
redis.call('SADD', KEYS[4], id)
return answer('made', id)
