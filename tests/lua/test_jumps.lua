-- Jumps in time: a particle under s(t) (sin t, cos t), with s = 1 and -1 in turn, against its closed
-- form, with every method that takes it: the same orders as without jumps, on and off the grid.
local vida = require "vida"
local takers = require "takers"
local check = require "check"
local mechanism = require "mechanism"

-- x'' = s f(t) from rest at 0, where s changes its sign after every `period`; f is the sine or the
-- cosine. Between two changes velocities and positions are integrals of f.
local function integrate(sine, t_end, period)
  local x, v, sign, from, count = 0, 0, 1, 0, 0
  while from < t_end do
    count = count + 1
    local to = math.min(count * period, t_end)
    local way = to - from
    if sine then
      x = x + v * way + sign * (math.cos(from) * way - math.sin(to) + math.sin(from))
      v = v + sign * (math.cos(from) - math.cos(to))
    else
      x = x + v * way + sign * (math.cos(from) - math.cos(to) - math.sin(from) * way)
      v = v + sign * (math.sin(to) - math.sin(from))
    end
    from, sign = to, -sign
  end
  return x, v
end

-- "wall" holds p.y, so that its multiplier is s cos t.
local function particle(period, has_wall)
  local s = vida.system { "flip", dimension = 2 }
  local p = s:particle { "p", mass = 1, position = { 0, 0 } }
  local sign = vida.where(vida.less(vida.sin(math.pi * s.time / period), 0), -1, 1)
  s:force { "f", { { p.x, sign * vida.sin(s.time) }, { p.y, sign * vida.cos(s.time) } } }
  if has_wall then
    s:constraint { "wall", p.y, unit = "m" }
  end
  local function exact(t)
    local x, v = integrate(true, t, period)
    local y, w = 0, 0
    if not has_wall then
      y, w = integrate(false, t, period)
    end
    return { positions = { p = { x, y } }, velocities = { p = { v, w } } }
  end
  return s, exact
end

local function run(s, exact, method)
  local comparison = vida.compare {
    system = s, time = 1.2, norm = "max", reference = { exact = exact, error = 0 }, methods = { method },
  }
  return comparison:run { quiet = true }
end

-- ---- orders --------------------------------------------------------------------------------------

local rounding = 1e-12 -- of 240 steps over distances of about 0.1

local counts = { fixed = 0, adaptive = 0 }
for _, has_wall in ipairs { false, true } do
  for _, period in ipairs { 0.3, 0.2973 } do -- flips on nodes of h = 0.01, and off them
    local s, exact = particle(period, has_wall)
    for m, method in ipairs(vida.methods()) do
      if mechanism.sanitized and m % 4 ~= (has_wall and 1 or 0) + (period == 0.3 and 2 or 0) then
        goto continue -- then each method makes one of the four
      end
      local adaptive = check.is_adaptive(method)
      local fixed = { method.name, h = { 0.01, 0.005 } }
      local entry = adaptive and { method.name, rtol = 1e-8, h = 0.05 } or fixed
      local rows = run(s, exact, entry)
      for i = 1, #rows do
        takers.demand(has_wall and { "constraints", "no free bodies", "no chart" }
          or { "several coordinates", "no free bodies", "no chart" }, method.name, rows[i].status == "ok",
          rows[i].status .. ": " .. rows[i].message)
      end
      if rows[1].status == "ok" and adaptive then
        counts.adaptive = counts.adaptive + 1
        -- Tolerances are those of a step; errors add up over 1.2 s and four flips.
        assert(rows[1].position_error < 1e-4, method.name .. ": " .. rows[1].position_error)
      elseif rows[1].status == "ok" then
        counts.fixed = counts.fixed + 1
        local coarse, fine = rows[1].position_error, rows[2].position_error
        assert(coarse < rounding or coarse / fine > 0.8 * 2 ^ math.min(method.order, 4),
          ("%s: %g, then %g with half the step"):format(method.name, coarse, fine))
      end
      ::continue::
    end
  end
end
assert(counts.fixed > 0 and counts.adaptive > 0, "not both kinds of methods ran")

