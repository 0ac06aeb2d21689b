-- Finish a match: last events, result, ledger entry, ratings, tournament result and outbox in one step.
-- KEYS 1 the match  2 events  3 leases  4 unfolded  5 epoch  6 ledger  7 generation  8 folding
--      9 outbox  10 outbox items  11 ratings table  then as the plan numbers them
-- ARGV 1 the plan, JSON: {
--   id, epoch, fence, generation, first, events: [JSON], plies, at, result: JSON, chain_head,
--   payload: JSON, digest: its SHA-256, hex,            the ledger entry
--   rated?: {lines, seats, first},                      see rate.lua; keys as numbers
--   tournament?: {doc, games, open, lengths, results, feed, pairing, entrants, offset, placing, note: JSON,
--     channel},
--   outbox: [{id, item: JSON}], channel }
-- ARGV 2 the tournament's record of the result, bytes
-- Returns {'applied', ledger id} | {'already applied', ledger id} | {'fenced'}
--   | {'generation', the one that counts} | {'folding'}
--@ fence
--@ events
--@ elo
--@ rate
--@ sha256
--@ ledger
local plan = cjson.decode(ARGV[1])
local match, count = KEYS[1], #plan.events
if fenced(match, KEYS[5], plan.epoch, plan.fence) then
  local found = redis.call('HMGET', match, 'state', 'fence', 'chain_head', 'next', 'ledger_id')
  local same = found[1] == 'finished' and found[2] == plan.fence and found[3] == plan.chain_head
    and tonumber(found[4]) == plan.first + count
  return same and {'already applied', found[5]} or {'fenced'}
end
if tonumber(redis.call('HGET', match, 'next') or '1') ~= plan.first then return {'fenced'} end
if redis.call('EXISTS', KEYS[8]) == 1 then return {'folding'} end
local generation = redis.call('GET', KEYS[7]) or '0'
if generation ~= plan.generation then return {'generation', generation} end

events_add(KEYS[2], plan.first, plan.events)
local ledger_id = ledger_add(KEYS[6], plan.payload, plan.digest)
if plan.rated then
  for _, line in ipairs(plan.rated.lines) do
    line.rating, line.history = KEYS[line.rating], KEYS[line.history]
  end
  rate(KEYS[11], plan.rated.lines, plan.rated.seats, plan.rated.first, ledger_id)
end
local function finish_pairing(to)
  if redis.call('HGET', KEYS[to.games], to.pairing) ~= plan.id then return end -- it is being played anew
  local before = redis.call('GETRANGE', KEYS[to.results], to.placing, to.placing)
  if before == '' or before == '\0' then redis.call('HINCRBY', KEYS[to.doc], 'games_done', 1) end
  redis.call('SETRANGE', KEYS[to.results], to.offset, ARGV[2])
  redis.call('HDEL', KEYS[to.open], to.pairing)
  local taken = math.max(0, plan.at - (redis.call('HGET', match, 'started_at') or plan.at))
  for _, entrant in ipairs(to.entrants) do
    redis.call('HINCRBY', KEYS[to.lengths], entrant .. ':games', 1)
    redis.call('HINCRBY', KEYS[to.lengths], entrant .. ':ms', string.format('%d', taken))
  end
  redis.call('XADD', KEYS[to.feed], 'MAXLEN', '~', 1000, '*', 'e', to.note)
  redis.call('PUBLISH', to.channel, plan.id)
end
if plan.tournament then finish_pairing(plan.tournament) end
for _, entry in ipairs(plan.outbox) do
  redis.call('ZADD', KEYS[9], plan.at, entry.id)
  redis.call('HSET', KEYS[10], entry.id, entry.item)
end
redis.call('HSET', match, 'state', 'finished', 'finished_at', string.format('%d', plan.at), 'result', plan.result,
  'chain_head', plan.chain_head, 'ledger_id', ledger_id, 'next', plan.first + count)
redis.call('HINCRBY', match, 'plies', plan.plies)
redis.call('HDEL', match, 'idle', 'worker', 'token', 'term', 'since', 'gave_up', 'failures', 'state_reason')
redis.call('ZREM', KEYS[3], plan.id)
redis.call('SADD', KEYS[4], plan.id)
redis.call('PUBLISH', plan.channel, plan.first + count - 1)
return {'applied', ledger_id}
