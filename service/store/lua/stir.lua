-- Taken in by scripts that give bots places, or take them: the tournaments they take part in may have a game to
-- make now, or must not count any more on a place. All but `own` are to be looked at.
-- contests: hash, bot -> its tournaments;  stirred: sorted set, tournament -> when to look at it, ms
local function stir(contests, stirred, bots, own)
  for _, names in ipairs(redis.call('HMGET', contests, unpack(bots))) do
    for id in string.gmatch(names or '', '%S+') do
      if id ~= own then redis.call('ZADD', stirred, 'NX', 0, id) end
    end
  end
end
