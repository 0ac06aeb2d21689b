-- Change a document if it is as the caller expects.
-- KEYS 1 the document  2 the hash of unique names (only looked at when the name changes)
--      3 the stream for the note  4 the outbox  5 its items (if there is a note, a letter)
-- ARGV 1 the plan, JSON: {
--   revision?,                   the one that must be current
--   expect?: {field: [values]},  what must hold
--   set: {field: value}, delete: [field],
--   name?: {old, new, id},       folded names
--   note?: {channel, text},      told if something changed
--   letter?: {id, item} }        put into the outbox if something changed
-- Returns {'missing'} | {'taken'} | {'ok' | 'stale' | 'wrong-state', field, value, ...}
-- What is already as wanted is 'ok' and unchanged: the same call came twice.
local plan = cjson.decode(ARGV[1])
local function answer(word)
  local out = redis.call('HGETALL', KEYS[1])
  table.insert(out, 1, word)
  return out
end
if redis.call('EXISTS', KEYS[1]) == 0 then return {'missing'} end

local wanted = true
for name, value in pairs(plan.set) do
  if redis.call('HGET', KEYS[1], name) ~= value then wanted = false end
end
for _, name in ipairs(plan.delete) do
  if redis.call('HEXISTS', KEYS[1], name) == 1 then wanted = false end
end
if wanted then return answer('ok') end

if plan.revision and tonumber(redis.call('HGET', KEYS[1], 'revision') or '0') ~= plan.revision then
  return answer('stale')
end
for name, values in pairs(plan.expect or {}) do
  local found = redis.call('HGET', KEYS[1], name)
  local fits = false
  for _, value in ipairs(values) do if found == value then fits = true end end
  if not fits then return answer('wrong-state') end
end
if plan.name then
  local holder = redis.call('HGET', KEYS[2], plan.name.new)
  if holder and holder ~= plan.name.id then return {'taken'} end
  redis.call('HDEL', KEYS[2], plan.name.old)
  redis.call('HSET', KEYS[2], plan.name.new, plan.name.id)
end
for name, value in pairs(plan.set) do redis.call('HSET', KEYS[1], name, value) end
for _, name in ipairs(plan.delete) do redis.call('HDEL', KEYS[1], name) end
redis.call('HINCRBY', KEYS[1], 'revision', 1)
if plan.note then
  redis.call('XADD', KEYS[3], 'MAXLEN', '~', 1000, '*', 'e', plan.note.text)
  redis.call('PUBLISH', plan.note.channel, plan.note.text)
end
if plan.letter then
  local time = redis.call('TIME')
  redis.call('ZADD', KEYS[4], string.format('%d', time[1] * 1000 + math.floor(time[2] / 1000)), plan.letter.id)
  redis.call('HSET', KEYS[5], plan.letter.id, plan.letter.item)
end
return answer('ok')
