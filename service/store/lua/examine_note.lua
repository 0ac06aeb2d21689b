-- Note how an examination goes, if the caller still has it.
-- KEYS 1 the document  2 all that are not over  3 its findings
-- ARGV 1 id  2 token  3 fields to set, JSON  4 when to tell workers of it, ms, or '' once it is over
--      5 how long it is kept, ms  6 the finding's number, from 1, or 0  7 the finding
-- Returns 1, or 0 if somebody else has it. The same call again changes nothing.
if redis.call('HGET', KEYS[1], 'token') ~= ARGV[2] then return 0 end
for name, value in pairs(cjson.decode(ARGV[3])) do redis.call('HSET', KEYS[1], name, value) end
if ARGV[4] == '' then
  redis.call('ZREM', KEYS[2], ARGV[1])
else
  redis.call('ZADD', KEYS[2], ARGV[4], ARGV[1])
end
if redis.call('LLEN', KEYS[3]) == ARGV[6] - 1 then redis.call('RPUSH', KEYS[3], ARGV[7]) end
redis.call('PEXPIRE', KEYS[1], ARGV[5])
redis.call('PEXPIRE', KEYS[3], ARGV[5])
return 1
