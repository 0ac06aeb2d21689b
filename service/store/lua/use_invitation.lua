-- Use an invitation once.
-- KEYS 1 the invitation
-- ARGV 1 this call's token
-- Returns 1 if it was good, else 0.
local found = redis.call('HMGET', KEYS[1], 'uses', 'token')
if found[2] == ARGV[1] then return 1 end -- the same call came twice
if not found[1] or tonumber(found[1]) <= 0 then return 0 end
redis.call('HINCRBY', KEYS[1], 'uses', -1)
redis.call('HSET', KEYS[1], 'token', ARGV[1])
return 1
