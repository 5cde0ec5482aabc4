#!/usr/bin/env bash
# vida check: the momentum maps and the degrees of freedom of a system are those of its geometry. They are the same in
# all units of length, mass and time, and far from the origin of space. What is expected is known: free systems keep all
# six momenta (in the plane three), gravity and a support at the origin leave J_z, mechanisms on the ground none; degrees
# of freedom are those of textbooks (a four-bar linkage 1, RSSR with two balls 2, with a universal joint 1). A plane
# linkage of n bodies in space that move together says 3 things too often: its 5 (n + 1) + n rows have the rank 7 n - 1.
# shellcheck source-path=SCRIPTDIR source=support.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/support.sh"

# Systems are named for what they have, and after colons the degrees of freedom and the maps that are expected.
cat >"$work/units.lua" <<'TEXT'
local vida = require "vida"
local list = {}
local all, none = "L_x L_y L_z J_x J_y J_z", ""

-- A body is given by its place, the inertia by half axes of an ellipsoid.
local function body(s, u, name, mass, place, axes)
  local a, b, c = axes[1] ^ 2, axes[2] ^ 2, axes[3] ^ 2
  local unit = mass * u.M * u.L ^ 2 / 5
  return s:body { name, mass = mass * u.M, inertia = { unit * (b + c), unit * (a + c), unit * (a + b) },
    position = u.at(place) }
end

local function pull(s, u, direction)
  local g = {}
  for i, d in ipairs(direction) do
    g[i] = d * u.L / u.T ^ 2
  end
  s:gravity(g)
end

local function two_bodies(s, u)
  return body(s, u, "a", 1, { 0.5, 0, 0 }, { 1, 0.7, 0.4 }), body(s, u, "b", 2, { 1.5, 0.2, 0 }, { 0.9, 0.8, 0.5 })
end

local mechanisms = {
  { "ball", 9, all, 3, function(s, u)
    local a, b = two_bodies(s, u)
    s:ball { "j", a, b, at = u.at { 1, 0, 0 } }
  end },
  { "revolute", 7, all, 3, function(s, u)
    local a, b = two_bodies(s, u)
    s:revolute { "j", a, b, at = u.at { 1, 0, 0 }, axis = { 0, 0, 1 } }
  end },
  { "plane", 4, "L_x L_y J_z", 2, function(s, u)
    local unit = u.M * u.L ^ 2
    local a = s:body { "a", mass = u.M, inertia = 0.1 * unit, position = u.at { 0.5, 0 } }
    local b = s:body { "b", mass = 2 * u.M, inertia = 0.2 * unit, position = u.at { 1.5, 0.1 } }
    s:revolute { "j", a, b, at = u.at { 1, 0 } }
  end },
  { "top", 3, "J_z", 3, function(s, u)
    pull(s, u, { 0, 0, -9.81 })
    s:ball { "foot", s.ground, body(s, u, "top", 15, { 0, 0.6, 0.8 }, { 0.4, 0.4, 0.1 }), at = u.at { 0, 0, 0 } }
  end, "-1e+06 L_y + J_z" },
  { "two on the ground", 5, "J_z", 3, function(s, u)
    local a, b = two_bodies(s, u)
    pull(s, u, { 0, 0, -9.81 })
    s:ball { "foot", s.ground, a, at = u.at { 0, 0, 0 } }
    s:universal { "neck", a, b, at = u.at { 1, 0, 0 }, axis = { { 0, 1, 0 }, { 0, 0, 1 } } }
  end, "-1e+06 L_y + J_z" },
  { "chain", 6, "J_z", 3, function(s, u)
    pull(s, u, { 0, 0, -9.81 })
    local last = s:anchor(u.at { 0, 0, 0 })
    for i = 1, 3 do
      local next = s:particle { "p" .. i, mass = i * u.M, position = u.at { 0.6 * i, 0, -0.8 * i } }
      s:distance { "rod" .. i, last, next, length = u.L }
      last = next
    end
  end, "-1e+06 L_y + J_z" },
  { "four-bar", 1, none, 3, function(s, u)
    pull(s, u, { 0.3, -9.81, 0 })
    local axes, z = { 0.5, 0.05, 0.05 }, { 0, 0, 1 }
    local crank = body(s, u, "crank", 1, { 0.15, 0.2, 0 }, axes)
    local coupler = body(s, u, "coupler", 2, { 0.7, 0.6, 0 }, axes)
    local rocker = body(s, u, "rocker", 1.5, { 1.05, 0.4, 0 }, axes)
    s:revolute { "A", s.ground, crank, at = u.at { 0, 0, 0 }, axis = z }
    s:revolute { "B", crank, coupler, at = u.at { 0.3, 0.4, 0 }, axis = z }
    s:revolute { "C", coupler, rocker, at = u.at { 1.1, 0.8, 0 }, axis = z }
    s:revolute { "D", s.ground, rocker, at = u.at { 1, 0, 0 }, axis = z }
  end },
}

