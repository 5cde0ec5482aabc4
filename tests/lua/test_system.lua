-- vida.system: building, and every kind of bad input with its message.
local check = require "check"
local vida = require "vida"

local fails = check.fails_here

assert(vida.version:match("^%d+%.%d+%.%d+$"))
assert(vida.sundials_version:match("^%d+%.%d+"))

-- ---- systems ------------------------------------------------------------------------------------
local system = vida.system "house"
assert(tostring(system) == "system 'house'")
assert(system.name == "house")
assert(tostring(vida.system { "plane", dimension = 2 }) == "system 'plane'")
fails("vida.system: expected a name or { \"name\", dimension = 2 }, got nothing",
  function() vida.system() end)
fails("got 3", function() vida.system(3) end)
fails("system[1]: expected a name, got nothing", function() vida.system { dimension = 2 } end)
fails("system[1]: expected a name, got 7", function() vida.system { 7 } end)
fails("system 'a': dimension: expected 1, 2 or 3, got 4",
  function() vida.system { "a", dimension = 4 } end)
fails("system 'a': dimension: expected 1, 2 or 3, got the text \"2\"",
  function() vida.system { "a", dimension = "2" } end)
fails("system 'a': unknown key 'dimesion'; did you mean 'dimension'?",
  function() vida.system { "a", dimesion = 2 } end)
fails("system 'a': unknown key [2]", function() vida.system { "a", "b" } end)
fails("a system needs a name", function() vida.system "" end)
fails("a vida.system has no 'partcle'; did you mean 'particle'?",
  function() system:partcle { "p" } end)
fails("a vida.system has no 'zzz'", function() return system.zzz end)
assert(getmetatable(system) == false)

-- ---- particles ----------------------------------------------------------------------------------
local function particle(change)
  local base = { "p", mass = 1.0, position = { 0, 0, 1 }, velocity = { 0, 0, 0 } }
  return function() return system:particle(check.with(base, change)) end
end
fails("particle: expected a table such as", function() system:particle() end)
fails("particle: expected a table such as", function() system:particle("p") end)
fails("particle[1]: expected a name, got nothing", particle { check.none })
fails("particle 'p': unknown key 'mas'; did you mean 'mass'?", particle { mas = 1 })
fails("particle 'p': unknown key 'colour'", particle { colour = "red" })
fails("particle 'p': mass: expected a number, got nothing", particle { mass = check.none })
fails("particle 'p': mass: expected a number, got the text \"2\"", particle { mass = "2" })
fails("particle 'p': mass: expected a non-negative number, got -2", particle { mass = -2 })
fails("particle 'p': mass: expected a non-negative number, got ", particle { mass = 0 / 0 })
fails("particle 'p': mass: expected a non-negative number, got inf", particle { mass = math.huge })
fails("particle 'p': position: expected a list of 3 numbers or vida.free(), got nothing",
  particle { position = check.none })
fails("particle 'p': position: expected a list of 3 numbers or vida.free(), got 2",
  particle { position = { 1, 2 } })
fails("particle 'p': position: expected a list of 3 numbers or vida.free(), got 4",
  particle { position = { 1, 2, 3, 4 } })
fails("particle 'p': position: expected a list of 3 numbers or vida.free(), got a function",
  particle { position = print })
fails("particle 'p': position[3]: expected a number or vida.free(), got the text \"1\"",
  particle { position = { 0, 0, "1" } })
fails("particle 'p': position: expected a list { ... }, got a table with the key 'x'",
  particle { position = { x = 1 } })
fails("particle 'p': position: expected a list", particle { position = { 0, nil, 1 } })
fails("particle 'p': ", particle { position = { 0, 0, 0 / 0 } })
fails("particle 'p': ", particle { velocity = { 0, 0, -math.huge } })
fails("particle 'p': velocity: expected a list of 3 numbers or vida.free(), got true",
  particle { velocity = true })
fails("particle[1]: expected a name, got the text \"a\"",
  function() system:particle { "a\0b", mass = 1, position = { 0, 0, 0 } } end)

local upper = system:particle { "upper", mass = 2.0, position = { 2.820, 0.025, vida.free(-1) } }
assert(tostring(upper) == "particle 'upper'" and upper.name == "upper")
local lower = particle { "lower" } ()
fails("a vida.point has no 'mass'", function() return upper.mass end)

-- ---- free values --------------------------------------------------------------------------------
assert(tostring(vida.free()) == "vida.free()")
assert(tostring(vida.free(-1)) == "vida.free(-1)")
assert(tostring(vida.free(0.5)) == "vida.free(1)")
assert(tostring(vida.free { near = -4.8 }):match("^vida.free { near = %-4.8"))
fails("vida.free: expected nothing, -1, 1 or { near = value }, got the text", function() vida.free("up") end)
fails("vida.free: expected a finite number, got nan", function() vida.free(0 / 0) end)
fails("vida.free: unknown key 'nera'; did you mean 'near'?", function() vida.free { nera = 1 } end)
fails("vida.free.near: expected a number, got the text \"1\"",
  function() vida.free { near = "1" } end)
