-- Taken in by scripts that fold a match into the ratings; needs elo.
-- A bot has one line for each version, "rating games wins draws losses"; the line of the version that it
-- had in its newest match is the current one and stands in the table. A new version begins with the rating of
-- the one before and no games.
local function rate_line(rating, version)
  local found = redis.call('HGET', rating, 'v:' .. version)
  local fresh = not found
  if fresh then
    local current = redis.call('HGET', rating, 'current')
    found = current and redis.call('HGET', rating, 'v:' .. current) or '1500000'
  end
  local numbers = {}
  for number in string.gmatch(found, '%d+') do numbers[#numbers + 1] = tonumber(number) end
  return {rating = numbers[1], games = fresh and 0 or numbers[2], wins = fresh and 0 or numbers[3],
    draws = fresh and 0 or numbers[4], losses = fresh and 0 or numbers[5]}
end

-- lines: {{bot, version, age, rating, history}}, `rating` and `history` keys, one for each bot and version
-- seats: {{line, place, side}}, `line` counted from 1
-- first: how many sides share the first place
local function rate(table_key, lines, seats, first, ledger_id)
  local at = {}
  for i, line in ipairs(lines) do at[i] = rate_line(line.rating, line.version) end
  local playing = {}
  for i, seat in ipairs(seats) do
    local line = at[seat.line]
    playing[i] = {rating = line.rating, games = line.games, place = seat.place, side = seat.side}
  end
  local changes = elo_changes(playing)
  for i, seat in ipairs(seats) do at[seat.line].change, at[seat.line].place = changes[i], seat.place end
  for i, line in ipairs(lines) do
    local now = at[i]
    local kind = now.place > 1 and 'losses' or first > 1 and 'draws' or 'wins'
    now[kind] = now[kind] + 1
    local after = now.rating + now.change
    redis.call('HSET', line.rating, 'v:' .. line.version, string.format('%d %d %d %d %d',
      after, now.games + 1, now.wins, now.draws, now.losses))
    redis.call('RPUSH', line.history, string.format('%d %d %d %d %s',
      ledger_id, now.rating, after, now.place, line.version))
    local newest = redis.call('HGET', line.rating, 'as_of')
    if not newest or newest <= line.age then
      redis.call('HSET', line.rating, 'current', line.version, 'as_of', line.age)
      redis.call('ZADD', table_key, after, line.bot)
    elseif redis.call('HGET', line.rating, 'current') == line.version then
      redis.call('ZADD', table_key, after, line.bot)
    end
  end
end
