-- Forget a bot's failures in a row.
-- KEYS 1 the bot
-- Returns 1 if there were any, else 0.
local failures = redis.call('HGET', KEYS[1], 'failures')
if not failures or failures == '0' then return 0 end
redis.call('HSET', KEYS[1], 'failures', 0)
return 1
