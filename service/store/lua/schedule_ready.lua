-- Start matches whose bots all have room, in fair turns, while workers have places: reserve their bots.
-- KEYS, ARGV 1-2: see schedule.lua; ARGV 3 at most so many  4 a worker counts for so long after its beat, ms
--      5 how many parked matches to look at in one call
-- Returns {1 if there may be more to look at, id, ...}
--@ schedule
--@ stir
local free = places_of_workers(ARGV[4]) - redis.call('HLEN', RESERVED)
local limit, budget, started = math.min(tonumber(ARGV[3]), free), tonumber(ARGV[5]), {0}
if limit <= 0 or redis.call('SISMEMBER', STOPPED, '*') == 1 then return started end
while budget > 0 and #started <= limit do
  local name = redis.call('SPOP', WOKEN)
  if name then
    budget = wake(name, budget - 1)
  else
    local id = redis.call('ZPOPMIN', STARTABLE)[1]
    if not id then return started end
    budget = budget - 1
    local text = redis.call('HGET', WAITING, id)
    if text then
      local turn, share, bots = parse(text)
      if put(id, turn, share, bots) then
        wake_all(bots)
      else
        redis.call('ZREM', STARTABLE, id)
        reserve(id, text, bots)
        stir(KEYS[12], KEYS[13], bots, share)
        redis.call('ZADD', HINTED, now_ms(), id)
        if turn > tonumber(redis.call('GET', TURN) or '0') then
          redis.call('SET', TURN, string.format('%d', turn))
        end
        started[#started + 1] = id
      end
    end
  end
end
if #started <= limit then started[1] = 1 end
return started
