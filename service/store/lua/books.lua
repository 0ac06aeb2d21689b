-- The books of a tournament's pairings, as they stand at one moment.
-- KEYS 1 the tournament  2 made  3 open games  4 absent  5 replays
-- Returns nothing if there is no such tournament, else
--   {state, revision, games done, made, {pairing, match, ...}, {entrant, since, ...},
--    {pairing to be replayed, ...}}
local doc = redis.call('HMGET', KEYS[1], 'state', 'revision', 'games_done')
if not doc[1] then return nil end
return {doc[1], doc[2] or '0', doc[3] or '0', redis.call('GET', KEYS[2]) or '',
  redis.call('HGETALL', KEYS[3]), redis.call('HGETALL', KEYS[4]), redis.call('SMEMBERS', KEYS[5])}