-- ---- both sides in trajectories ------------------------------------------------------------------

local function both_sides(period, method)
  local s, exact = particle(period, true)
  local folder = os.tmpname()
  os.remove(folder)
  local comparison = vida.compare { system = s, time = 1, reference = exact, methods = { method } }
  local result = comparison:run { quiet = true, out = folder }
  assert(result[1].status == "ok", result[1].message)
  local pipe = assert(io.popen("cat '" .. folder .. "'/flip-*.csv; rm -r '" .. folder .. "'"))
  local rows, before = {}, -1
  for line in pipe:lines() do
    local cells = {}
    for cell in (line .. ","):gmatch("([^,]*),") do
      cells[#cells + 1] = tonumber(cell) or false
    end
    if cells[1] then
      assert(cells[1] >= before, "times rise")
      before = cells[1]
      if math.abs(cells[1] - period) < 1e-12 then
        rows[#rows + 1] = cells[6]
      end
    end
  end
  pipe:close()
  assert(#rows == 2, "two rows at the first flip, got " .. #rows)
  return rows[1], rows[2]
end

for _, period in ipairs { 0.3, 0.2973 } do
  for _, method in ipairs { { "rattle", h = 0.01 }, { "del-midpoint", h = 0.01 }, { "radau", h = 0.01 },
    { "spark-lobatto", h = 0.01 }, { "hht", h = 0.01 }, { "radau", rtol = 1e-8 },
    { "ida-ggl", rtol = 1e-8 }, { "post-stabilized", rtol = 1e-8 } } do
    local left, right = both_sides(period, method)
    check.close(left, math.cos(period), 1e-9) -- 0.955336 at 0.3
    check.close(right, -math.cos(period), 1e-9)
  end
end

-- ---- forms ---------------------------------------------------------------------------------------

-- x'' = f(t) from rest, by a stepper of its own: position and velocity at t = 1 are those of a closed
-- form, which radau has to the last digits since f is a polynomial between the jumps.
local function ends_at(position, velocity, make)
  for _, h in ipairs { 0.1, 0.25, 1 } do
    local s = vida.system "line"
    local x, v = s:coordinate { "x", unit = "m", value = 0, rate = 0 }
    s:kinetic(v ^ 2 / 2)
    s:force { "f", { { x, make(s) } } }
    local stepper = s:stepper { "radau", h = h }
    stepper:start()
    assert(stepper:step(math.floor(1 / h + 0.5)))
    check.close(stepper:time(), 1, 1e-15)
    check.close(stepper:positions()[1], position, 1e-13)
    check.close(stepper:velocities()[1], velocity, 1e-13)
  end
end

-- f = 1, -2, 3 with changes at a and b
local a, b = 0.3, 0.61234
local v_a, v_b = a, a - 2 * (b - a)
local x_b = a ^ 2 / 2 + v_a * (b - a) - (b - a) ^ 2
local position = x_b + v_b * (1 - b) + 1.5 * (1 - b) ^ 2
local velocity = v_b + 3 * (1 - b)
ends_at(position, velocity, function(s)
  return vida.switch { s.time, at = { a, b }, values = { 1, -2, 3 } }
end)
ends_at(position, velocity, function(s)
  return vida.where(vida.less_equal(s.time, a), 1, vida.where(vida.less(b, s.time), 3, -2))
end)
ends_at(position, velocity, function(s)
  local at = s:parameter { "at", b }
  return vida.switch { s.time, at = { a, at }, values = { 1, -2, 3 } }
end)
-- Kinks: |t - c|, and a ramp from c to d up to 1.
local c, d = 0.437, 0.7
ends_at(c ^ 3 / 3 + c ^ 2 / 2 * (1 - c) + (1 - c) ^ 3 / 6, c ^ 2 / 2 + (1 - c) ^ 2 / 2,
  function(s) return vida.abs(s.time - c) end)
local w = (d - c) / 2 -- the velocity at d
ends_at((d - c) ^ 2 / 6 + w * (1 - d) + (1 - d) ^ 2 / 2, w + 1 - d, function(s)
  return vida.max(0, vida.min((s.time - c) / (d - c), 1))
end)
-- A push of 1 m/s that is as short as 1e-12 s, between nodes and beside one.
for _, at in ipairs { 0.4567, 0.5, 0.5 + 1e-13 } do
  local till = at + 1e-12
  ends_at(1 - (at + till) / 2, 1, function(s)
    return vida.switch { s.time, at = { at, till }, values = { 0, 1 / (till - at), 0 } }
  end)
end
-- A condition that touches zero, and one that is constant between jumps, change nothing.
ends_at(0.5, 1, function(s)
  return vida.where(vida.less((s.time - 0.5) ^ 2, 0), 5,
    vida.where(vida.equal(vida.max(0, s.time - 2), 0), 1, 7))
end)

-- ---- what cannot be met --------------------------------------------------------------------------

local function refused(text, make)
  local s = vida.system "line"
  local x, v = s:coordinate { "x", unit = "m", value = 0, rate = 0 }
  s:kinetic(v ^ 2 / 2)
  make(s, x)
  for _, method in ipairs { "rattle", "radau", "ida-ggl", "post-stabilized" } do
    local comparison = vida.compare { system = s, time = 1, methods = { { method, h = 0.1 } } }
    local result = comparison:run { quiet = true }
    assert(result[1].status == "NOT_SUPPORTED", result[1].status)
    assert(result[1].message:find(text, 1, true), result[1].message)
  end
end

refused("more than 10000 jumps", function(s, x) -- infinitely many before t = 0.50001
  s:force { "f", { { x, vida.where(vida.less(vida.sin(1 / (s.time - 0.50001)), 0), 1, 2) } } }
end)
refused("'f': a condition of time", function(s, x) -- 1 but for rounding
  s:force { "f", { { x, vida.where(vida.less(vida.sin(s.time) ^ 2 + vida.cos(s.time) ^ 2, 1), 1, 2) } } }
end)
refused("constraint 'rail' jumps by", function(s, x)
  s:constraint { "rail", x - vida.switch { s.time, at = { 0.437 }, values = { 0, 1 } }, unit = "m" }
end)

-- ---- drives that start at once -------------------------------------------------------------------

-- x = 2 (t - c) from c on; y on a spring at x. Between: y'' = -w^2 (y - x).
do
  local s = vida.system "drive"
  local x, v = s:coordinate { "x", unit = "m", value = 0, rate = 0 }
  local y, u = s:coordinate { "y", unit = "m", value = 0.5, rate = 0 }
  s:kinetic(v ^ 2 / 2 + u ^ 2 / 2)
  s:potential(10 * (y - x) ^ 2)
  s:constraint { "drive", x - 2 * vida.max(0, s.time - c), unit = "m" }
  local omega = math.sqrt(20)
  local function exact(t)
    if t <= c then
      return { positions = { x = 0, y = 0.5 * math.cos(omega * t) } }
    end
    local y_c, u_c, way = 0.5 * math.cos(omega * c), -0.5 * omega * math.sin(omega * c), t - c
    return { positions = { x = 2 * way, y = 2 * way + y_c * math.cos(omega * way) +
      (u_c - 2) / omega * math.sin(omega * way) } }
  end
  for _, method in ipairs { { "rattle", 2 }, { "radau", 5 }, { "compose", 4 }, { "post-stabilized", 4 },
    { "energy-momentum", 2 } } do
    local rows = run(s, exact, { method[1], h = { 0.02, 0.01 } })
    assert(rows[1].position_error / rows[2].position_error > 0.8 * 2 ^ method[2], method[1])
    assert(rows[2].message:find("velocities jump at t = 0.437 s", 1, true), rows[2].message)
  end
end

-- ---- drives that start at a jump -------------------------------------------------------------------

-- A crank of length 1 turns a rod of length 1, whose end slides along the x axis: with the crank at f, the
-- centres are at (cos f, sin f)/2 and (3 cos f, sin f)/2, and the angles are f and -f. Until the jump the
-- crank rests at 0, where the terms of its rows vanish and their violations are the rounding of other rows.
local function slider_crank(jump)
  local s = vida.system { "slider crank", dimension = 2 }
  local crank = s:body { "crank", mass = 1, inertia = 0.1, position = { 0.5, 0 } }
  local rod = s:body { "rod", mass = 1, inertia = 0.1, position = { 1.5, 0 } }
  s:revolute { "bearing", s.ground, crank, at = { 0, 0 } }
  s:revolute { "pin", crank, rod, at = { 1, 0 } }
  s:point_on_line { "guide", s.ground, rod:point { 0.5, 0 }, at = { 2, 0 }, axis = { 1, 0 } }
  s:drive { "motor", s.ground, crank, angle = function(t)
    return vida.switch { t, at = { jump }, values = { 0, 1 - vida.cos(3 * (t - jump)) } }
  end }
  return s
end

for _, jump in ipairs { 1 / 3, 0.37, 0.41, 0.5 } do
  for _, method in ipairs { { "coordinate-projection", h = 0.1 },
    { "coordinate-projection", h = 0.1, rtol = 1e-6 }, { "cvode-projected", h = 0.1, rtol = 1e-6 },
    { "cvode-projected", h = 0.001, rtol = 1e-6 } } do
    local stepper = slider_crank(jump):stepper(method)
    stepper:start()
    stepper:step(math.floor(0.8 / method.h + 0.5))
    local f = 1 - math.cos(3 * (0.8 - jump))
    local exact = { math.cos(f) / 2, math.sin(f) / 2, f, 1.5 * math.cos(f), math.sin(f) / 2, -f }
    for i, q in ipairs(stepper:positions()) do
      check.close(q, exact[i], 1e-13)
    end
  end
end

-- ---- references ----------------------------------------------------------------------------------

do
  local s = particle(0.2973, true)
  local result = vida.compare {
    system = s, time = 1, norm = "max", reference = "auto",
    methods = { { "radau", h = { 0.05, 0.025 } }, { "rattle-variable", h = 0.01 } },
  }:run { quiet = true }
  for i = 1, #result do
    assert(result[i].status == "ok", result[i].message)
    assert(result[i].multiplier_error < 1e-9, "of the side of the step: " .. result[i].multiplier_error)
  end
end

-- ---- mistakes ------------------------------------------------------------------------------------

local fails = check.fails_here
local s = vida.system "mistakes"
fails("vida.switch: expected a table such as", function() vida.switch(3) end)
fails("switch[1]: expected the time of a system", function() vida.switch { at = {}, values = { 1 } } end)
fails("switch.at: expected a list", function() vida.switch { s.time, values = { 1 } } end)
fails("times must increase, got 1 after 2",
  function() vida.switch { s.time, at = { 2, 1 }, values = { 1, 2, 3 } } end)
fails("values: expected 2 values for 1 times, got 1",
  function() vida.switch { s.time, at = { 1 }, values = { 1 } } end)
fails("unknown key 'as'", function() vida.switch { s.time, as = {}, values = { 1 } } end)

-- ---- what a jump does not change -------------------------------------------------------------------

-- The density of rattle-variable is 1 where the motion starts. A force on another particle that jumps
-- does not change the orbit, so as many steps are made with it as with a smooth one. That the density
-- became 1 again at the jump, at the fastest place of the orbit, halved the steps of the next turns.
local function count_work(value_of)
  local orbit = vida.system { "orbit", dimension = 2 }
  local planet = orbit:particle { "planet", mass = 1, position = { 1.8, 0 }, velocity = { 0, 1 / 3 } }
  local other = orbit:particle { "other", mass = 1, position = { 0, 5 } }
  orbit:potential { "sun", -1 / vida.norm(planet.position) }
  orbit:force { "push", { { other.x, value_of(orbit.time) } } }
  local comparison = vida.compare { system = orbit, time = 10, methods = { { "rattle-variable", h = 0.05 } } }
  return comparison:run({ quiet = true })[1].residual_evaluations
end
local smooth = count_work(function(t) return t end)
local jumping = count_work(function(t) return vida.where(vida.less(t, 3.14), 0, 1) end)
assert(math.abs(jumping - smooth) < 0.05 * smooth, ("%d and %d"):format(jumping, smooth))
