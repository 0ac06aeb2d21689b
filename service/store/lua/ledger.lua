-- Taken in by scripts that write to a ledger; needs sha256.
-- An entry's chain is SHA-256(chain of the one before ‖ SHA-256 of its payload); the first follows on zeros.
local function ledger_add(ledger, payload, digest)
  local last = redis.call('XREVRANGE', ledger, '+', '-', 'COUNT', 1)[1]
  local id, chain = 1, string.rep('0', 64)
  if last then id, chain = tonumber(string.match(last[1], '%d+')) + 1, last[2][4] end
  redis.call('XADD', ledger, string.format('%d-0', id), 'e', payload, 'h', sha256_link(chain, digest))
  return id
end
