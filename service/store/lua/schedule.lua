-- Taken in by the scripts of the scheduler.
--
-- A waiting match is "<turn>|<share>|<bot>|<bot>...". It stands in `startable`, or is parked with one of what
-- blocks it: a bot without room, or its share (an owner or a tournament) while that is stopped. Turns are
-- start-time fair queueing: a share's next match takes the turn after its last one, or after the turn that was
-- served last, so that shares take turns however much each of them asks for; see schedule_add.lua.
-- Nothing that could run stays parked: whatever gives a bot room, or takes a match out of `startable` without
-- starting it, wakes its bots.
--
-- KEYS 1 waiting  2 startable  3 reserved  4 hinted  5 rooms  6 woken  7 shares  8 stopped  9 turn
--      10 workers  11 places  12 contests  13 stirred
-- ARGV 1 prefix of the bots' busy sets  2 prefix of the parked sets (both in this slot)
local WAITING, STARTABLE, RESERVED, HINTED, ROOMS, WOKEN, SHARES, STOPPED, TURN = unpack(KEYS)
local BUSY, PARKED = ARGV[1], ARGV[2]
local known_room = {}

local function now_ms()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

-- Places of the workers that were heard of in the last `silence` ms.
local function places_of_workers(silence)
  local places = 0
  for _, worker in ipairs(redis.call('ZRANGEBYSCORE', KEYS[10], now_ms() - silence, '+inf')) do
    places = places + tonumber(redis.call('HGET', KEYS[11], worker) or '0')
  end
  return places
end

local function parse(text)
  local parts = {}
  for part in string.gmatch(text, '[^|]+') do parts[#parts + 1] = part end
  local turn, share = tonumber(table.remove(parts, 1)), table.remove(parts, 1)
  return turn, share, parts
end

-- Places that a bot has left; a share has any number, or none while it is stopped.
local function room(name)
  if not known_room[name] then
    if string.sub(name, 1, 2) ~= 'b_' then
      known_room[name] = redis.call('SISMEMBER', STOPPED, name) == 1 and 0 or math.huge
    else
      local places = tonumber(redis.call('HGET', ROOMS, name) or '1')
      known_room[name] = places - redis.call('SCARD', BUSY .. name)
    end
  end
  return known_room[name]
end

local function blocker(share, bots)
  if room(share) <= 0 then return share end
  for _, bot in ipairs(bots) do if room(bot) <= 0 then return bot end end
  return nil
end

local function put(id, turn, share, bots)
  local why = blocker(share, bots)
  redis.call('ZADD', why and PARKED .. why or STARTABLE, turn, id)
  return why
end

local function wake_all(bots)
  for _, bot in ipairs(bots) do redis.call('SADD', WOKEN, bot) end
end

-- Look at what is parked with `name`, as far as it has room; returns what is left of the budget.
local function wake(name, budget)
  local free = room(name)
  while free > 0 and budget > 0 do
    local id = redis.call('ZPOPMIN', PARKED .. name)[1]
    if not id then return budget end
    local text = redis.call('HGET', WAITING, id)
    if text and not put(id, parse(text)) then free = free - 1 end
    budget = budget - 1
  end
  if free > 0 then redis.call('SADD', WOKEN, name) end
  return budget
end

local function leave_queues(id, share, bots)
  redis.call('ZREM', STARTABLE, id)
  redis.call('ZREM', PARKED .. share, id)
  for _, bot in ipairs(bots) do redis.call('ZREM', PARKED .. bot, id) end
end

local function reserve(id, text, bots)
  redis.call('HDEL', WAITING, id)
  redis.call('HSET', RESERVED, id, text)
  for _, bot in ipairs(bots) do
    redis.call('SADD', BUSY .. bot, id)
    known_room[bot] = nil
  end
end
