-- Numbers that are the same on every machine for the same seed (splitmix64).
local random = {}
random.__index = random

function random.new(seed)
  local self = setmetatable({ state = seed * 0x9E3779B97F4A7C15 }, random)
  for _ = 1, 4 do
    self:number()
  end
  return self
end

-- A number in [0, 1).
function random:number()
  self.state = self.state + 0x9E3779B97F4A7C15
  local z = self.state
  z = (z ~ (z >> 30)) * 0xBF58476D1CE4E5B9
  z = (z ~ (z >> 27)) * 0x94D049BB133111EB
  return ((z ~ (z >> 31)) >> 11) * 0x1p-53
end

function random:between(low, high)
  return low + (high - low) * self:number()
end

-- A power of ten whose exponent lies between the two.
function random:decade(low, high)
  return 10 ^ self:between(low, high)
end

-- A whole number from low to high, both included.
function random:integer(low, high)
  return low + math.floor((high - low + 1) * self:number())
end

function random:chance(probability)
  return self:number() < probability
end

-- A unit vector of two or three components.
function random:direction(dimension)
  local v, size
  repeat
    v, size = {}, 0
    for i = 1, dimension do
      v[i] = self:between(-1, 1)
      size = size + v[i] ^ 2
    end
  until size > 0.01 and size <= 1
  for i = 1, dimension do
    v[i] = v[i] / math.sqrt(size)
  end
  return v
end

return random
