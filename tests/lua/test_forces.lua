-- Forces at points of bodies and along functions of coordinates: f ds/dq.
--
-- From rest, Newton and Euler say what a force F at r from the centre of mass of a free body does:
-- the centre moves by F / m, and the body turns by J^-1 (r x F).
local vida = require "vida"
local check = require "check"
local close, fails = check.close, check.fails_here

local force = { 0.3, -1.1, 0.7 }
local arm = { 0.4, 0.2, -0.5 }

-- ---- a body in space, at rest in the axes of space ----------------------------------------------

local moments, mass = { 0.7, 1.1, 1.6 }, 2.5
local function torque()
  return { arm[2] * force[3] - arm[3] * force[2], arm[3] * force[1] - arm[1] * force[3],
    arm[1] * force[2] - arm[2] * force[1] }
end

for _, how in ipairs { "call", "table", "list" } do
  local s = vida.system "tossed"
  local body = s:body { "body", mass = mass, inertia = moments }
  local point = body:point(arm)
  if how == "call" then
    s:force(point, force)
  elseif how == "table" then
    s:force { "push", point, force }
  else
    -- in two parts, one of them at the centre and balanced by another
    s:force { "push", { { point, force }, { body, { 1, 2, 3 } }, { body.centre, { -1, -2, -3 } } } }
  end
  local a = s:accelerations()
  for i, axis in ipairs { "x", "y", "z" } do
    close(a["body." .. axis], force[i] / mass, 1e-15)
    -- from rest at the unit quaternion the second derivative of q_i is half the angular acceleration
    close(a["body.q" .. i], 0.5 * torque()[i] / moments[i], 1e-15)
  end
  close(a["body.q0"], 0, 1e-15)
end

-- A force at the centre of mass does not turn.
do
  local s = vida.system "pushed"
  local body = s:body { "body", mass = mass, inertia = moments }
  s:force(body, force)
  local a = s:accelerations()
  close(a["body.y"], force[2] / mass, 1e-15)
  close(a["body.q1"], 0, 1e-15)
end

-- ---- in the plane, and a rod ---------------------------------------------------------------------

do
  local s = vida.system { "flat", dimension = 2 }
  local angle, inertia, length = 0.4, 0.3, 1.2
  local disc = s:body { "disc", mass = 2, inertia = inertia, angle = angle }
  local rod = s:rod { "rod", mass = 3, length = length, angle = angle }
  s:force(disc:point { 0.5, 0 }, { 0, 1 })
  s:force(rod.head, { 0, 1 })
  local a = s:accelerations()
  close(a["disc.angle"], 0.5 * math.cos(angle) / inertia, 1e-14)
  close(a["disc.y"], 0.5, 1e-15)
  -- alpha = (l / 2) cos(angle) / (m l^2 / 12), and u'' = alpha times what is left of u
  local alpha = 0.5 * length * math.cos(angle) / (3 * length ^ 2 / 12)
  close(a["rod.ux"], -alpha * math.sin(angle), 1e-13)
  close(a["rod.uy"], alpha * math.cos(angle), 1e-13)
end

-- ---- along a function ---------------------------------------------------------------------------

-- f along the distance d from the origin is f times the unit vector; along q^2 it is 2 q f.
do
  local s = vida.system { "radial", dimension = 2 }
  local p = s:particle { "p", mass = 2, position = { 3, 4 } }
  local q = s:coordinate { "q", value = 1.5 }
  s:kinetic(0.5 * q.rate ^ 2)
  s:force(vida.norm(p - s.ground), 10)
  s:force { "pair", { { q ^ 2, 0.25 }, { q, 1 }, { vida.vector { 2 * q, 0 * q + p.x }, { 1, 1 } } } }
  local a = s:accelerations()
  close(a["p.x"], (10 * 3 / 5 + 1) / 2, 1e-14)
  close(a["p.y"], 10 * 4 / 5 / 2, 1e-14)
  close(a["q"], 2 * 1.5 * 0.25 + 1 + 2, 1e-14)
end

-- ---- on one coordinate, of another ----------------------------------------------------------------

-- The matrix of Newton's method is not symmetric here, nor is the place of its entries. Elimination in
-- a fixed order gives what dense factors with pivots give, in as many iterations.
for _, method in ipairs { "del-midpoint", "generalized-alpha", "energy-momentum", "hht" } do
  local function run(solver)
    local s = vida.system { "one way", dimension = 3 }
    local p = s:particle { "p", mass = 1, position = { 1, 0, 0 }, velocity = { 0, 1, 0.5 } }
    local q = s:particle { "q", mass = 2, position = { 1, 2, 0 }, velocity = { 0, 1, 0 } }
    s:distance { "rod", s.ground, p, length = 1 }
    s:force { "push", {
      { q.x, -900 * p.y - 400 * q.z }, { q.y, -900 * p.z - 200 * q.x }, { q.z, -300 * p.x },
    } }
    local stepper = s:stepper { method, h = 0.02, linear_solver = solver }
    stepper:start()
    assert(stepper:step(100))
    return stepper:statistics().newton_iterations, stepper:positions()
  end
  local count, ends = run "auto"
  local dense_count, dense_ends = run "dense"
  assert(math.abs(count - dense_count) <= 0.05 * dense_count,
    ("%s: %d and %d iterations"):format(method, count, dense_count))
  for i = 1, 6 do
    close(ends[i], dense_ends[i], 1e-10 * (1 + math.abs(dense_ends[i])))
  end
end

-- ---- mistakes ------------------------------------------------------------------------------------

do
  local s = vida.system "tossed"
  local body = s:body { "body", mass = mass, inertia = moments }
  local wall = s:body { "wall", fixed = true }
  local other = vida.system("other"):body { "far", mass = 1, inertia = moments }
  fails("force: body 'wall' is fixed", function() s:force(wall:point { 0, 0, 0 }, force) end)
  fails("force: body 'far' belongs to another system", function() s:force(other, force) end)
  fails("expected a force of 3 components, got 2", function() s:force(body:point(arm), { 1, 2 }) end)
  fails("argument 1: expected a coordinate, a particle, a point of a body", function() s:force({}, 1) end)
end
