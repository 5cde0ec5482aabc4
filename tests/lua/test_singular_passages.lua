-- Singular configurations on the way: runs that pass one tell of it, failures name it, others say
-- nothing.
--
-- The windows of scenarios/four_bar.lua are parallelograms of links of 1 m: their constraint Jacobian
-- loses rank where all links lie in one line, that is where B0 = (x, y) passes y = 0. The motion goes
-- straight on there, with B1 = B0 + (1, 0); what folds a window up is an error.
local check = require "check"
local mechanism = require "mechanism"
local vida = require "vida"

-- Whether the run reached its end; how often y changes its sign, and when it does so first; how far B1
-- is off; the stepper.
local function follow(windows, wishes, time)
  local system = mechanism.scenario("four_bar", { windows = windows, time = time })
  local stepper = system:stepper(wishes)
  stepper:start()
  local crossings, first, before, off = 0, nil, 1, 0
  for _ = 1, math.floor(time / wishes.h + 0.5) do
    local good, message = stepper:step()
    if not good then
      return false, crossings, first, off, stepper, message
    end
    local q = stepper:positions()
    if q[2] * before < 0 then
      crossings = crossings + 1
      first = first or stepper:time()
    end
    before = q[2]
    off = math.max(off, math.abs(q[3] - q[1] - 1), math.abs(q[4] - q[2]))
  end
  return true, crossings, first, off, stepper
end

-- ---- methods that step over such places -----------------------------------------------------------
local function test_counts(wishes)
  for windows = 1, 2 do
    local good, crossings, _, off, stepper = follow(windows, wishes, 5.5)
    assert(good and off < 1e-6 and crossings == 6, wishes[1])
    local passages = stepper:statistics().singular_passages
    -- Steps that are no longer small beside the turn of the links may miss one.
    assert(passages == crossings or wishes.rtol and passages > 0 and passages < crossings,
      ("%s: %d of %d"):format(wishes[1], passages, crossings))
  end
end

-- ---- methods that let the state drift off the constraints -------------------------------------------
local function test_wrong_ends(method)
  local wrong = 0
  for _, rtol in ipairs { 1e-3, 1e-5, 1e-7, 1e-9 } do
    local good, _, _, off, stepper, message = follow(1, { method, h = 0.005, rtol = rtol }, 10)
    wrong = wrong + (off > 1e-3 and 1 or 0)
    if off > 1e-3 or not good then
      local told = stepper:statistics().singular_passages > 0
        or message and message:find("singular configuration", 1, true)
      assert(told, ("%s, rtol = %g: %g m off"):format(method, rtol, off))
    end
  end
  assert(wrong > 0, method .. " never folds up: the test tests nothing")
end

-- ---- rows of a comparison ---------------------------------------------------------------------------
local function test_rows()
  local system = mechanism.scenario("four_bar", { windows = 1, time = 2 })
  local rows = vida.compare {
    system = system, time = 2,
    methods = { { "rattle", h = 0.01 }, { "ida-index2", rtol = 1e-6 }, { "ida-projected", rtol = 1e-9 } },
  }:run { quiet = true }
  local _, _, first = follow(1, { "rattle", h = 0.01 }, 2)
  local told = "passed 2 singular configurations, the first at t = ([%d.]+) s, where the constraint Jacobian "
    .. "loses rank %(row 'B0%-B1'%): the constraints do not determine the branch that follows"
  assert(rows[1].status == "ok")
  check.close(tonumber(rows[1].message:match(told)), first, 0.01) -- within the step
  assert(rows[2].message:find("passed %w+ singular configuration"), rows[2].message)
  assert(rows[3].status ~= "ok")
  assert(rows[3].message:find("near t = 1.2", 1, true), rows[3].message)
  assert(rows[3].message:find("singular configuration, where the constraint Jacobian loses rank", 1, true))
end

