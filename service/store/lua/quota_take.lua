-- Count ids against a quota, all or none.
-- KEYS 1 the ids that count  2 all quotas
-- ARGV 1 limit  2 the quota's name  3.. ids
-- Returns -1 if they are counted, else how many count already.
local new = 0
for i = 3, #ARGV do new = new + 1 - redis.call('SISMEMBER', KEYS[1], ARGV[i]) end
local open = redis.call('SCARD', KEYS[1])
if new > 0 and open + new > tonumber(ARGV[1]) then return open end
for i = 3, #ARGV do redis.call('SADD', KEYS[1], ARGV[i]) end
redis.call('SADD', KEYS[2], ARGV[2])
return -1
