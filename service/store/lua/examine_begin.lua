-- Take an examination on, if it waits or whoever had it is gone; its findings begin anew.
-- KEYS 1 the document  2 all that are not over  3 its findings
-- ARGV 1 id  2 now, ms  3 how long it is held, ms  4 token  5 most tries  6 what is said after those
-- Returns {'not'} | {'spent'}: it was begun too often | {'begun', field, value, ...}
local state, held, token = unpack(redis.call('HMGET', KEYS[1], 'state', 'held_until', 'token'))
if state ~= 'waiting' and state ~= 'running' then
  redis.call('ZREM', KEYS[2], ARGV[1])
  return {'not'}
end
local until_ms = string.format('%d', ARGV[2] + ARGV[3])
if state == 'running' and token ~= ARGV[4] and tonumber(held) > tonumber(ARGV[2]) then return {'not'} end
if token ~= ARGV[4] then -- else the same call came twice
  if redis.call('HINCRBY', KEYS[1], 'tries', 1) > tonumber(ARGV[5]) then
    redis.call('HSET', KEYS[1], 'state', 'failed', 'finished_at', ARGV[2], 'detail', ARGV[6])
    redis.call('ZREM', KEYS[2], ARGV[1])
    return {'spent'}
  end
  redis.call('DEL', KEYS[3])
  redis.call('HDEL', KEYS[1], 'detail')
  redis.call('HSET', KEYS[1], 'requests', 0, 'begun_at', ARGV[2], 'state', 'running', 'token', ARGV[4])
end
redis.call('HSET', KEYS[1], 'held_until', until_ms)
redis.call('ZADD', KEYS[2], until_ms, ARGV[1])
local out = redis.call('HGETALL', KEYS[1])
table.insert(out, 1, 'begun')
return out
