-- Use an invitation once.
-- KEYS 1 the invitation
-- ARGV 1 digest of its secret  2 this call's token
-- Returns 1 if it was good, else 0.
local found = redis.call('HMGET', KEYS[1], 'uses', 'token', 'secret_sha256', 'expires_at')
if not found[1] or found[3] ~= ARGV[1] then return 0 end
if found[2] == ARGV[2] then return 1 end -- the same call came twice
local time = redis.call('TIME')
if time[1] * 1000 + math.floor(time[2] / 1000) >= tonumber(found[4]) then return 0 end
if tonumber(found[1]) <= 0 then return 0 end
redis.call('HINCRBY', KEYS[1], 'uses', -1)
redis.call('HSET', KEYS[1], 'token', ARGV[2])
return 1
