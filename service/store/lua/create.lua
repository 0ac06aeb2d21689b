-- Create something with unique names, quotas and indexes, all or nothing.
-- KEYS as the plan numbers them
-- ARGV 1 the plan, JSON: {
--   id, answer,                             what the creating call gets back when it comes again
--   once?: {key, payload, ttl},
--   unique: [{key, name, problem}],         hash: name -> id
--   bounds: [{key, limit, problem}],        sorted set whose size is bounded
--   spends: [{key, secret, problem}],       invitation: hash with uses, secret_sha256, expires_at; one use goes
--   docs:   [{key, fields}],                hash
--   index:  [{key, member}] }               sorted set, by text
-- Returns {'made'} | {'again', answer} | {'other'} | {'taken', problem}
--@ once
local plan = cjson.decode(ARGV[1])
if plan.once then
  local before = once_answer(KEYS[plan.once.key], plan.once.payload)
  if before then return before end
end
if redis.call('EXISTS', KEYS[plan.docs[1].key]) == 1 then return {'made'} end -- the same call came twice
local function worth(spend)
  local found = redis.call('HMGET', KEYS[spend.key], 'uses', 'secret_sha256', 'expires_at')
  if not found[1] or found[2] ~= spend.secret or tonumber(found[1]) <= 0 then return false end
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000) < tonumber(found[3])
end
for _, spend in ipairs(plan.spends) do
  if not worth(spend) then return {'taken', spend.problem} end
end
for _, unique in ipairs(plan.unique) do
  local holder = redis.call('HGET', KEYS[unique.key], unique.name)
  if holder then return {'taken', unique.problem} end
end
for _, bound in ipairs(plan.bounds) do
  if redis.call('ZCARD', KEYS[bound.key]) >= bound.limit then return {'taken', bound.problem} end
end
for _, spend in ipairs(plan.spends) do redis.call('HINCRBY', KEYS[spend.key], 'uses', -1) end
for _, unique in ipairs(plan.unique) do
  redis.call('HSET', KEYS[unique.key], unique.name, plan.id)
end
for _, doc in ipairs(plan.docs) do
  for name, value in pairs(doc.fields) do redis.call('HSET', KEYS[doc.key], name, value) end
end
for _, index in ipairs(plan.index) do redis.call('ZADD', KEYS[index.key], 0, index.member) end
if plan.once then once_keep(KEYS[plan.once.key], plan.once.payload, plan.answer, plan.once.ttl) end
return {'made'}
