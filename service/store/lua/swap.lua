-- Taken in by scripts that swap a generation of folded ratings in.
-- swap_check: nothing, or why the generation cannot take over: {'generation'} or {'behind', last ledger id}
local function swap_check(plan, ledger, generation, generations)
  if (redis.call('GET', generation) or '0') ~= plan.before then return {'generation'} end
  if not redis.call('ZSCORE', generations, plan.after) then return {'generation'} end
  local last = redis.call('XREVRANGE', ledger, '+', '-', 'COUNT', 1)[1]
  local last_id = last and tonumber(string.match(last[1], '%d+')) or 0
  if last_id ~= plan.folded then return {'behind', last_id} end
  return nil
end

local function swap(plan, generation, generations, folding, now)
  redis.call('SET', generation, plan.after)
  redis.call('ZREM', generations, plan.after)
  redis.call('ZADD', generations, now, plan.before)
  redis.call('DEL', folding)
end
