-- Let matches wait for their turn; those that wait or run already are left as they are.
-- KEYS, ARGV 1-2: see schedule.lua; ARGV 3.. for each match: id, owner, "<share>|<bot>|<bot>..."
-- Returns how many were added.
--@ schedule
local served, added = tonumber(redis.call('GET', TURN) or '0'), 0

-- The next turn of one of an owner's shares. Where `count` of them have matches waiting, each moves on by so
-- many turns, so that all of them together get what one owner gets.
local function next_turn(owner, share)
  local last, count = {[share] = served}, 1
  for name, turn in string.gmatch(redis.call('HGET', SHARES, owner) or '', '(%S+) (%d+)') do
    if tonumber(turn) > served then
      if name ~= share then count = count + 1 end
      last[name] = tonumber(turn)
    end
  end
  last[share] = last[share] + count
  local words = {}
  for name, turn in pairs(last) do words[#words + 1] = string.format('%s %d', name, turn) end
  redis.call('HSET', SHARES, owner, table.concat(words, ' '))
  return last[share]
end

for i = 3, #ARGV, 3 do
  local id, owner, rest = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  if redis.call('HEXISTS', WAITING, id) == 0 and redis.call('HEXISTS', RESERVED, id) == 0 then
    local text = string.format('%d|%s', next_turn(owner, string.match(rest, '[^|]+')), rest)
    redis.call('HSET', WAITING, id, text)
    put(id, parse(text))
    added = added + 1
  end
end
return added
