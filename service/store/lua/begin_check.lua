-- Count a request to an unverified address, if one may be sent.
-- KEYS 1 the owner's requests to the address, from the first on  2 tries of the host today
-- ARGV 1 most for an address  2 most for a host, a day  3 a day, ms
-- Returns 'ok' | 'address' | 'host'
if tonumber(redis.call('GET', KEYS[1]) or '0') >= tonumber(ARGV[1]) then return 'address' end
if tonumber(redis.call('GET', KEYS[2]) or '0') >= tonumber(ARGV[2]) then return 'host' end
redis.call('INCR', KEYS[1])
redis.call('PEXPIRE', KEYS[1], ARGV[3], 'NX')
redis.call('INCR', KEYS[2])
redis.call('PEXPIRE', KEYS[2], ARGV[3])
return 'ok'
