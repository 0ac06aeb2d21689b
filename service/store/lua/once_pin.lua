-- Bind an Idempotency-Key to the payload that came with it first.
-- KEYS 1 the once record
-- ARGV 1 digest of the payload  2 how long to remember it, ms
-- Returns the digest that it is bound to.
if redis.call('HSETNX', KEYS[1], 'payload', ARGV[1]) == 1 then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return redis.call('HGET', KEYS[1], 'payload')
