-- Enter a bot in a tournament, or withdraw it: before the start as if it had never entered, later marked.
-- Or renew what the entrant says of its bot, before the start.
-- KEYS 1 the tournament  2 its entrants: bot -> "<order> <JSON>"  3 the once record of an entry, if it has one
-- ARGV 1 'enter' | 'withdraw' | 'renew'  2 bot  3 the entrant, JSON  4 most entrants
--      5 its partner in a team of two bots, or ''  6 and 7 with a once record: its payload and for how long, ms
-- Returns 'ok' | 'already-entered' | 'tournament-full' | 'entry-closed' | 'missing' | 'again' | 'other'
--@ once
local again = KEYS[3] and once_answer(KEYS[3], ARGV[6])
if again then return again[1] end
local found = redis.call('HMGET', KEYS[1], 'state', 'started_at', 'entered')
local state, started = found[1], found[2]
local before = redis.call('HGET', KEYS[2], ARGV[2])
local order, text = string.match(before or '', '^(%d+) (.*)$')
if ARGV[1] == 'enter' then
  if text == ARGV[3] then return 'ok' end -- the same call came twice
  if text then return 'already-entered' end
  if state ~= 'draft' and state ~= 'open' then return 'entry-closed' end
  if ARGV[5] ~= '' and redis.call('HEXISTS', KEYS[2], ARGV[5]) == 1 then return 'already-entered' end
  for _, other in ipairs(redis.call('HVALS', KEYS[2])) do
    for _, bot in ipairs({ARGV[2], ARGV[5]}) do
      if bot ~= '' and string.find(other, '"partner":"' .. bot .. '"', 1, true) then return 'already-entered' end
    end
  end
  if redis.call('HLEN', KEYS[2]) >= tonumber(ARGV[4]) then return 'tournament-full' end
  order = redis.call('HINCRBY', KEYS[1], 'entered', 1)
  redis.call('HSET', KEYS[2], ARGV[2], order .. ' ' .. ARGV[3])
  if KEYS[3] then once_keep(KEYS[3], ARGV[6], ARGV[3], ARGV[7]) end
elseif not before then
  return 'missing'
elseif ARGV[1] == 'renew' then
  if started then return 'entry-closed' end
  redis.call('HSET', KEYS[2], ARGV[2], order .. ' ' .. ARGV[3])
elseif started then
  if text == ARGV[3] then return 'ok' end
  redis.call('HSET', KEYS[2], ARGV[2], order .. ' ' .. ARGV[3])
else
  redis.call('HDEL', KEYS[2], ARGV[2])
end
redis.call('HINCRBY', KEYS[1], 'revision', 1)
return 'ok'
