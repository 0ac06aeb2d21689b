-- Note which bots take part in a running tournament, or no more.
-- KEYS 1 hash: bot -> its tournaments
-- ARGV 1 tournament  2 'in' | 'out'  3.. bots
for i = 3, #ARGV do
  local others = {}
  for id in string.gmatch(redis.call('HGET', KEYS[1], ARGV[i]) or '', '%S+') do
    if id ~= ARGV[1] then others[#others + 1] = id end
  end
  if ARGV[2] == 'in' then others[#others + 1] = ARGV[1] end
  if #others > 0 then
    redis.call('HSET', KEYS[1], ARGV[i], table.concat(others, ' '))
  else
    redis.call('HDEL', KEYS[1], ARGV[i])
  end
end
return redis.status_reply('OK')