for _, joint in ipairs { "ball", "universal" } do
  mechanisms[#mechanisms + 1] = { "RSSR " .. joint, joint == "ball" and 2 or 1, none, 3, function(s, u)
    pull(s, u, { 0.3, -9.81, 0.1 })
    local crank = body(s, u, "crank", 1, { 0.1, 0.2, 0 }, { 0.1, 0.3, 0.1 })
    local coupler = body(s, u, "coupler", 2, { 0.6, 0.5, 0.2 }, { 0.5, 0.1, 0.2 })
    local rocker = body(s, u, "rocker", 1.5, { 1, 0.3, 0.4 }, { 0.1, 0.3, 0.1 })
    s:revolute { "A", s.ground, crank, at = u.at { 0, 0, 0 }, axis = { 0, 0, 1 } }
    s[joint](s, { "B", crank, coupler, at = u.at { 0.2, 0.4, 0 },
      axis = joint == "universal" and { { 0, 1, 0 }, { 0, 0, 1 } } or nil })
    s:ball { "C", coupler, rocker, at = u.at { 1, 0.6, 0.4 } }
    s:revolute { "D", s.ground, rocker, at = u.at { 1, 0, 0.4 }, axis = { 1, 0, 0.2 } }
  end }
end

-- A Lagrangian of one term: in no unit of time may its potential or its masses hide the other.
mechanisms[#mechanisms + 1] = { "one term", 4, "L_y", 2, function(s, u)
  local a = s:particle { "a", mass = u.M, position = u.at { 1, 0 } }
  local b = s:particle { "b", mass = u.M, position = u.at { 2, 0.5 } }
  local x, wave = (a.x - u.at({ 0, 0 })[1]) / u.L, u.M * (u.L / u.T) ^ 2
  s:lagrangian(0.5 * u.M * ((a.vx - b.vx) ^ 2 + 2 * (a.vy - b.vy) ^ 2) - wave * vida.sin(x))
end }

local function add(case, u, expected)
  local name, freedom, _, dimension, build = table.unpack(case)
  local s = vida.system { ("%s, %g m, %g kg, %g s, at %g: %d: %s"):format(name, u.L, u.M, u.T, u.X, freedom, expected),
    dimension = dimension }
  u.at = function(place)
    local moved = {}
    for i, x in ipairs(place) do
      moved[i] = x * u.L + (i == 1 and u.X * u.L or 0)
    end
    return moved
  end
  build(s, u)
  list[#list + 1] = vida.compare { system = s, time = u.T, methods = { { "rattle", h = 0.02 * u.T } } }
end

for _, case in ipairs(mechanisms) do
  local function sweep(key, exponents)
    for _, e in ipairs(exponents) do
      local u = { L = 1, M = 1, T = 1, X = 0 }
      u[key] = 10.0 ^ e
      add(case, u, case[3])
    end
  end
  sweep("L", { -9, -8, -6, -3, 0, 1, 2, 3, 6, 9 })
  sweep("M", { -12, -6, 6, 12 })
  sweep("T", { -6, -3, 3, 6 })
  add(case, { L = 1e-9, M = 1e-12, T = 1e-6, X = 0 }, case[3])
  add(case, { L = 1e9, M = 1e12, T = 1e6, X = 0 }, case[3])
  add(case, { L = 1, M = 1, T = 1, X = 1e6 }, case[6] or case[3])
end
return list
TEXT
expect 0 check "$work/units.lua"
awk '
  / coordinates?, [0-9]+ constraint row/ { title = $0; sub(/: [0-9]+ coord.*/, "", title)
    split(title, part, ": ?") }
  /^  degrees of freedom:/ { freedom = $4
    freedoms[title] = freedom
    if (freedom != part[2]) { print title ": got " freedom " degrees of freedom" } }
  /^  constants at the start:/ { line = $0; sub(/.*start:/, "", line); gsub(/energy = [^,]*,?/, "", line)
    gsub(/ = [^,]*/, "", line); gsub(/,/, "", line); gsub(/ +/, " ", line); sub(/^ /, "", line); sub(/ $/, "", line)
    count++; if (line != part[3]) { print title ": got \"" line "\"" } }
  /it is redundant/ { redundant[title]++ }
  END { for (title in freedoms) { if (redundant[title] + 0 != (title ~ /^four-bar/ ? 3 : 0)) {
      print title ": " redundant[title] + 0 " redundant rows" } }
    if (count != 210) { print count " systems" } }' "$work/out" >"$work/wrong"
[[ ! -s $work/wrong ]] || complain "in other units: $(cat "$work/wrong")"
finish