-- ---- a gradient that vanishes ---------------------------------------------------------------------
-- g = x y on the line y = 0 with the speed 1: at x = 0, where the other line crosses, its gradient (y,
-- x) vanishes.
local function test_crossing_lines()
  for _, method in ipairs { "radau", "post-stabilized", "coordinate-projection" } do
    local system = vida.system { "crossing lines", dimension = 2 }
    local p = system:particle { "p", mass = 2, position = { -1, 0 }, velocity = { 1, 0 } }
    system:constraint { "two lines", p.position[1] * p.position[2], unit = "m^2" }
    local stepper = system:stepper { method, h = 0.03 }
    stepper:start()
    assert(stepper:step(60))
    check.close(stepper:positions()[1], 0.8, 1e-12)
    assert(stepper:statistics().singular_passages == 1, method)
  end
end

-- ---- no alarm without a reason ---------------------------------------------------------------------
local function test_silence()
  local cases = { { "double_spherical_pendulum", 5, 0.02 }, { "car_axis", 3, 0.01 },
    { "squeezer", 0.03, 1e-5 }, { "heavy_top", 0.3, 5e-4 }, { "pendulum_on_curve", 5, 0.01 },
    { "door", 3, 0.01 }, { "rigid_body", 3, 0.01 } }
  for _, case in ipairs(cases) do
    local name, time, h = table.unpack(case)
    local runs = { { "rattle", h = h }, { "post-stabilized", h = h }, { "ida-ggl", h = h, rtol = 1e-5 },
      { "radau", h = time / 10, rtol = 1e-4 } }
    for _, wishes in ipairs(runs) do
      local stepper = mechanism.scenario(name):stepper(wishes)
      stepper:start()
      local good, message = stepper:step(math.floor(time / wishes.h + 0.5))
      assert(good, message)
      assert(stepper:statistics().singular_passages == 0, wishes[1] .. " on " .. name)
    end
  end
end

local tests = { { "rows", test_rows }, { "crossing lines", test_crossing_lines },
  { "silence", test_silence } }
for _, method in ipairs { "rattle", "del-midpoint", "hht", "radau", "coordinate-projection" } do
  tests[#tests + 1] = { method, function() test_counts { method, h = 0.01 } end }
end
for _, method in ipairs { "radau", "ida-ggl", "coordinate-projection", "cvode-projected" } do
  tests[#tests + 1] = { method, function() test_counts { method, h = 0.01, rtol = 1e-6 } end }
end
for _, method in ipairs { "ida-index2", "ida-index1", "baumgarte" } do
  tests[#tests + 1] = { method, function() test_wrong_ends(method) end }
end
mechanism.run(tests)

-- A parallelogram without forces turns uniformly: the crank of 1 m, at 1.1 rad with d A.x/dt = 1 m/s, falls
-- with 1 / sin(1.1) rad/s and is stretched after 1.1 sin(1.1) = 0.9803 s and half a turn later, at 3.780 s.
-- Calm steps that are taken back near such a place do not hide it.
do
  local s = vida.system { "parallelogram", dimension = 2 }
  local c, n = math.cos(1.1), math.sin(1.1)
  local a = s:particle { "A", mass = 1, position = { c, n }, velocity = { 1, vida.free() } }
  local b = s:particle { "B",
    mass = 1.3, position = { 1 + c, n }, velocity = { vida.free(), vida.free() },
  }
  s:distance { "a", s.ground, a, length = 1 }
  s:distance { "b", a, b, length = 1 }
  s:distance { "c", b, s:anchor { 1, 0 }, length = 1 }
  for _, method in ipairs { "rattle", "del-endpoint", "energy-momentum", "compose" } do
    for _, h in ipairs { 0.01, 0.003, 0.001 } do
      local comparison = vida.compare { system = s, time = 6, methods = { { method, h = h } } }
      local row = comparison:run { quiet = true }[1]
      local told = row.message:match "passed (%d+) singular configurations, the first at t = 0.9803 s"
      assert(row.status == "ok" and told == "2", ("%s, h = %g: %s"):format(method, h, row.message))
    end
  end
end