fails("vida.free.near: expected a finite number", function() vida.free { near = 0 / 0 } end)

-- ---- fixed points, rods and springs -------------------------------------------------------------
assert(tostring(system.ground):match("^fixed point"))
local anchor = system:anchor { 1, 2, 3 }
assert(tostring(anchor):match("^fixed point %(1%.0+, 2") or tostring(anchor):match("1"))
fails("anchor: expected a list of 3 numbers, got 2", function() system:anchor { 1, 2 } end)
fails("anchor[2]: expected a number, got the text \"2\"",
  function() system:anchor { 1, "2", 3 } end)

local other = vida.system "elsewhere"
local stranger = other:particle { "stranger", mass = 1, position = { 0, 0, 0 } }
local function distance(change)
  local base = { "rod", system.ground, upper, length = 4.0 }
  return function() system:distance(check.with(base, change)) end
end
fails("distance: expected a table such as", function() system:distance(1) end)
fails("distance[1]: expected a name", distance { check.none })
fails("distance 'rod': first end: expected a particle or a fixed point, got 1",
  distance { [2] = 1 })
fails("distance 'rod': second end: expected a particle or a fixed point, got nothing",
  distance { [3] = check.none })
fails("distance 'rod': second end: this particle or point belongs to another system",
  distance { [3] = stranger })
fails("distance 'rod': second end: this particle or point belongs to another system",
  distance { [3] = other.ground })
fails("distance 'rod': length: expected a positive number, got -4", distance { length = -4 })
fails("distance 'rod': length: expected a positive number, got 0", distance { length = 0 })
fails("distance 'rod': length: expected a positive number, got ", distance { length = 0 / 0 })
fails("distance 'rod': length: expected a number, got nothing", distance { length = check.none })
fails("distance 'rod': unknown key 'lenght'; did you mean 'length'?", distance { lenght = 1 })
fails("distance 'rod': unknown key [4]", distance { [4] = 1 })
fails("distance 'rod' joins two fixed points", distance { [3] = anchor })
fails("distance 'rod' joins the particle 'upper' to itself", distance { [2] = upper })
distance {} ()

local function spring(change)
  local base = { "coil", upper, lower, stiffness = 10.0, length = 1.0 }
  return function() system:spring(check.with(base, change)) end
end
fails("spring 'coil': stiffness: expected a non-negative number, got -10",
  spring { stiffness = -10 })
fails("spring 'coil': stiffness: expected a number, got false", spring { stiffness = false })
fails("spring 'coil': length: expected a number, got nothing", spring { length = check.none })
fails("spring 'coil': length: expected a non-negative number, got -1", spring { length = -1 })
fails("spring 'coil': cubic: expected a number, got a table", spring { cubic = {} })
fails("spring 'coil': law: expected \"linear\" or \"squared\", got the text \"cubic\"",
  spring { law = "cubic" })
fails("spring 'coil': law: expected a text, got 2", spring { law = 2 })
fails("spring 'coil': cubic: only the linear law has a cubic stiffness",
  spring { cubic = 1, law = "squared" })
fails("spring 'coil': unknown key 'stifness'; did you mean 'stiffness'?", spring { stifness = 1 })
spring { cubic = 2.0 } ()
spring { "second coil", law = "squared" } ()

fails("gravity: expected a list of 3 numbers, got 9.81", function() system:gravity(9.81) end)
fails("gravity: expected a list of 3 numbers, got 2", function() system:gravity { 0, -9.81 } end)
fails("gravity", function() system:gravity { 0, 0, 0 / 0 } end)
system:gravity { 0, 0, -9.81 }
fails("system 'house' already has gravity", function() system:gravity { 0, 0, -9.81 } end)

-- ---- wrong receivers and closed systems ---------------------------------------------------------
check.fails("particle: expected a system before it, with a colon: system:particle(...)",
  function() system.particle({}, {}) end)
check.fails("particle: expected a system before it, with a colon", function() system.particle(upper, {}) end)
other:close()
other:close()
assert(tostring(other) == "closed system")
fails("attempt to use a closed system", function() other:gravity { 0, 0, 0 } end)
fails("attempt to use a closed system", function() return other.ground end)
assert(tostring(stranger) == "particle 'stranger'")
do
  local inner <close> = vida.system "scoped"
  assert(inner.name == "scoped")
end

print("ok")
