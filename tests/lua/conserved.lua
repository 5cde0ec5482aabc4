-- Systems of coordinates and formulas, for tests that compute what is conserved by hand. Units: kg, m, s.
local vida = require "vida"

local conserved = {}

-- The double four-bar of Metis' kind: five bars of 1 m and 1 kg as plane directors with 29 constraints and
-- one degree of freedom; bars 1, 3 and 5 turn about the ground with the same angle. `push`: the speed of the
-- upper pins, m/s. The gravity g along -y is that of bars that stand; with g < 0 they hang.
function conserved.double_four_bar(g, push)
  local s = vida.system { "double four-bar", dimension = 2 }
  local bars = {}
  local function coordinate(name, value, rate, mass)
    local q, v = s:coordinate { name, value = value, rate = rate }
    s:kinetic { name .. ": energy", mass / 2 * v ^ 2 }
    return q
  end
  for i, b in ipairs { { 0, 0.5, 0, 1 }, { 0.5, 1, 1, 0 }, { 1, 0.5, 0, -1 },
    { 1.5, 1, 1, 0 }, { 2, 0.5, 0, -1 } } do
    local turn = b[4] ~= 0 and -push or 0
    local x, y = coordinate(i .. ".x", b[1], push * b[2], 1), coordinate(i .. ".y", b[2], 0, 1)
    local cx = coordinate(i .. ".d1x", b[3], -turn * b[4], 1 / 24)
    local cy = coordinate(i .. ".d1y", b[4], turn * b[3], 1 / 24)
    local ex = coordinate(i .. ".d2x", -b[4], -turn * b[3], 1 / 24)
    local ey = coordinate(i .. ".d2y", b[3], -turn * b[4], 1 / 24)
    s:potential(g * y)
    s:constraint { i .. ": d1", (cx ^ 2 + cy ^ 2 - 1) / 2 }
    s:constraint { i .. ": d2", (ex ^ 2 + ey ^ 2 - 1) / 2 }
    s:constraint { i .. ": d1 d2", cx * ex + cy * ey }
    bars[i] = function(sign) return { x + sign / 2 * cx, y + sign / 2 * cy } end
  end
  local pins = { { bars[1](-1), { 0, 0 } }, { bars[3](1), { 1, 0 } }, { bars[5](1), { 2, 0 } },
    { bars[1](1), bars[2](-1) }, { bars[2](1), bars[3](-1) }, { bars[2](1), bars[4](-1) },
    { bars[4](1), bars[5](-1) } }
  for k, pin in ipairs(pins) do
    s:constraint { "pin " .. k .. ".x", pin[1][1] - pin[2][1] }
    s:constraint { "pin " .. k .. ".y", pin[1][2] - pin[2][2] }
  end
  return s
end

-- A fast top with the moments 0.6, 0.6, 0.25 about its fixed point, m g l = 12, tilted by 0.4 rad: its unit
-- quaternion alone, T = omega J omega / 2 with omega = 2 q* q' in the body, singular in the rates.
local top = { moments = { 0.6, 0.6, 0.25 }, weight = 12, spin = 80, tilt = 0.4 }
conserved.top = top

-- The angular velocity in the body: of numbers, or of formulas.
function top.turn(q, v)
  local w, x, y, z = q[1], q[2], q[3], q[4]
  return { 2 * (w * v[2] - x * v[1] - y * v[4] + z * v[3]), 2 * (w * v[3] + x * v[4] - y * v[1] - z * v[2]),
    2 * (w * v[4] - x * v[3] + y * v[2] - z * v[1]) }
end

function top.potential(q)
  return top.weight * (q[1] ^ 2 - q[2] ^ 2 - q[3] ^ 2 + q[4] ^ 2)
end

function top.make()
  local s = vida.system "top"
  local cos, sin, q, v = math.cos(top.tilt / 2), math.sin(top.tilt / 2), {}, {}
  q[1], v[1] = s:coordinate { "w", value = cos, rate = 0 }
  q[2], v[2] = s:coordinate { "x", value = sin, rate = 0 }
  q[3], v[3] = s:coordinate { "y", value = 0, rate = -sin * top.spin / 2 }
  q[4], v[4] = s:coordinate { "z", value = 0, rate = cos * top.spin / 2 }
  local turn, kinetic = top.turn(q, v), 0
  for i = 1, 3 do
    kinetic = kinetic + top.moments[i] / 2 * turn[i] ^ 2
  end
  s:lagrangian { "top", kinetic - top.potential(q) }
  s:constraint { "unit", q[1] ^ 2 + q[2] ^ 2 + q[3] ^ 2 + q[4] ^ 2 - 1 }
  return s
end

return conserved
