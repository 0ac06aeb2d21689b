-- Renew the leases of one ladder's matches that are still held.
-- KEYS 1 leases  2 epoch  3.. the matches
-- ARGV 1 lease, ms  then for each match: id, epoch, fence
-- Returns the ids that are still held.
--@ fence
local now, kept = now_ms(), {}
for i = 3, #KEYS do
  local id, epoch, fence = ARGV[3 * i - 7], ARGV[3 * i - 6], ARGV[3 * i - 5]
  if not fenced(KEYS[i], KEYS[2], epoch, fence) then
    redis.call('HSET', KEYS[i], 'term', ARGV[1])
    redis.call('ZADD', KEYS[1], now + ARGV[1], id)
    kept[#kept + 1] = id
  end
end
return kept
