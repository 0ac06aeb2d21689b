-- Taken in by scripts that give bots places: the tournaments they take part in may have a game to make now.
-- contests: hash, bot -> its tournaments;  stirred: sorted set, tournament -> when to look at it, ms
local function stir(contests, stirred, bots)
  for _, names in ipairs(redis.call('HMGET', contests, unpack(bots))) do
    for id in string.gmatch(names or '', '%S+') do redis.call('ZADD', stirred, 'NX', 0, id) end
  end
end
