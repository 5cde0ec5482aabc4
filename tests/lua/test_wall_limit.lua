-- wall_limit and study_wall_limit end runs in the middle of a step and keep their rows, of every
-- integrator; a reference and repeats end, too. Two windows of rods pass a flat pose at t = 0.714 s,
-- where tight tolerances need steps without end.
local check = require "check"
local vida = require "vida"

local function windows()
  local s = vida.system { "windows", dimension = 3 }
  s:gravity { 0, -9.81, 0 }
  local post = {}
  for i = 0, 2 do
    post[i] = s:rod { "post " .. i, mass = 1, length = 1, centre = { i, 0.5, 0 }, direction = { 0, 1, 0 },
      velocity = { 0.5, 0, 0 }, angular_velocity = { 0, 0, -1 } }
    s:ball { "A" .. i, s:anchor { i, 0, 0 }, post[i].tail }
  end
  for i = 1, 2 do
    local bar = s:rod { "bar " .. i, mass = 1, length = 1, centre = { i - 0.5, 1, 0 },
      direction = { 1, 0, 0 }, velocity = { 1, 0, 0 } }
    s:ball { "B" .. i, post[i - 1].head, bar.tail }
    s:ball { "C" .. i, bar.head, post[i].head }
  end
  return s
end

local function rows(wishes)
  wishes.time = wishes.time or 1e4
  return vida.compare(wishes):run({ quiet = true })
end

local system = windows()

-- One interval that nobody could wait for, and fixed steps that nobody could.
local methods = { { "post-stabilized", rtol = 1e-8, h = 1e4, max_steps = 1e9 },
  { "coordinate-partitioning", rtol = 1e-13, h = 1e4, max_steps = 1e9 },
  { "cvode-projected", rtol = 1e-13, h = 1e4, max_steps = 1e9 },
  { "baumgarte", rtol = 1e-13, h = 1e4, max_steps = 1e9 },
  { "rattle-variable", h = 1e4, start_density = 1e9, max_steps = 1e12 },
  { "radau", rtol = 1e-8, h = 1e4, max_steps = 1e12 },
  { "compose", h = 1e-5 }, { "rattle", h = 1e-5 }, { "hht", h = 1e-5 } }
local result = rows { system = system, wall_limit = 0.2, methods = methods }
assert(#result == #methods)
for _, row in ipairs(result) do
  assert(row.status == "WALL_LIMIT", row.method .. ": " .. row.status .. ": " .. tostring(row.message))
  assert(row.message:find("wall_limit = 0.2 s", 1, true), row.message)
  assert(row.t_end < 1e4, row.method)
end

-- Nothing begins after the time of the study; what has finished stays.
result = rows { system = system, study_wall_limit = 0.3, time = 0.1, end_step = "shorten",
  methods = { { "rattle", h = 0.05 }, { "rattle", h = 1e-8 }, { "rattle", h = 0.02 } } }
assert(result[1].status == "ok")
assert(result[2].status == "WALL_LIMIT", result[2].status)
assert(result[3].status == "NOT_RUN" and result[3].message:find("study_wall_limit", 1, true))

-- Repeats end, and the run has finished all the same.
result = rows { system = system, wall_limit = 0.3, time = 0.1, repeats = 1000,
  methods = { { "rattle", h = 1e-3 } } }
assert(result[1].status == "ok", result[1].status)
assert(result[1].message:find("repetitions, because wall_limit", 1, true), result[1].message)

check.fails_here("wall_limit", function()
  vida.compare { system = system, time = 1, wall_limit = 0, methods = { { "rattle", h = 0.1 } } }
end)

-- A time that no reference can share with the run is refused at once.
local free = vida.system { "free", dimension = 2 }
free:particle { "p", mass = 1, position = { 1, 0 }, velocity = { 0, 1 } }
check.fails_here("too few times in common", function()
  vida.compare { system = free, time = 0x7fffffff, reference = "auto",
    methods = { { "galerkin-gauss", h = 0.05 } } }
end)

print("ok")
