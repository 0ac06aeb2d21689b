-- Let ids count no more against a quota.
-- KEYS 1 the ids that count  2 all quotas
-- ARGV 1 the quota's name  2.. ids
for i = 2, #ARGV do redis.call('SREM', KEYS[1], ARGV[i]) end
if redis.call('EXISTS', KEYS[1]) == 0 then redis.call('SREM', KEYS[2], ARGV[1]) end
