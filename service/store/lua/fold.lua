-- Drop the event stream of a finished match, once its record is kept.
-- KEYS 1 the match  2 its events  3 matches to fold
-- ARGV 1 id
-- Returns 1 if there was a stream to drop, else 0.
local state = redis.call('HGET', KEYS[1], 'state')
if state ~= 'finished' and state ~= 'void' then return 0 end
redis.call('SREM', KEYS[3], ARGV[1])
return redis.call('UNLINK', KEYS[2])
