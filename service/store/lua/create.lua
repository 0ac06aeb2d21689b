-- Create something with unique names, quotas and indexes, all or nothing.
-- KEYS as the plan numbers them
-- ARGV 1 the plan, JSON: {
--   id, answer,                             what the creating call gets back when it comes again
--   once?: {key, payload, ttl},
--   unique: [{key, name, problem}],         hash: name -> id
--   bounds: [{key, limit, problem}],        sorted set whose size is bounded
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
for _, unique in ipairs(plan.unique) do
  local holder = redis.call('HGET', KEYS[unique.key], unique.name)
  if holder then return {'taken', unique.problem} end
end
for _, bound in ipairs(plan.bounds) do
  if redis.call('ZCARD', KEYS[bound.key]) >= bound.limit then return {'taken', bound.problem} end
end
for _, unique in ipairs(plan.unique) do
  redis.call('HSET', KEYS[unique.key], unique.name, plan.id)
end
for _, doc in ipairs(plan.docs) do
  for name, value in pairs(doc.fields) do redis.call('HSET', KEYS[doc.key], name, value) end
end
for _, index in ipairs(plan.index) do redis.call('ZADD', KEYS[index.key], 0, index.member) end
if plan.once then once_keep(KEYS[plan.once.key], plan.once.payload, plan.answer, plan.once.ttl) end
return {'made'}
