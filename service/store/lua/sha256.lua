-- Taken in by scripts that write to a ledger.
-- sha256_link(a, b): SHA-256 (FIPS 180-4) of two digests, hex in and out; 64 bytes are two blocks, the
-- second of which is padding and the same every time.
local band, bxor, ror, rshift, tobit = bit.band, bit.bxor, bit.ror, bit.rshift, bit.tobit

local SHA_K = {}
for word in string.gmatch(
  '428a2f98 71374491 b5c0fbcf e9b5dba5 3956c25b 59f111f1 923f82a4 ab1c5ed5 d807aa98 12835b01 243185be 550c7dc3 ' ..
  '72be5d74 80deb1fe 9bdc06a7 c19bf174 e49b69c1 efbe4786 0fc19dc6 240ca1cc 2de92c6f 4a7484aa 5cb0a9dc 76f988da ' ..
  '983e5152 a831c66d b00327c8 bf597fc7 c6e00bf3 d5a79147 06ca6351 14292967 27b70a85 2e1b2138 4d2c6dfc 53380d13 ' ..
  '650a7354 766a0abb 81c2c92e 92722c85 a2bfe8a1 a81a664b c24b8b70 c76c51a3 d192e819 d6990624 f40e3585 106aa070 ' ..
  '19a4c116 1e376c08 2748774c 34b0bcb5 391c0cb3 4ed8aa4a 5b9cca4f 682e6ff3 748f82ee 78a5636f 84c87814 8cc70208 ' ..
  '90befffa a4506ceb bef9a3f7 c67178f2', '%x+') do SHA_K[#SHA_K + 1] = tonumber(word, 16) end

local function sha256_words(hex)
  local words = {}
  for i = 1, #hex, 8 do words[#words + 1] = tobit(tonumber(string.sub(hex, i, i + 7), 16)) end
  return words
end

local function sha256_block(state, w)
  for i = 17, 64 do
    local a, b = w[i - 15], w[i - 2]
    w[i] = tobit(w[i - 16] + bxor(ror(a, 7), ror(a, 18), rshift(a, 3))
      + w[i - 7] + bxor(ror(b, 17), ror(b, 19), rshift(b, 10)))
  end
  local a, b, c, d, e, f, g, h = unpack(state)
  for i = 1, 64 do
    local t1 = h + bxor(ror(e, 6), ror(e, 11), ror(e, 25)) + bxor(g, band(e, bxor(f, g))) + SHA_K[i] + w[i]
    local t2 = bxor(ror(a, 2), ror(a, 13), ror(a, 22)) + bxor(band(a, bxor(b, c)), band(b, c))
    h, g, f, e, d, c, b, a = g, f, e, tobit(d + t1), c, b, a, tobit(t1 + t2)
  end
  local mixed = {a, b, c, d, e, f, g, h}
  for i = 1, 8 do mixed[i] = tobit(mixed[i] + state[i]) end
  return mixed
end

local function sha256_link(a, b)
  local state = sha256_words('6a09e667bb67ae853c6ef372a54ff53a510e527f9b05688c1f83d9ab5be0cd19')
  state = sha256_block(state, sha256_words(a .. b))
  state = sha256_block(state, sha256_words('80000000' .. string.rep('0', 116) .. '0200'))
  for i = 1, 8 do state[i] = bit.tohex(state[i]) end
  return table.concat(state)
end
