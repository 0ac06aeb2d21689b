-- Void a match: ledger entry, state, tournament and (if it was rated) ratings folded without it, in one step.
-- KEYS 1 the match  2 queued  3 leases  4 held  5 unfolded  6 ledger  7 generation  8 generations  9 folding
--      then as the plan numbers them
-- ARGV 1 the plan, JSON: {
--   id, state: the one it must be in, reason, at,
--   payload: JSON, digest: its SHA-256, hex,            the ledger entry
--   swap?: {before, after, folded},                     see swap.lua
--   tournament?: {doc, games, made, open, replays, results, feed, pairing, offset, placing, size, note, resumed,
--     channel},
--   channel }
-- Returns {'void', ledger id} | {'already'} | {'changed', state} | {'generation'} | {'behind', last ledger id}
--@ sha256
--@ ledger
--@ swap
local plan = cjson.decode(ARGV[1])
local state = redis.call('HGET', KEYS[1], 'state')
if state == 'void' then return {'already'} end
if state ~= plan.state then return {'changed', state} end
if plan.swap then
  local refused = swap_check(plan.swap, KEYS[6], KEYS[7], KEYS[8])
  if refused then return refused end
end

local ledger_id = ledger_add(KEYS[6], plan.payload, plan.digest)
redis.call('HSET', KEYS[1], 'state', 'void', 'state_reason', plan.reason)
redis.call('HINCRBY', KEYS[1], 'fence', 1)
for i = 2, 4 do redis.call('ZREM', KEYS[i], plan.id) end
redis.call('SADD', KEYS[5], plan.id)
if plan.swap then swap(plan.swap, KEYS[7], KEYS[8], KEYS[9], plan.at) end

local function void_pairing(from)
  if redis.call('HGET', KEYS[from.games], from.pairing) ~= plan.id then return end -- it was made anew before
  redis.call('HDEL', KEYS[from.games], from.pairing)
  redis.call('HDEL', KEYS[from.open], from.pairing)
  redis.call('SETBIT', KEYS[from.made], from.pairing, 0)
  redis.call('SADD', KEYS[from.replays], from.pairing)
  local placing = redis.call('GETRANGE', KEYS[from.results], from.placing, from.placing)
  if placing ~= '' and placing ~= '\0' then
    redis.call('SETRANGE', KEYS[from.results], from.offset, string.rep('\0', from.size))
    redis.call('HINCRBY', KEYS[from.doc], 'games_done', -1)
  end
  redis.call('XADD', KEYS[from.feed], 'MAXLEN', '~', 1000, '*', 'e', from.note)
  if redis.call('HGET', KEYS[from.doc], 'state') == 'finished' then -- it goes on: the game is played anew
    redis.call('HSET', KEYS[from.doc], 'state', 'running')
    redis.call('HDEL', KEYS[from.doc], 'finished_at')
    redis.call('HINCRBY', KEYS[from.doc], 'revision', 1)
    redis.call('XADD', KEYS[from.feed], 'MAXLEN', '~', 1000, '*', 'e', from.resumed)
  end
  redis.call('PUBLISH', from.channel, plan.id)
end
if plan.tournament then void_pairing(plan.tournament) end
redis.call('PUBLISH', plan.channel, 'void')
return {'void', ledger_id}
