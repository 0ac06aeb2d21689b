-- The leases of a ladder: how many live, and whose have run out.
-- KEYS 1 leases
-- ARGV 1 at most so many ids  2 prefix of the matches' keys (in this slot)
-- Returns {how many live, id, ...}
--@ fence
local now = now_ms()
local out = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ARGV[1])
local live = redis.call('ZCOUNT', KEYS[1], '(' .. string.format('%d', now), '+inf')
-- A lease that ends more than its own term ahead has run out too: the clock was set back. The latest come first.
local latest = redis.call('ZREVRANGE', KEYS[1], 0, tonumber(ARGV[1]) - 1, 'WITHSCORES')
for i = 1, #latest, 2 do
  local term = tonumber(redis.call('HGET', ARGV[2] .. latest[i], 'term') or '0')
  if tonumber(latest[i + 1]) <= now + term then break end
  out[#out + 1], live = latest[i], live - 1
end
table.insert(out, 1, live)
return out
