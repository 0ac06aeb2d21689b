-- Taken in by scripts that write events.
local function events_add(stream, first, events)
  for i, event in ipairs(events) do
    redis.call('XADD', stream, string.format('%d-0', first + i - 1), 'e', event)
  end
end

-- Whether just these events stand at these ids, written since the claim that begins at `since`.
local function events_stored(stream, first, since, events)
  if first < since then return false end
  local stored = redis.call('XRANGE', stream, string.format('%d-0', first),
    string.format('%d-0', first + #events - 1))
  if #stored ~= #events then return false end
  for i, entry in ipairs(stored) do
    if entry[2][2] ~= events[i] then return false end
  end
  return true
end
