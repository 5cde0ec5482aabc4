-- Writes the pages of the guide, as Doxygen reads them, into a folder:
--
--   lua fill.lua PAGES COMMAND SCENARIOS OUT
--
-- with the folder of the pages, the command `vida`, the folder of the scenarios. A line {{name ...}} of
-- a page is replaced by what directives.name makes of the rest of it, so that what the library or a
-- run can tell is written nowhere by hand; code that begins with ```lua run is run, with what it prints
-- behind it; and each method gets a page of its own.
local vida = require "vida"
local pages, command, scenarios, out = table.unpack(arg)

package.path = scenarios .. "/?.lua;" .. package.path

-- ---- text ----------------------------------------------------------------------------------------

-- Doxygen takes some characters for its own.
local function plain(text)
  return (text:gsub("[<>\\@#|*_]", "\\%0"):gsub("%-%-", "\\--"))
end

local function add_row(lines, cells)
  lines[#lines + 1] = "| " .. table.concat(cells, " | ") .. " |"
end

local function new_table(titles)
  local lines, rule = {}, {}
  for i = 1, #titles do
    rule[i] = "---"
  end
  add_row(lines, titles)
  add_row(lines, rule)
  return lines
end

local function read(path)
  local file <close> = assert(io.open(path, "r"))
  return file:read "a"
end

local function write(name, text)
  local file <close> = assert(io.open(out .. "/" .. name, "w"))
  assert(file:write(text))
end

-- What the command prints.
local function output_of(arguments)
  local pipe = assert(io.popen(("'%s' %s"):format(command, arguments)))
  local text = pipe:read "a"
  assert(pipe:close(), ("'vida %s' failed"):format(arguments))
  return text
end

-- ---- methods -------------------------------------------------------------------------------------

local function anchor(method)
  return "method_" .. method:gsub("%-", "_")
end

local function link(method)
  return ("@ref %s \"%s\""):format(anchor(method), method)
end

-- What an option takes, and its default.
local function describe_values(option)
  local kinds = { boolean = "true or false", integer = "integer", number = "number",
    ["number by coordinate"] = "number, or numbers by coordinate" }
  local text = option.choices and table.concat(option.choices, ", ") or kinds[option.type]
  return plain(option.unit ~= "" and option.unit ~= "1" and ("%s (%s)"):format(text, option.unit) or text)
end

local function describe_default(option)
  local value = option.default
  if value == nil then
    return ""
  end
  return plain(math.type(value) == "float" and ("%.10g"):format(value) or tostring(value))
end

local function option_table(options)
  local lines = new_table { "option", "values", "default", "what it is" }
  for _, option in ipairs(options) do
    add_row(lines, { ("`%s`"):format(option.name), describe_values(option), describe_default(option),
      plain(option.text) })
  end
  return table.concat(lines, "\n")
end

local function write_method(method)
  local lines = {
    ("# %s {#%s}\n"):format(method.name, anchor(method.name)), plain(method.title) .. ".\n",
    "- Source: " .. plain(method.equation),
    ("- Order: %d, of positions on constrained systems with the default options"):format(method.order),
    "- Limits: " .. plain(method.limits) .. "\n",
    "What it claims, which `vida audit " .. method.name .. "` measures:\n",
  }
  for _, claim in ipairs(method.capabilities) do
    lines[#lines + 1] = "- " .. plain(claim)
  end
  lines[#lines + 1] = "\n## Options\n\n" .. option_table(method.options) .. "\n"
  write(anchor(method.name) .. ".md", table.concat(lines, "\n"))
end

-- ---- runs of scenarios ---------------------------------------------------------------------------

local results = {}

-- The result of comparison number `index` of a scenario.
local function result_of(name, index)
  local key = name .. " " .. index
  if not results[key] then
    local given = dofile(("%s/%s.lua"):format(scenarios, name))
    results[key] = (type(given) == "table" and given[index] or given):run { quiet = true }
  end
  return results[key]
end

local columns = {
  step = { "h, s", function(row) return row.h and ("%.4g"):format(row.h) or "" end },
  tolerance = { "rtol", function(row) return row.rtol and ("%.0e"):format(row.rtol) or "" end },
  time = { "time a step, us", function(row) return ("%.3g"):format(1e6 * row.wall_s / row.steps) end },
  steps = { "steps", function(row) return tostring(row.steps) end },
  reached = { "reached, s", function(row) return ("%.4g"):format(row.t_end) end },
  status = { "status", function(row) return row.status end },
}

local function column(name)
  return columns[name] or { name:gsub("_", " "), function(row)
    return row[name] and ("%.1e"):format(row[name]) or ""
  end }
end

-- Whether a run is what words such as "rattle h=0.01 stages=4" say.
local function is_meant(row, words)
  local options = " " .. row.options .. " "
  for word in words:gmatch "%S+" do
    local key, value = word:match "^([%w_]+)=(.*)$"
    local is_same = not key and row.method == word
      or (key == "h" or key == "rtol") and row[key] and math.abs(row[key] / tonumber(value) - 1) < 1e-9
      or key and options:find(" " .. word .. " ", 1, true)
    if not is_same then
      return false
    end
  end
  return true
end

local function source(name, index)
  return ("\n(`scenarios/run %s`%s)"):format(name, index > 1 and ", comparison " .. index or "")
end

-- ---- directives ----------------------------------------------------------------------------------

local directives = {}

function directives.methods()
  local lines = new_table { "method", "what it is", "order", "limits" }
  for _, method in ipairs(vida.methods()) do
    write_method(method)
    add_row(lines, { link(method.name), plain(method.title), tostring(method.order), plain(method.limits) })
  end
  return table.concat(lines, "\n")
end

function directives.method_pages()
  local lines = {}
  for i, method in ipairs(vida.methods()) do
    lines[i] = "- @subpage " .. anchor(method.name)
  end
  return table.concat(lines, "\n")
end

function directives.comparison_options()
  return option_table(vida.comparison_options())
end

-- The table of measured properties; names become links.
function directives.audit()
  local text = output_of "audit --format markdown"
  return (text:gsub("\n| `([%w%-]+)`", function(name) return "\n| " .. link(name) end))
end

-- {{measured SCENARIO [NUMBER]: METHOD key=value; ... | column column ...}}: a line for each run
function directives.measured(rest)
  local name, index, runs, shown = rest:match "^([%w_]+)%s*(%d*):%s*(.-)%s*|%s*(.-)$"
  index = tonumber(index) or 1
  local titles = { "method" }
  for word in shown:gmatch "%S+" do
    titles[#titles + 1] = column(word)[1]
  end
  local lines = new_table(titles)
  for words in runs:gmatch "[^;]+" do
    local found = false
    for _, row in ipairs(result_of(name, index)) do
      if is_meant(row, words) then
        found = true
        local cells = { link(row.method) .. (row.options ~= "" and " " .. plain(row.options) or "") }
        for word in shown:gmatch "%S+" do
          cells[#cells + 1] = column(word)[2](row)
        end
        add_row(lines, cells)
      end
    end
    assert(found, ("%s, comparison %d has no run '%s'"):format(name, index, words))
  end
  lines[#lines + 1] = source(name, index)
  return table.concat(lines, "\n")
end

-- {{costs SCENARIO: error error ...}}: milliseconds that each series of runs needs, the cheapest first
function directives.costs(rest)
  local name, list = rest:match "^([%w_]+):%s*(.-)$"
  local result, errors, titles = result_of(name, 1), {}, { "method" }
  for word in list:gmatch "%S+" do
    errors[#errors + 1] = tonumber(word)
    titles[#titles + 1] = ("ms for %s"):format(word)
  end
  local rows = {}
  for i, series in ipairs(result.series) do
    local row = { link(series.method) .. " " .. plain(series.options), cost = math.huge }
    for k, size in ipairs(errors) do
      local seconds = result:seconds_for(i, size)
      row[k + 1] = seconds and ("%.3g"):format(1e3 * seconds) or ""
      row.cost = k == #errors and seconds or row.cost
    end
    rows[i] = row
  end
  table.sort(rows, function(a, b)
    return a.cost < b.cost or a.cost == b.cost and a[1] < b[1]
  end)
  local lines = new_table(titles)
  for _, row in ipairs(rows) do
    add_row(lines, row)
  end
  lines[#lines + 1] = source(name, 1)
  return table.concat(lines, "\n")
end

-- The comment that a scenario begins with: its first sentence, and the rest as it is.
local function introduction(name)
  local text = {}
  for line in io.lines(("%s/%s.lua"):format(scenarios, name)) do
    local words = line:match "^%-%- ?(.*)$"
    if not words then
      break
    end
    text[#text + 1] = words
  end
  local all = table.concat(text, "\n")
  local first, rest = all:match "^(.-[%.?])\n%s*(.*)$"
  return first or all, rest or ""
end

function directives.scenarios()
  local lines = {}
  local pipe <close> = assert(io.popen(("ls '%s'"):format(scenarios)))
  for file in pipe:lines() do
    local name = file:match "^(.*)%.lua$"
    if name then
      local first, rest = introduction(name)
      lines[#lines + 1] = ("## %s {#scenario_%s}\n\n%s\n"):format(plain(name), name, plain(first))
      lines[#lines + 1] = rest ~= "" and ("```text\n%s\n```\n"):format(rest) or ""
    end
  end
  return table.concat(lines, "\n")
end

-- {{file tests/embedding/pendulum.c}}: a file of the source tree
function directives.file(name)
  return ("```%s\n%s```"):format(name:match "[^.]*$", read(scenarios .. "/../" .. name))
end

-- {{help}} or {{help run}}: what the command says about itself
function directives.help(name)
  return "```text\n" .. output_of(name .. " --help") .. "```"
end

-- Every sub-command.
function directives.commands()
  local lines = {}
  for name in output_of("--help"):match("commands:(\n.-\n)\n"):gmatch "\n  (%l+)" do
    lines[#lines + 1] = ("## vida %s\n\n%s\n"):format(name, directives.help(name))
  end
  return table.concat(lines, "\n")
end

-- ---- examples ------------------------------------------------------------------------------------

-- Runs an example of a page; those of one page have their names in common.
local function run_example(code, names, page)
  local printed = {}
  function names.print(...)
    local words = table.pack(...)
    for i = 1, words.n do
      words[i] = tostring(words[i])
    end
    printed[#printed + 1] = table.concat(words, " ")
  end
  assert(load(code, "=" .. page, "t", names))()
  local text = ("```lua\n%s```\n"):format(code)
  return #printed == 0 and text or ("%s\n```text\n%s\n```\n"):format(text, table.concat(printed, "\n"))
end

-- ---- all pages -----------------------------------------------------------------------------------

do
  local list <close> = assert(io.popen(("ls '%s'"):format(pages)))
  for name in list:lines() do
    if name:match "%.md$" then
      local text = read(pages .. "/" .. name)
      local names = setmetatable({ vida = vida }, { __index = _G })
      text = text:gsub("```lua run\n(.-)```\n", function(code)
        return run_example(code, names, name)
      end)
      write(name, (text:gsub("{{(%l[%l_]*) ?(.-)}}", function(directive, rest)
        return assert(directives[directive], ("%s: no directive '%s'"):format(name, directive))(rest)
      end)))
    end
  end
end
