-- vida.drift, and symplectic and reversibility defects as columns of a comparison: what rows, tables
-- and files hold, and which systems have no such defect.
local check = require "check"
local json = require "json"
local vida = require "vida"

local function oscillator(name)
  local s = vida.system(name)
  local x, v = s:coordinate { "x", unit = "m", value = 1, rate = 0 }
  s:lagrangian(0.5 * v^2 - 0.5 * x^2)
  return s, x, v
end

local function run(comparison)
  return comparison:run { quiet = true }
end

local optional = {
  "symplectic_noise", "reversibility_defect", "energy_drift_interval", "energy_oscillation", "momentum_drift",
  "momentum_drift_interval", "momentum_oscillation", "constraint_drift", "constraint_drift_interval",
  "constraint_oscillation", "shadow_energy_error", "shadow_energy_drift", "shadow_energy_drift_interval",
  "shadow_energy_oscillation",
}

-- Without the options nothing is measured and no output is longer.
local plain = run(vida.compare {
  system = oscillator "plain", time = 20, methods = { { "verlet", h = 0.1 } },
})
for _, name in ipairs(optional) do
  assert(plain[1][name] == nil, name)
end
local always = ",symplectic_defect,message,energy_change,work,work_error,constraint_integral"
assert(plain:csv():match("^[^\n]*"):sub(-#always) == always)
assert(not plain:table():find("drift per second", 1, true))
check.fails("did you mean 'reversibility_defect'?", function()
  return plain[1].reversability_defect
end)

-- A drift study is a comparison that tells slopes; defects are asked for beside it.
local methods = { { "verlet", h = 0.1 }, { "baumgarte", integrator = "rk4", h = 0.1 } }
local function study(jobs)
  return run(vida.drift {
    system = oscillator "drift", time = 400, symplectic = true, reversibility = true,
    jobs = jobs, methods = methods,
  })
end
local result = study(1)
local verlet, classical = result[1], result[2]
assert(math.abs(verlet.energy_drift) < verlet.energy_drift_interval)
assert(-classical.energy_drift > 10 * classical.energy_drift_interval)
assert(verlet.momentum_drift == nil and verlet.constraint_drift == nil)
assert(verlet.symplectic_defect < 1e-10 and verlet.reversibility_defect < 1e-12)
assert(classical.symplectic_defect > 1e-7 and classical.symplectic_noise < 1e-9)

local text = result:table(100)
for _, wanted in ipairs { "symplectic", "reversal", "drift per second with its 95 % confidence (* not zero)",
  "baumgarte h=0.1 integrator=rk4 +%*%-%d", "energy, J +drift +oscillation" } do
  assert(text:find(wanted, 1, not wanted:find "%+") , wanted)
end
assert(not text:find("constraints, m", 1, true), "a system without constraints")

-- In files they follow the other columns.
assert(result:csv():match("^[^\n]*") == plain:csv():match("^[^\n]*") .. "," .. table.concat(optional, ","))
local rows = json.read(result:json())
check.close(rows[2].energy_drift_interval, classical.energy_drift_interval, 0)
assert(rows[1].momentum_drift == json.null)

-- Too few steps for a confidence: said, and the slope is told all the same.
local short = run(vida.drift {
  system = oscillator "short", time = 5, methods = { { "verlet", h = 0.1 } },
})[1]
assert(short.energy_drift_interval == nil and short.energy_drift)
assert(short.message:find("fewer than 128 states", 1, true), short.message)

-- Several runs at once measure the same, bit for bit.
local together = study(2)
for i = 1, #result do
  for _, name in ipairs(optional) do
    assert(result[i][name] == together[i][name], name)
  end
end

-- Under a force nothing keeps a form, and a damper is not reversible; nor does what depends on
-- time. The row says so.
local function defects_of(system, method, reference)
  local all = run(vida.compare {
    system = system, time = 20, symplectic = true, reversibility = true, reference = reference,
    methods = { { method, h = 0.1 } },
  })
  return all[1], all
end

local damped, _, rate_of_damped = oscillator "damped"
damped:rayleigh(0.05 * rate_of_damped^2)
local row = defects_of(damped, "rattle")
assert(row.symplectic_defect == nil and row.reversibility_defect == nil and row.status == "ok")
assert(row.message:find("no symplectic defect", 1, true))
assert(row.message:find("no reversibility defect", 1, true))

-- The remark that the table shows as a mark stays the last one, and hides none.
local function nowhere()
  return { positions = { 0 } }
end
local _, all = defects_of(damped, "rattle", { exact = nowhere, name = "nowhere", error = 10 })
assert(all[1].message:find "; position error is below the reference's own estimated error 10$")
assert(all:table():find("no reversibility defect", 1, true))

local driven = vida.system "driven"
local place, speed = driven:coordinate { "x", unit = "m", value = 1, rate = 0 }
driven:lagrangian(0.5 * speed^2 - 0.5 * place^2 + place * vida.sin(0.3 * driven.time))
row = defects_of(driven, "del-midpoint")
assert(row.symplectic_defect < 1e-10, "a driven system keeps its form")
assert(row.reversibility_defect == nil and row.message:find("is not reversible", 1, true), row.message)

-- Angles beside lengths, from rest.
local arm = vida.system "arm"
arm:gravity { 0, 0, -9.81 }
local bob = arm:particle { "bob", mass = 1, position = { 1, 0, 0 } }
local angle, rate = arm:coordinate { "angle", unit = "rad", value = 0, rate = 0 }
arm:lagrangian(0.5 * 1e-3 * rate^2 + 0.02 * vida.cos(angle - 0.5))
arm:distance { "rod", arm.ground, bob, length = 1 }
row = defects_of(arm, "del-midpoint")
assert(row.symplectic_defect < 1e-8 and row.reversibility_defect < 1e-11, row.message)

-- Values are checked.
check.fails_here("defect_steps", function()
  vida.compare {
    system = oscillator "wrong", time = 1, defect_steps = 0, methods = { { "verlet", h = 0.1 } },
  }
end)

-- A long chain of short links: differences take a shift that the links allow.
local chain = vida.system { "chain", dimension = 2 }
chain:gravity { 0, -9.81 }
local last = chain.ground
for i = 1, 300 do
  local link = chain:particle { "p" .. i, mass = 1, position = { 0.06 * i, -0.08 * i } }
  chain:distance { "r" .. i, last, link, length = 0.1 }
  last = link
end
row = run(vida.compare {
  system = chain, time = 0.01, symplectic = true, defect_steps = 2, methods = { { "rattle", h = 1e-4 } },
})[1]
assert(row.symplectic_defect and row.symplectic_defect < 1e-6 and row.message == "", row.message)
