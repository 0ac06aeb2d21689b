-- Taken in by scripts of whoever runs a match.
-- now_ms(): Redis' time. fenced(match, epoch, want_epoch, want_fence): whether the claim no longer holds.
local function now_ms()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

local function fenced(match, epoch, want_epoch, want_fence)
  local found = redis.call('HMGET', match, 'state', 'fence')
  return found[1] ~= 'running' or found[2] ~= want_fence or redis.call('GET', epoch) ~= want_epoch
end
