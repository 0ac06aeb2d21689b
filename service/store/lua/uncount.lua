-- Take one off counts that there still are; they expire when they would have.
-- KEYS the counts
for _, key in ipairs(KEYS) do
  if tonumber(redis.call('GET', key) or '0') > 0 then redis.call('DECR', key) end
end
