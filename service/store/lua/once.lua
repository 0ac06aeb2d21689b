-- Taken in by scripts that create things.
-- once_answer(key, payload): nothing if the request is new, else {'again', answer} or {'other'}
local function once_answer(key, payload)
  local first = redis.call('HGET', key, 'payload')
  if not first then return nil end
  if first ~= payload then return {'other'} end
  local answer = redis.call('HGET', key, 'answer')
  return answer and {'again', answer}
end

local function once_keep(key, payload, answer, ttl)
  redis.call('HSET', key, 'payload', payload, 'answer', answer)
  redis.call('PEXPIRE', key, ttl)
end
