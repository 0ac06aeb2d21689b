-- Taken in by scripts that write to a ledger.
-- sha256_link(a, b): SHA-256 (FIPS 180-4) of two digests, hex in and out; 64 bytes are two blocks, the
-- second of which is padding and the same every time.
local band, bxor, ror, rshift, tobit = bit.band, bit.bxor, bit.ror, bit.rshift, bit.tobit

local SHA_K = {
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2}
-- The padding block's message schedule, already added to the constants.
local SHA_PADDING = {
  0xc28a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf374,
  0x649b69c1, 0xf0fe4786, 0x0fe1edc6, 0x240cf254, 0x4fe9346f, 0x6cc984be, 0x61b9411e, 0x16f988fa,
  0xf2c65152, 0xa88e5a6d, 0xb019fc65, 0xb9d99ec7, 0x9a1231c3, 0xe70eeaa0, 0xfdb1232b, 0xc7353eb0,
  0x3069bad5, 0xcb976d5f, 0x5a0f118f, 0xdc1eeefd, 0x0a35b689, 0xde0b7a04, 0x58f4ca9d, 0xe15d5b16,
  0x007f3e86, 0x37088980, 0xa507ea32, 0x6fab9537, 0x17406110, 0x0d8cd6f1, 0xcdaa3b6d, 0xc0bbbe37,
  0x83613bda, 0xdb48a363, 0x0b02e931, 0x6fd15ca7, 0x521afaca, 0x31338431, 0x6ed41a95, 0x6d437890,
  0xc39c91f2, 0x9eccabbd, 0xb5c9a0e6, 0x532fb63c, 0xd2c741c6, 0x07237ea3, 0xa4954b68, 0x4c191d76}

local function sha256_words(hex)
  local words = {}
  for i = 1, #hex, 8 do words[#words + 1] = tobit(tonumber(string.sub(hex, i, i + 7), 16)) end
  return words
end

-- The message schedule of a block of 16 words, added to the constants.
local function sha256_schedule(w)
  for i = 17, 64 do
    local a, b = w[i - 15], w[i - 2]
    w[i] = tobit(w[i - 16] + bxor(ror(a, 7), ror(a, 18), rshift(a, 3))
      + w[i - 7] + bxor(ror(b, 17), ror(b, 19), rshift(b, 10)))
  end
  for i = 1, 64 do w[i] = w[i] + SHA_K[i] end
  return w
end

local function sha256_block(state, schedule)
  local a, b, c, d, e, f, g, h = unpack(state)
  for i = 1, 64 do
    local t1 = h + bxor(ror(e, 6), ror(e, 11), ror(e, 25)) + bxor(g, band(e, bxor(f, g))) + schedule[i]
    local t2 = bxor(ror(a, 2), ror(a, 13), ror(a, 22)) + bxor(band(a, bxor(b, c)), band(b, c))
    h, g, f, e, d, c, b, a = g, f, e, tobit(d + t1), c, b, a, tobit(t1 + t2)
  end
  local mixed = {a, b, c, d, e, f, g, h}
  for i = 1, 8 do mixed[i] = tobit(mixed[i] + state[i]) end
  return mixed
end

local function sha256_link(a, b)
  local state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}
  state = sha256_block(state, sha256_schedule(sha256_words(a .. b)))
  state = sha256_block(state, SHA_PADDING)
  for i = 1, 8 do state[i] = bit.tohex(state[i]) end
  return table.concat(state)
end
