-- Taken in by scripts that stamp. now_us(): Redis' time in whole µs; us(n): such a number as text.
local function now_us()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end

local function us(n)
  return string.format('%.0f', n)
end
