-- Let a held match be played on, or cancel one that has not begun.
-- KEYS 1 the match  2 queued  3 held  then of its tournament, if it is cancelled: 4 games  5 made  6 open
-- ARGV 1 id  2 'resume' | 'cancel'  3 the reason  4 its pairing
-- Returns {'ok' | 'wrong-state', field, value, ...} | {'missing'}
-- What is already as wanted is 'ok': the same call came twice.
local from, to = 'held', 'queued'
if ARGV[2] == 'cancel' then from, to = 'queued', 'cancelled' end
local state = redis.call('HGET', KEYS[1], 'state')
if not state then return {'missing'} end
local word = (state == from or state == to) and 'ok' or 'wrong-state'
if state == from then
  redis.call('HSET', KEYS[1], 'state', to)
  redis.call('HDEL', KEYS[1], 'failures', 'idle', 'state_reason')
  redis.call('ZREM', KEYS[2], ARGV[1])
  redis.call('ZREM', KEYS[3], ARGV[1])
  if to == 'queued' then redis.call('ZADD', KEYS[2], 0, ARGV[1]) end
  if to == 'cancelled' then redis.call('HSET', KEYS[1], 'state_reason', ARGV[3]) end
  if KEYS[4] and redis.call('HGET', KEYS[4], ARGV[4]) == ARGV[1] then -- the pairing is as if never made
    redis.call('HDEL', KEYS[4], ARGV[4])
    redis.call('SETBIT', KEYS[5], ARGV[4], 0)
    redis.call('HDEL', KEYS[6], ARGV[4])
  end
end
local out = redis.call('HGETALL', KEYS[1])
table.insert(out, 1, word)
return out
