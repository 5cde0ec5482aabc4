-- A four-bar linkage whose crank is turned by a constraint that depends on time: which of its two
-- branches it is on, and that no step changes that.
--
-- Ground 1, crank 0.5, coupler 1.2, rocker 0.8 m with A = (0,0), D = (1,0): a crank-rocker (Grashof).
-- Rocker angles at D for the branch with (D - B) x (C - B) > 0 from the closed form: they are what two
-- circles intersect in.
local check = require "check"
local mechanism = require "mechanism"
local vida = require "vida"

local crank_rocker = { ground = 1, crank = 0.5, coupler = 1.2, rocker = 0.8 }
local rocker_angle = { [0] = 46.56746344, [90] = 78.00465372, [180] = 127.1688997,
  [270] = 131.1347561 }

-- Crank angle psi, held at psi0 + rate t, and the joint C of coupler and rocker.
local function new_linkage(size, psi0, rate, x, y)
  local linkage = vida.system { "four-bar linkage", dimension = 2 }
  local psi, spin = linkage:coordinate { "psi", unit = "rad", value = psi0, rate = vida.free() }
  local joint = linkage:particle { "C", mass = 1, position = { x, y },
    velocity = { vida.free(), vida.free() } }
  local bx, by = size.crank * vida.cos(psi), size.crank * vida.sin(psi)
  linkage:kinetic { "crank", size.crank ^ 2 / 6 * spin ^ 2 }
  linkage:constraint { "drive", psi - psi0 - rate * linkage.time, unit = "rad" }
  linkage:constraint { "coupler", unit = "m",
    ((joint.x - bx) ^ 2 + (joint.y - by) ^ 2 - size.coupler ^ 2) / (2 * size.coupler) }
  linkage:distance { "rocker", linkage:anchor { size.ground, 0 }, joint, length = size.rocker }
  return linkage
end

-- (D - B) x (C - B), and the rocker's angle in degrees from 0 to 360.
local function look(size, q)
  local bx, by = size.crank * math.cos(q[1]), size.crank * math.sin(q[1])
  local cross = (size.ground - bx) * (q[3] - by) - (0 - by) * (q[2] - bx)
  return cross, math.deg(math.atan(q[3], q[2] - size.ground)) % 360
end

-- ---- assembly from a poor guess -----------------------------------------------------------------
-- The joint is left free near a guess that is off by tens of centimetres; what was found is told.
local function test_assembly()
  local upper = new_linkage(crank_rocker, math.rad(90), 1, vida.free { near = 1.5 },
    vida.free { near = 0.3 })
  local stepper = upper:stepper { "rattle", h = 0.01 }
  local notes = stepper:start()
  local q = stepper:positions()
  check.close(q[2], 1.16626579386, 1e-11)
  check.close(q[3], 0.782531587727, 1e-11)
  check.close(select(2, look(crank_rocker, q)), rocker_angle[90], 1e-8)
  assert(notes:find("C.x = 1.16626", 1, true) and notes:find("C.y = 0.78253", 1, true), notes)
  assert(look(crank_rocker, q) > 0)

  local lower = new_linkage(crank_rocker, math.rad(90), 1, vida.free { near = 0.5 },
    vida.free { near = -0.8 })
  stepper = lower:stepper { "rattle", h = 0.01 }
  notes = stepper:start()
  q = stepper:positions()
  assert(look(crank_rocker, q) < 0)
  assert(notes:find("C.y = -", 1, true), notes)
  -- the mirror image of the upper branch in the line B D
  local b, d = { 0, 0.5 }, { 1, 0 }
  local ux, uy = d[1] - b[1], d[2] - b[2]
  local px, py = 1.16626579386 - b[1], 0.782531587727 - b[2]
  local share = 2 * (px * ux + py * uy) / (ux * ux + uy * uy)
  check.close(q[2], b[1] + share * ux - px, 1e-11)
  check.close(q[3], b[2] + share * uy - py, 1e-11)
end

-- ---- a turn of the crank ------------------------------------------------------------------------
-- Over three turns the branch stays, whatever the step, and angles are those of the closed form; or a
-- step is refused, with the worst row.
local function test_turns(method, degrees, must_pass)
  local linkage = new_linkage(crank_rocker, 0, math.rad(degrees), vida.free { near = 1.5 },
    vida.free { near = 0.6 })
  local stepper = mechanism.start(linkage, method, 1) -- `degrees` a step
  for step = 1, 3 * 360 // degrees do
    local good, message, code = stepper:step()
    if not good then
      assert(not must_pass, message)
      assert(code:match "^[%u_]+$" and #message > 20, message)
      return
    end
    local q = stepper:positions()
    local cross, angle = look(crank_rocker, q)
    assert(cross >= 0.29047 - 1e-5, ("step %d of %g degrees: cross product %g"):format(step, degrees,
      cross))
    check.close(q[1], math.rad(step * degrees), 1e-12 * step)
    local known = rocker_angle[step * degrees % 360]
    if known then
      check.close(angle, known, 1e-7)
    end
  end
end

-- ---- data that do not close ---------------------------------------------------------------------
-- Ground 0.2, crank 0.35355, coupler 0.25, rocker 0.45 m: 0.2 + 0.45 > 0.35355 + 0.25, no link can
-- turn round. |B - D| >= 0.45 - 0.25 takes the crank to acos(0.35355 / 0.4) = 27.885 degrees.
local function test_limit(method)
  local size = { ground = 0.2, crank = 0.35355, coupler = 0.25, rocker = 0.45 }
  local limit = math.acos((size.ground ^ 2 + size.crank ^ 2 - (size.rocker - size.coupler) ^ 2)
    / (2 * size.ground * size.crank))
  local linkage = new_linkage(size, math.rad(90), -math.rad(1), vida.free { near = 0.4 },
    vida.free { near = 0.5 })
  local stepper = mechanism.start(linkage, method, 0.1)
  local good, message, code
  for _ = 1, 900 do
    good, message, code = stepper:step()
    if not good then
      break
    end
  end
  assert(not good, "the crank went past its limit")
  assert(code:match "^[%u_]+$", code)
  assert(message:find("coupler", 1, true) or message:find("rocker", 1, true), message)
  local psi = stepper:positions()[1]
  assert(psi >= limit - 1e-9 and psi < limit + math.rad(0.5), math.deg(psi))
end

local tests = { { "assembly", test_assembly } }
for _, method in ipairs { "del-midpoint", "rattle", "del-endpoint" } do
  for _, degrees in ipairs { 1, 5, 30, 60 } do
    tests[#tests + 1] = { ("turns by %d degrees, %s"):format(degrees, method),
      function() test_turns(method, degrees, degrees <= 5) end }
  end
  tests[#tests + 1] = { "limit, " .. method, function() test_limit(method) end }
end
mechanism.run(tests)
