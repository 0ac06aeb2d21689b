-- Taken in by scripts of whoever runs a match.
-- now_ms(): Redis' time.
-- fenced(match, epoch, want_epoch, want_fence): whether the claim no longer holds. A claim shows its fence, and
-- as its epoch "<the data's epoch>:<the claim's token>": where a power loss has undone a claim, the next one
-- gets the same fence, but never the same token.
local function now_ms()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

local function fenced(match, epoch, want_epoch, want_fence)
  local state, fence, token = unpack(redis.call('HMGET', match, 'state', 'fence', 'token'))
  if state ~= 'running' or fence ~= want_fence then return true end
  return (redis.call('GET', epoch) or '') .. ':' .. (token or '') ~= want_epoch
end
