-- Observables without a value: the row says which, at how many output states, and since when.
local vida = require "vida"
local json = require "json"

local g, h = 9.81, 1 / 128
local s = vida.system { "fall", dimension = 2 }
s:gravity { 0, -g }
local stone = s:particle { "stone", mass = 1, position = { 0, 1 }, velocity = { 0.5, 0 } }
s:observe { "root", vida.sqrt(stone.y), unit = "m" }
s:observe { "quotient", 1 / (stone.x - 0.25), unit = "1/m" }
s:observe { "height", stone.y, unit = "m" }
local comparison = vida.compare { system = s, time = 1,
  methods = { { "verlet", h = h }, { "rattle", h = h }, { "radau", rtol = 1e-8, h = h } } }
local result = comparison:run { quiet = true }

-- The height 1 - g t^2 / 2 is negative from t = sqrt(2 / g) on; x = t / 2 is 1/4 at t = 1/2 alone.
local first = math.ceil(math.sqrt(2 / g) / h)
local texts = {}
for i, row in ipairs(result) do
  assert(row.status == "ok")
  local found = {}
  for _, remark in ipairs(row.remarks) do
    if remark.code == "NO_OBSERVABLE" then
      found[remark.name] = remark
      texts[#texts + 1] = remark.text
    end
  end
  assert(found.root and found.root.count == 128 - first + 1, row.message)
  assert(math.abs(found.root.t - first * h) < 1e-12 and found.root.severity == "warning")
  assert(not found.height)
  if i < 3 then -- radau has x but for its rounding
    assert(found.quotient and found.quotient.count == 1 and found.quotient.t == 0.5, row.message)
  end
end
assert(texts[1]:find("observable 'root' has no finite value at 71 output states, first at t = 0.453125 s", 1,
  true), texts[1])

-- In the files, too; the cells are empty.
local folder = os.tmpname()
os.remove(folder)
result:write(folder)
local function content(name)
  local file <close> = assert(io.open(folder .. "/" .. name, "rb"))
  return file:read "a"
end
for _, name in ipairs { "comparison.csv", "comparison.json", "report.json" } do
  assert(content(name):find("observable 'root' has no finite value", 1, true), name)
end
assert(#json.read(content "report.json").studies[1].runs == 3)
result:report(folder .. "/page.html")
assert(content("page.html"):find("observable 'root' has no finite value", 1, true))
os.execute("rm -r '" .. folder .. "'")

-- Values that there are give no remark.
local fine = vida.system { "fall", dimension = 2 }
fine:gravity { 0, -g }
stone = fine:particle { "stone", mass = 1, position = { 0, 1 } }
fine:observe { "height", stone.y, unit = "m" }
for _, row in ipairs(vida.compare { system = fine, time = 1, methods = { { "verlet", h = h } } }
  :run { quiet = true }) do
  assert(#row.remarks == 0, row.message)
end
