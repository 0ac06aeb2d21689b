-- Since when the API has been there without a break.
-- KEYS 1 the desk
-- ARGV 1 the longest silence, µs
-- Returns that time, µs, '' if it is not there now.
--@ micros
local since, last = unpack(redis.call('HMGET', KEYS[1], 'since', 'last'))
if not last or now_us() - last > tonumber(ARGV[1]) then return '' end
return since
