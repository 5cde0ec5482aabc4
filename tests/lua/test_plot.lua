-- result:plot draws pictures of results in a folder, or says that there is no gnuplot.
local check = require "check"
local vida = require "vida"

local folder = os.tmpname()
os.remove(folder)

local function compare()
  return vida.compare {
    system = (check.plain_pendulum()),
    time = 1,
    reference = { "rattle", h = 0.01 },
    methods = { { "rattle", h = { 0.1, 0.05 } }, { "del-midpoint", h = 0.1 } },
  }
end

local function read(path)
  local file = io.open(path, "r")
  local text = file and file:read "a"
  if file then
    file:close()
  end
  return text
end

local result = compare():run { quiet = true, out = folder }

local function refuses(text, wishes)
  check.fails_here(text, function()
    result:plot(wishes)
  end)
end

local drawn, message = result:plot { kind = "energy" }
if not drawn then
  assert(message:find("gnuplot is not there", 1, true), message)
else
  local energy = read(folder .. "/plots/energy.svg")
  assert(energy:find("rattle", 1, true) and energy:find("del-midpoint", 1, true))
  assert(result:plot {
    kind = "phase", file = folder .. "/portrait.svg", methods = { "rattle" }, h = 0.05,
    columns = { "bob.x" }, from = 0, to = 0.5, title = "a portrait",
  })
  local portrait = read(folder .. "/portrait.svg")
  assert(portrait:find("a portrait", 1, true) and portrait:find("bob.x", 1, true))
  assert(not portrait:find("bob.y", 1, true) and not portrait:find("del-midpoint", 1, true))
  assert(result:plot { kind = "convergence", file = folder .. "/errors.png" })
  assert(read(folder .. "/errors.png"):sub(2, 4) == "PNG")
  refuses("no column 'w'", { kind = "time", columns = { "w" } })
  refuses("there is nothing to draw", { kind = "momentum" })
end

refuses("no kind of picture 'enrgy'; did you mean 'energy'?", { kind = "enrgy" })
refuses("plot.file: expected a name that ends in .svg or .png", { kind = "energy", file = "energy.pdf" })
refuses("expected a kind", {})
refuses("did you mean 'columns'?", { kind = "time", colums = {} })
check.fails_here("run the comparison with", function()
  compare():run({ quiet = true }):plot { kind = "energy" }
end)
