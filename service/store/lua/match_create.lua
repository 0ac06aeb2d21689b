-- Create matches, all or none; a pairing of a tournament that has its match already keeps it.
-- KEYS as the plan numbers them
-- ARGV 1 the plan, JSON: {
--   once?: {key, payload, ttl}, answer,
--   tournament?: {doc, games, made, open, replays},     keys; matches are made only while it is running
--   queued, matches: [{id, key, fields, index: [keys], pairing?}] }
-- Returns {'made', id, ...} with the ids that stand (a pairing's earlier one in place of the new one)
--   | {'again', answer} | {'other'} | {'wrong-state', state}
--@ once
local plan = cjson.decode(ARGV[1])
if plan.once then
  local before = once_answer(KEYS[plan.once.key], plan.once.payload)
  if before then return before end
end
local tournament = plan.tournament
if tournament then
  local state = redis.call('HGET', KEYS[tournament.doc], 'state')
  if state ~= 'running' then return {'wrong-state', state or 'gone'} end
end
local made = {'made'}
for _, match in ipairs(plan.matches) do
  local earlier = match.pairing and redis.call('HGET', KEYS[tournament.games], match.pairing)
  made[#made + 1] = earlier or match.id
  if not earlier and redis.call('EXISTS', KEYS[match.key]) == 0 then
    for name, value in pairs(match.fields) do redis.call('HSET', KEYS[match.key], name, value) end
    redis.call('ZADD', KEYS[plan.queued], 0, match.id)
    for _, index in ipairs(match.index) do redis.call('ZADD', KEYS[index], 0, match.id) end
    if match.pairing then
      redis.call('HSET', KEYS[tournament.games], match.pairing, match.id)
      redis.call('HSET', KEYS[tournament.open], match.pairing, match.id)
      redis.call('SETBIT', KEYS[tournament.made], match.pairing, 1)
      redis.call('SREM', KEYS[tournament.replays], match.pairing)
    end
  end
end
if plan.once then once_keep(KEYS[plan.once.key], plan.once.payload, plan.answer, plan.once.ttl) end
return made
