-- Let a generation of folded ratings take over.
-- KEYS 1 ledger  2 generation  3 generations  4 folding
-- ARGV 1 JSON: {before, after, folded: last ledger id it holds}
-- Returns {'swapped'} | {'generation'} | {'behind', last ledger id}
--@ swap
local plan = cjson.decode(ARGV[1])
local refused = swap_check(plan, KEYS[1], KEYS[2], KEYS[3])
if refused then return refused end
local time = redis.call('TIME')
swap(plan, KEYS[2], KEYS[3], KEYS[4], time[1] * 1000 + math.floor(time[2] / 1000))
return {'swapped'}
