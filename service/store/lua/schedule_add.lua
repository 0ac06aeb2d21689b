-- Let matches wait for their turn; those that wait or run already are left as they are.
-- KEYS, ARGV 1-2: see schedule.lua; ARGV 3.. for each match: id, "<share>|<bot>|<bot>..."
-- Returns how many were added.
--@ schedule
local served, added = tonumber(redis.call('GET', TURN) or '0'), 0
for i = 3, #ARGV, 2 do
  local id, rest = ARGV[i], ARGV[i + 1]
  if redis.call('HEXISTS', WAITING, id) == 0 and redis.call('HEXISTS', RESERVED, id) == 0 then
    local share = string.match(rest, '[^|]+')
    local turn = math.max(served, tonumber(redis.call('HGET', SHARES, share) or '0')) + 1
    local text = string.format('%d|%s', turn, rest)
    redis.call('HSET', SHARES, share, string.format('%d', turn))
    redis.call('HSET', WAITING, id, text)
    put(id, parse(text))
    added = added + 1
  end
end
return added
