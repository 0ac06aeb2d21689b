-- Count a request to an unverified address, if one may be sent.
-- KEYS 1 requests by address  2 requests to the host today
-- ARGV 1 address  2 most for an address, ever  3 most for a host, a day  4 a day, ms
-- Returns 'ok' | 'address' | 'host'
if tonumber(redis.call('HGET', KEYS[1], ARGV[1]) or '0') >= tonumber(ARGV[2]) then return 'address' end
if tonumber(redis.call('GET', KEYS[2]) or '0') >= tonumber(ARGV[3]) then return 'host' end
redis.call('HINCRBY', KEYS[1], ARGV[1], 1)
redis.call('INCR', KEYS[2])
redis.call('PEXPIRE', KEYS[2], ARGV[4])
return 'ok'
