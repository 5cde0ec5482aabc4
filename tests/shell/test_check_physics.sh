#!/usr/bin/env bash
# vida check: starts from which there is no motion, and slip velocities that do not belong to their gaps.
# shellcheck source-path=SCRIPTDIR source=support.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/support.sh"

# A linear molecule of three rods whose middle atom leaves the line: rods of 1, 1 and 2 on a line satisfy
# g = 0 to first order only, and no method starts there (openmm #3895). At rest there is a motion.
script molecule <<'TEXT'
local vida = require "vida"
local speed = vida.setting { "speed", 0.3 }
local s = vida.system { "CO2", dimension = 3 }
local left = s:particle { "O1", mass = 16, position = { -1, 0, 0 }, velocity = { 0, speed, 0 } }
local c = s:particle { "C", mass = 12, position = { 0, 0, 0 } }
local right = s:particle { "O2", mass = 16, position = { 1, 0, 0 }, velocity = { 0, speed, 0 } }
s:distance { "C=O1", left, c, length = 1 }
s:distance { "C=O2", c, right, length = 1 }
s:distance { "O=O", left, right, length = 2 }
return vida.compare { system = s, time = 0.1, methods = { { "radau", h = 0.01 } } }
TEXT
expect 1 check "$work/molecule.lua"
shows "error: start: no method can start there"
shows "singular configuration"
shows "1 error"
expect 1 run "$work/molecule.lua"
expect 0 check "$work/molecule.lua" --set speed=0
shows "0 errors"
expect 0 run "$work/molecule.lua" --set speed=0

# Friction acts along the tangent, with at most mu times the normal force: the slip velocity of a particle
# is orthogonal to the gradient of the gap and has its length. A belt moves along the tangent, too.
script slips <<'TEXT'
local vida = require "vida"
local kind = vida.setting { "kind", "tangent" }
local s = vida.system { "slips", dimension = 2 }
local cosine, sine = 0.8, 0.6
local p = s:particle { "p", mass = 1, position = { 0.3, 1 } }
local tangent, normal = cosine * p.vx - sine * p.vy, sine * p.vx + cosine * p.vy
local slips = { tangent = tangent, opposite = -tangent, belt = tangent - 3, double = 2 * tangent, x = p.vx,
  normal = normal, tilted = tangent + 1e-3 * normal }
s:contact { "plane", gap = sine * p.x + cosine * p.y, friction = 0.3, slip = slips[kind] }
return vida.compare { system = s, time = 0.1, methods = { { "rattle", h = 0.01 } } }
TEXT
for kind in tangent opposite belt; do
  expect 0 check "$work/slips.lua" --set kind=$kind
  shows "0 errors, 0 warnings"
done
for kind in x normal tilted; do
  expect 1 check "$work/slips.lua" --set kind=$kind
  shows "error: plane: its slip velocity is not along the tangent"
done
expect 0 check "$work/slips.lua" --set kind=double
shows "warning: plane: its slip velocity is 2 times"

# Right ones on bodies, whose points of contact move otherwise than their centres: a disc on a floor, two
# discs, the corner of a block, a bead on a parabola, whose slip is that of the contact only there, and a
# ball on a table with two components. Each with a factor that makes it wrong.
script right <<'TEXT'
local vida = require "vida"
local factor = vida.setting { "factor", 1 }
local s = vida.system { "right", dimension = 2 }
local r = 0.5
local a = s:body { "a", mass = 1, inertia = 0.1, position = { 0, 0.6 } }
local b = s:body { "b", mass = 1, inertia = 0.1, position = { 0.7, 1.5 } }
s:contact { "floor", gap = a.position[2] - r, friction = 0.3,
  slip = a.velocity[1] + factor * r * a.angular_velocity }
local dx, dy = b.position[1] - a.position[1], b.position[2] - a.position[2]
local distance = vida.sqrt(dx ^ 2 + dy ^ 2)
local tx, ty = -dy / distance, dx / distance
s:contact { "discs", gap = distance - 2 * r, friction = 0.3,
  slip = tx * (b.velocity[1] - a.velocity[1]) + factor * ty * (b.velocity[2] - a.velocity[2])
    - r * (a.angular_velocity + b.angular_velocity) }
local corner = b:point { 0.4, -0.3 }
s:contact { "corner", gap = corner.position[2], friction = 0.3, slip = factor * corner.velocity[1] }
local bead = s:particle { "bead", mass = 1, position = { 0.5, 0.4 } }
local rise = bead.x
s:contact { "parabola", gap = (bead.y - bead.x ^ 2 / 2) / vida.sqrt(1 + rise ^ 2), friction = 0.3,
  slip = (bead.vx + factor * rise * bead.vy) / vida.sqrt(1 + rise ^ 2) }
return vida.compare { system = s, time = 0.01, methods = { { "radau", h = 0.01 } } }
TEXT
expect 0 check "$work/right.lua"
shows "0 errors, 0 warnings"
expect 1 check "$work/right.lua" --set factor=1.5
shows "error: discs: its slip velocity is not along the tangent"
shows "warning: corner: its slip velocity is 1.5 times"
shows "error: parabola: its slip velocity is not along the tangent"

finish
