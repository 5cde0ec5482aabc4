#!/usr/bin/env bash
# vida check: momentum maps of two free bodies with every joint, spring, damper and drive between them. What acts
# between bodies changes no momentum of both; what holds to the ground or a plane does. And rows of velocities that are
# integrable.
# shellcheck source-path=SCRIPTDIR source=support.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/support.sh"

# Systems are named for what they have, and after a colon the maps that are expected.
cat >"$work/bodies.lua" <<'TEXT'
local vida = require "vida"
local list = {}

local function add(s)
  list[#list + 1] = vida.compare { system = s, time = 0.1, methods = { { "radau", h = 0.01 } } }
end

local at = { 0.2, 0.1, 0.3 }
local up = { 0, 0, 1 }
local all, plane = "L_x L_y L_z J_x J_y J_z", "L_x L_y J_z"

local in_space = {
  ball = function(s, a, b) s:ball { "j", a, b, at = at } end,
  revolute = function(s, a, b) s:revolute { "j", a, b, at = at, axis = up } end,
  universal = function(s, a, b) s:universal { "j", a, b, at = at, axis = { up, { 1, 0, 0 } } } end,
  cylindrical = function(s, a, b) s:cylindrical { "j", a, b, at = at, axis = up } end,
  prismatic = function(s, a, b) s:prismatic { "j", a, b, at = at, axis = up } end,
  weld = function(s, a, b) s:weld { "j", a, b } end,
  distance = function(s, a, b)
    s:distance { "j", a:point { 0.5, 0, 0 }, b:point { -0.5, 0, 0 }, length = function(t) return 1 + t ^ 2 end }
  end,
  drive = function(s, a, b)
    s:revolute { "j", a, b, at = at, axis = up }
    s:drive { "d", a, b, axis = up, angle = function(t) return t ^ 2 end }
  end,
  spring = function(s, a, b)
    s:spring { "j", a:point { 0.5, 0, 0 }, b:point { -0.5, 0, 0 }, length = 1, stiffness = 2 }
  end,
  damper = function(s, a, b) s:damper { "j", a:point { 0.5, 0, 0 }, b:point { -0.5, 0, 0 }, damping = 2 } end,
  drag = function(s, a, b)
    s:ball { "j", a, b, at = at }
    s:damper { "d", a:point(at), b:point(at), damping = 2, along = "velocity" }
  end,
  ["torsion spring"] = function(s, a, b) s:torsion_spring { "j", a, b, axis = up, stiffness = 2 } end,
  ["torsion damper"] = function(s, a, b) s:torsion_damper { "j", a, b, axis = up, damping = 2 } end,
  line = function(s, a, b) s:point_on_line { "j", a, b, at = at, axis = up } end,
  ["plane"] = function(s, a, b) s:point_on_plane { "j", a, b, at = at, normal = up } end,
  curve = function(s, a, b)
    s:point_on_curve { "j", a, b:point { 0.1, 0, 0 }, parameter = 0.1,
      curve = function(u) return { u, u ^ 2 - 0.01, 0 * u } end }
  end,
  -- Dissipation of the velocity of a place of one body, as the other body would carry it.
  ["drag in a body"] = function(s, a, b)
    local slip = a.velocity - b.velocity - vida.cross(b.angular_velocity, a.position - b.position)
    s:rayleigh(0.05 * vida.dot(slip, slip))
  end,
  -- A force and its reaction, told one by one.
  reaction = function(s, a, b)
    local gap = b.position - a.position
    s:force(a, gap)
    s:force(b, -gap)
  end,
}

local in_plane = {
  revolute = function(s, a, b) s:revolute { "j", a, b, at = { 0.2, 0.1 } } end,
  prismatic = function(s, a, b) s:prismatic { "j", a, b, at = { 0.2, 0.1 }, axis = { 0, 1 } } end,
  weld = function(s, a, b) s:weld { "j", a, b } end,
  drive = function(s, a, b)
    s:revolute { "j", a, b, at = { 0.2, 0.1 } }
    s:drive { "d", a, b, angle = function(t) return t ^ 2 end }
  end,
  spring = function(s, a, b) s:spring { "j", a:point { 0.5, 0 }, b:point { -0.5, 0 }, length = 1, stiffness = 2 } end,
  damper = function(s, a, b) s:damper { "j", a:point { 0.5, 0 }, b:point { -0.5, 0 }, damping = 2 } end,
  ["torsion spring"] = function(s, a, b) s:torsion_spring { "j", a, b, stiffness = 2 } end,
  ["torsion damper"] = function(s, a, b) s:torsion_damper { "j", a, b, damping = 2 } end,
  line = function(s, a, b) s:point_on_line { "j", a, b, at = { 0.2, 0.1 }, axis = { 0, 1 } } end,
}

local function two_bodies(as, title)
  local s = vida.system { title, dimension = as == "plane" and 2 or 3 }
  if as == "plane" then
    return s, s:body { "a", mass = 1, inertia = 0.3 }, s:body { "b", mass = 2, inertia = 0.5 }
  end
  return s, s:body { "a", as = as, mass = 1, inertia = { 0.3, 0.4, 0.5 } },
    s:body { "b", as = as, mass = 2, inertia = { 0.3, 0.4, 0.45 } }
end

for _, as in ipairs { "quaternion", "directors", "plane" } do
  for name, join in pairs(as == "plane" and in_plane or in_space) do
    local s, a, b = two_bodies(as, ("%s, %s: %s"):format(name, as, as == "plane" and plane or all))
    join(s, a, b)
    add(s)
  end
end

for _, as in ipairs { "quaternion", "directors" } do
  -- A ball joint leaves all turns about its place, gravity that about the vertical.
  local s, a, b = two_bodies(as, as .. " on the ground: J_z")
  s:gravity { 0, 0, -9.81 }
  s:ball { "foot", s.ground, a, at = { 0, 0, 0 } }
  s:ball { "neck", a, b, at = { 0, 0, 0 } }
  s:torsion_damper { "brake", a, b, axis = up, damping = 1 }
  add(s)
  s, a, b = two_bodies(as, as .. " with a brake on the ground: L_x L_y L_z J_x J_y")
  s:torsion_damper { "brake", s.ground, a, axis = up, damping = 1 }
  s:distance { "rod", a:point { 0, 0, 1 }, b:point { 0, 0, -1 }, length = 2 }
  add(s)
end

-- A force that is zero at t = 0 breaks what it acts along.
local s = vida.system { "pushed: L_y", dimension = 2 }
local bob = s:particle { "bob", mass = 1, position = { 1, 0 } }
s:force(bob, { vida.sin(s.time), 0 })
add(s)
return list
TEXT
expect 0 check "$work/bodies.lua"
awk '
  / coordinates?, [0-9]+ constraint row/ { title = $0; sub(/: [0-9]+ coord.*/, "", title)
    expected = title; sub(/.*: /, "", expected) }
  /^  constants at the start:/ { line = $0; sub(/.*start:/, "", line); gsub(/energy = [^,]*,?/, "", line)
    gsub(/ = [^,]*/, "", line); gsub(/,/, "", line); gsub(/ +/, " ", line); sub(/^ /, "", line); sub(/ $/, "", line)
    count++; if (line != expected) { print title ": got \"" line "\"" } }
  /not conserved: / && title ~ /L_x L_y (L_z J_x J_y )?J_z$/ { print title ": " $0 }
  END { if (count != 50) { print count " systems" } }' "$work/out" >"$work/wrong"
[[ ! -s $work/wrong ]] || complain "momentum maps: $(cat "$work/wrong")"

# Rows of velocities: derivatives of a place, with a factor or not, and in time; one that is not; two that are together
# (in three coordinates two rows always are). The first form that is no derivative is that of contact, dz - y dx.
cat >"$work/rows.lua" <<'TEXT'
local vida = require "vida"
local list = {}
local function new(name, rows)
  local s = vida.system { name, dimension = 2 }
  local x, vx = s:coordinate { "x", value = 1, rate = 0 }
  local y, vy = s:coordinate { "y", value = 0, rate = 0 }
  local z, vz = s:coordinate { "z", value = 0.5, rate = 0 }
  s:kinetic(0.5 * (vx ^ 2 + vy ^ 2 + vz ^ 2))
  for i, row in ipairs(rows(s, x, y, z, vx, vy, vz)) do
    s:nonholonomic { "row " .. i, row }
  end
  list[#list + 1] = vida.compare { system = s, time = 0.1, methods = { { "radau", h = 0.01 } } }
end
new("exact", function(_, x, y, _, vx, vy) return { x * vx + y * vy } end)
new("with a factor", function(_, x, y, z, vx, vy) return { vida.exp(z) * (x * vx + y * vy) } end)
new("in time", function(s, x, y, _, vx, vy) return { x * vx + y * vy - vida.sin(s.time) } end)
new("contact", function(_, _, y, _, vx, _, vz) return { vz - y * vx } end)
new("moved contact", function(_, _, y, _, vx) return { vx - y } end)
new("together", function(_, _, y, z, vx, vy, vz) return { vz - y * vx, vy - z * vx } end)
return list
TEXT
expect 0 check "$work/rows.lua"
awk '/: 3 coordinates/ { title = $0; sub(/:.*/, "", title) }
  /^warning: / { sub(/^warning: /, ""); sub(/: .*/, ""); print title ": " $0 }' "$work/out" >"$work/found"
diff "$work/found" - <<'TEXT' || complain "integrable rows"
exact: row 1
with a factor: row 1
in time: row 1
together: nonholonomic constraints
TEXT

# Four that break a symmetry are named, of five one is only counted.
for count in 4 5; do
  cat >"$work/broken.lua" <<TEXT
local vida = require "vida"
local s = vida.system { "held", dimension = 2 }
local p = s:particle { "p", mass = 1.0, position = { 1, 0.3 }, velocity = { 0.2, 0.4 } }
for i = 1, $count do
  s:potential { "V" .. i, p.x ^ (i + 1) + p.y }
end
return vida.compare { system = s, time = 1, methods = { { "rattle", h = 0.1 } } }
TEXT
  expect 0 check "$work/broken.lua"
  more=$( ((count == 4)) || echo " and 1 more")
  shows "note: L_x: not conserved: 'V1', 'V2', 'V3', 'V4'$more depend on where"
done

# The momenta that were found are kept by methods of both families.
cat >"$work/kept.lua" <<'TEXT'
local vida = require "vida"
local list = {}
for _, as in ipairs { "quaternion", "directors" } do
  local s = vida.system("braked " .. as)
  local a = s:body { "a", as = as, mass = 1, inertia = { 0.3, 0.4, 0.5 }, angular_velocity = { 1, 2, 3 } }
  local b = s:body { "b", as = as, mass = 2, inertia = { 0.3, 0.4, 0.45 }, position = { 1, 0, 0 } }
  s:torsion_damper { "brake", a, b, axis = { 0, 0, 1 }, damping = 0.5 }
  list[#list + 1] = vida.compare { system = s, time = 1,
    methods = { { "radau", h = 0.02 }, { "rattle", h = 0.02 }, { "ida-ggl", rtol = 1e-10 } } }
end
return list
TEXT
expect 0 run "$work/kept.lua" --format json
is_json "$work/out" '#value == 6 and (function()
  local bounds = { radau = 1e-9, rattle = 1e-14, ["ida-ggl"] = 1e-8 }
  for _, row in ipairs(value) do
    if not (row.momentum_error < bounds[row.method] and row.energy_change < -0.1) then
      return false
    end
  end
  return true
end)()'

finish
