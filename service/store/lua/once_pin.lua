-- Bind an Idempotency-Key to the payload that came with it first, and to the ids of what it is to make.
-- KEYS 1 the once record
-- ARGV 1 digest of the payload  2 how long to remember it, ms  3 ids, by blanks
-- Returns the digest and the ids that it is bound to.
if redis.call('HSETNX', KEYS[1], 'payload', ARGV[1]) == 1 then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
redis.call('HSETNX', KEYS[1], 'ids', ARGV[3])
return redis.call('HMGET', KEYS[1], 'payload', 'ids')
