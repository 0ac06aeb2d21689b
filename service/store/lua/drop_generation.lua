-- Take a generation out of the list, unless it counts: it may be deleted then, and never swapped in.
-- KEYS 1 generations  2 the one that counts
-- ARGV 1 generation
-- Returns 1 if it may be deleted, else 0.
if (redis.call('GET', KEYS[2]) or '0') == ARGV[1] then return 0 end
return redis.call('ZREM', KEYS[1], ARGV[1])
