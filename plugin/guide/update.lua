-- Writes the generated parts of the guide anew, in place:
--
--   lua update.lua COMMAND SCENARIOS [--check] [--quick]
--
-- with the command `vida` and the folder of the scenarios. In a page, everything between a line
-- <!-- name arguments --> and the next line <!-- end --> is generated: directives.name makes it of the
-- arguments. A block ```lua run is an example: it is run, and <!-- output --> shows what it printed.
-- The folder methods/ has one page for each method, generated as a whole.
--
--   --check  writes nothing, compares with what the pages have, and fails where they differ. Wall times
--            are not compared; numbers may differ by 2 %, and by anything where both are rounding errors
--   --quick  leaves out what takes long: the measured costs and the audit
local vida = require "vida"
local command, scenarios = arg[1], arg[2]
local is_check, is_quick = false, false
for i = 3, #arg do
  is_check = is_check or arg[i] == "--check"
  is_quick = is_quick or arg[i] == "--quick"
end
local guide = arg[0]:match "^(.*)/" or "."

package.path = scenarios .. "/?.lua;" .. package.path

-- ---- text ----------------------------------------------------------------------------------------

-- Text without characters that Markdown takes for its own.
local function plain(text)
  return (text:gsub("[<>\\|*_]", "\\%0"))
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

-- The text of a page, by its name; written or compared at the end.
local pages = {}

-- What the command prints.
local function output_of(arguments)
  local pipe = assert(io.popen(("'%s' %s"):format(command, arguments)))
  local text = pipe:read "a"
  assert(pipe:close(), ("'vida %s' failed"):format(arguments))
  return text
end

-- ---- methods -------------------------------------------------------------------------------------

local function link(method)
  return ("[%s](methods/%s.md)"):format(method, method)
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

local function add_method_page(method)
  local lines = {
    ("# %s\n"):format(method.name),
    "<!-- This page is generated: see update.lua. -->\n",
    plain(method.title) .. ".\n",
    "- Source: " .. plain(method.equation),
    ("- Order: %d, of positions on constrained systems with the default options"):format(method.order),
    ("- Contacts: by %s, of order %d across impacts"):format(method.contacts, method.order_across_impacts),
    "- Limits: " .. plain(method.limits) .. "\n",
    "Claims, which `vida audit " .. method.name .. "` measures:\n",
  }
  for _, claim in ipairs(method.capabilities) do
    lines[#lines + 1] = "- " .. plain(claim)
  end
  lines[#lines + 1] = "\n## Options\n\n" .. option_table(method.options) .. "\n"
  pages["methods/" .. method.name .. ".md"] = table.concat(lines, "\n")
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
  time = { "time per step, us", function(row) return ("%.3g"):format(1e6 * row.wall_s / row.steps) end },
  steps = { "steps", function(row) return tostring(row.steps) end },
  reached = { "reached, s", function(row) return ("%.4g"):format(row.t_end) end },
  status = { "status", function(row) return ("`%s`"):format(row.status) end },
}

local function column(name)
  return columns[name] or { name:gsub("_", " "), function(row)
    return row[name] and ("%.1e"):format(row[name]) or ""
  end }
end

-- Whether a run matches words such as "rattle h=0.01 stages=4".
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

-- Each takes its arguments and what the page has now, and returns the text of its part.
local directives = {}

function directives.methods()
  local lines = new_table { "method", "title", "order", "limits" }
  for _, method in ipairs(vida.methods()) do
    add_method_page(method)
    add_row(lines, { link(method.name), plain(method.title), tostring(method.order), plain(method.limits) })
  end
  return table.concat(lines, "\n")
end

function directives.method_pages()
  local lines = {}
  for i, method in ipairs(vida.methods()) do
    lines[i] = "- " .. link(method.name)
  end
  return table.concat(lines, "\n")
end

function directives.comparison_options()
  return option_table(vida.comparison_options())
end

-- The table of measured properties.
function directives.audit(_, present)
  return is_quick and present or (output_of "audit --format markdown":gsub("\n+$", ""))
end

-- measured SCENARIO [NUMBER]: METHOD key=value; ... | column column ...: a line for each run
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

-- costs SCENARIO: error error ...: milliseconds that each series of runs needs, the cheapest first
function directives.costs(rest, present)
  if is_quick then
    return present
  end
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

-- ---- the atlas ----

local atlas, claims

local function read_atlas()
  if not atlas then
    atlas, claims = require "atlas.data".read(guide .. "/../diagnose/atlas_data.c"), {}
    for _, method in ipairs(vida.methods()) do
      claims[method.name] = method.capabilities
    end
  end
  return atlas, require "atlas.data"
end

-- Letters for what a method keeps, by the beginning of its claims.
local kept = { { "E", "preserves the energy exactly" }, { "M", "preserves the momentum maps" },
  { "S", "preserves the symplectic form" }, { "g", "keeps the constraints g = 0" },
  { "v", "keeps the hidden constraints" } }

-- A composition keeps what its base keeps.
local function letters_of(row)
  local letters = ""
  for _, entry in ipairs(kept) do
    for _, claim in ipairs(claims[row.options:match "base=(%S+)" or row.method] or {}) do
      letters = letters .. (claim:find(entry[2], 1, true) == 1 and entry[1] or "")
    end
  end
  return letters
end

local function measured_name(row)
  return link(row.method) .. (row.options ~= "" and " " .. plain(row.options) or "")
    .. (row.adaptive and " rtol" or "")
end

-- The same with what it keeps.
local function kept_name(row)
  local letters = letters_of(row)
  return measured_name(row) .. (letters ~= "" and (" (%s)"):format(letters) or "")
end

local function milliseconds(row, e)
  return row.seconds[e] > 0 and ("%.3g"):format(1e3 * row.seconds[e]) or ""
end

-- atlas_best FACTOR: the cheapest methods of each system, with those that cost less than FACTOR times as much
function directives.atlas_best(rest)
  local all, data = read_atlas()
  local lines = new_table { "system", "error", "ms", "cheapest", "within a factor of " .. rest,
    "next, costs" }
  for s, system in ipairs(all.systems) do
    for e, size in ipairs(data.errors) do
      local equal, seen, later, list = {}, {}, nil, data.ranking(all, s, e)
      for _, row in ipairs(list) do
        local ratio = row.seconds[e] / list[1].seconds[e]
        if not seen[row.method] and ratio < tonumber(rest) then
          equal[#equal + 1] = row ~= list[1] and kept_name(row) or nil
        elseif not seen[row.method] then
          later = later or ("%s: %.2g times"):format(kept_name(row), ratio)
        end
        seen[row.method] = true
      end
      add_row(lines, { e == 1 and system.name or "", ("%.0e"):format(size),
        list[1] and milliseconds(list[1], e) or "",
        list[1] and kept_name(list[1]) or "none reached it", table.concat(equal, ", "), later or "" })
    end
  end
  return table.concat(lines, "\n")
end

-- atlas_kept ERROR: the cheapest method that keeps one thing, and its cost in units of the cheapest of all
function directives.atlas_kept(rest)
  local all, data = read_atlas()
  local titles, number = { "system" }, nil
  for e, size in ipairs(data.errors) do
    number = size == tonumber(rest) and e or number
  end
  for _, entry in ipairs(kept) do
    titles[#titles + 1] = entry[1]
  end
  local lines = new_table(titles)
  for s, system in ipairs(all.systems) do
    local list, cells = data.ranking(all, s, number), { system.name }
    for k, entry in ipairs(kept) do
      for _, row in ipairs(list) do
        local is_able = letters_of(row):find(entry[1], 1, true)
          and not (entry[1] == "S" and system.features.nonholonomic > 0)
        cells[k + 1] = cells[k + 1] or is_able
          and ("%s: %.2g"):format(measured_name(row), row.seconds[number] / list[1].seconds[number]) or nil
      end
      cells[k + 1] = cells[k + 1] or ""
    end
    add_row(lines, cells)
  end
  return table.concat(lines, "\n")
end

-- The cheapest runs of each method on system number s: a table by errors, with `method` and `cost`, by which
-- methods are sorted: that of the middle error, or behind all of these that of the largest.
local function cheapest_of_methods(all, data, s)
  local methods, list = {}, {}
  for e = 1, #data.errors do
    for _, row in ipairs(data.ranking(all, s, e)) do
      local mine = methods[row.method]
      if not mine then
        mine = { method = row.method }
        methods[row.method], list[#list + 1] = mine, mine
      end
      mine[e] = mine[e] or row
    end
  end
  for _, mine in ipairs(list) do
    mine.cost = mine[2] and mine[2].seconds[2] or 1e6 * mine[1].seconds[1]
  end
  table.sort(list, function(a, b)
    return a.cost < b.cost or a.cost == b.cost and a.method < b.method
  end)
  return list
end

-- atlas_rows: the cheapest runs of all methods on each system, the cheapest for the middle error first
function directives.atlas_rows()
  local all, data = read_atlas()
  local lines, titles = {}, { "method", "keeps" }
  for _, size in ipairs(data.errors) do
    titles[#titles + 1] = ("ms for %.0e"):format(size)
  end
  for s, system in ipairs(all.systems) do
    lines[#lines + 1] = ("### %s\n\n%g s.\n"):format(system.name, system.time)
    local shown = new_table(titles)
    for _, mine in ipairs(cheapest_of_methods(all, data, s)) do
      local cells = { link(mine.method), letters_of { method = mine.method, options = "" } }
      for e = 1, #data.errors do
        local row = mine[e]
        local how = row and ("%s %s"):format(row.options, row.adaptive and "rtol" or ""):match "^%s*(.-)%s*$"
        cells[e + 2] = not row and "" or how == "" and milliseconds(row, e)
          or ("%s (%s)"):format(milliseconds(row, e), plain(how))
      end
      add_row(shown, cells)
    end
    lines[#lines + 1] = table.concat(shown, "\n") .. "\n"
  end
  return (table.concat(lines, "\n"):gsub("\n+$", ""))
end

-- ---- sources ----

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
      lines[#lines + 1] = ("## %s\n\n%s"):format(name, plain(first))
      lines[#lines + 1] = rest ~= "" and ("\n```text\n%s\n```\n"):format(rest) or ""
    end
  end
  return (table.concat(lines, "\n"):gsub("\n+$", ""))
end

-- file tests/embedding/pendulum.c: a file of the source tree
function directives.file(name)
  return ("```%s\n%s```"):format(name:match "[^.]*$", read(scenarios .. "/../" .. name))
end

-- What the command and its sub-commands say about themselves.
function directives.help()
  return "```text\n" .. output_of "--help" .. "```"
end

function directives.commands()
  local lines = {}
  for name in output_of("--help"):match("commands:(\n.-\n)\n"):gmatch "\n  (%l+)" do
    lines[#lines + 1] = ("## vida %s\n\n```text\n%s```\n"):format(name, output_of(name .. " --help"))
  end
  return (table.concat(lines, "\n"):gsub("\n+$", ""))
end

-- ---- pages ---------------------------------------------------------------------------------------

-- Runs an example of a page; those of one page have their names in common. Returns what it printed.
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
  return table.concat(printed, "\n")
end

local function add_page(name)
  local out, printed = {}, ""
  local names = setmetatable({ vida = vida }, { __index = _G })
  local next_line = (read(guide .. "/" .. name) .. "\n"):gsub("\n\n$", "\n"):gmatch "([^\n]*)\n"

  -- The lines up to `last`, which is the second result.
  local function lines_to(last)
    local lines = {}
    for line in next_line do
      if line == last then
        return table.concat(lines, "\n"), line
      end
      lines[#lines + 1] = line
    end
    error(("%s: '%s' is missing"):format(name, last))
  end

  for line in next_line do
    out[#out + 1] = line
    local directive, rest = line:match "^<!%-%- (%l[%l_]*) ?(.-) ?%-%->$"
    if line == "```lua run" then
      local code, fence = lines_to "```"
      printed = run_example(code, names, name)
      out[#out + 1] = code .. "\n" .. fence
    elseif directive == "output" then
      lines_to "<!-- end -->"
      out[#out + 1] = ("```text\n%s\n```\n<!-- end -->"):format(printed)
    elseif directives[directive] then
      local present = lines_to "<!-- end -->"
      out[#out + 1] = ("%s\n<!-- end -->"):format(directives[directive](rest, present))
    elseif directive and directive ~= "end" then
      error(("%s: there is no directive '%s'"):format(name, directive))
    end
  end
  pages[name] = table.concat(out, "\n") .. "\n"
end

-- ---- comparison ----------------------------------------------------------------------------------

local faults = 0

local function complain(...)
  print(string.format(...))
  faults = faults + 1
end

local function lines_of(text)
  local lines = {}
  for line in text:gmatch "([^\n]*)\n" do
    lines[#lines + 1] = line
  end
  return lines
end

-- Errors of adaptive methods differ by a few per cent between versions of SUNDIALS.
local function is_same_word(a, b)
  local x, y = tonumber(a), tonumber(b)
  if a == b or not (x and y) then
    return a == b
  end
  local larger = math.max(math.abs(x), math.abs(y))
  return larger < 1e-9 or math.abs(x - y) <= 0.05 * larger
end

-- The words of a line that are compared: `skipped` are columns of a table with wall times. The last
-- word of a line of a printed table is one when `has_time`.
local function words_of(line, skipped, has_time)
  local words = {}
  if line:match "^|" then
    local number = 0
    for cell in line:gmatch "|([^|]*)" do
      number = number + 1
      words[#words + 1] = not skipped[number] and cell or nil
    end
    line = table.concat(words, " ")
  end
  words = {}
  for word in line:gsub("[()]", " "):gmatch "%S+" do
    words[#words + 1] = word
  end
  words[has_time and #words or 0] = nil
  return words
end

local function is_same_line(a, b, skipped, has_time)
  if a:match "^fastest run" and b:match "^fastest run" then
    return true -- which one that is, measured times decide
  end
  local first, second = words_of(a, skipped, has_time), words_of(b, skipped, has_time)
  local same = #first == #second
  for i = 1, same and #first or 0 do
    same = same and is_same_word(first[i], second[i])
  end
  return same
end

local function check_page(name, text)
  local file = io.open(guide .. "/" .. name, "r")
  if not file then
    return complain("%s is missing", name)
  end
  local old, new = lines_of(file:read "a"), lines_of(text)
  file:close()
  if #old ~= #new then
    return complain("%s has %d lines instead of %d", name, #old, #new)
  end
  local skipped, has_time = {}, false
  for i, line in ipairs(old) do
    if line:match "^| method" then
      skipped = {}
      local number = 0
      for cell in line:gmatch "|([^|]*)" do
        number = number + 1
        skipped[number] = cell:match "time per" or cell:match "^ ms for"
      end
    end
    has_time = line ~= "```" and (has_time or line:match "^method .* time" ~= nil)
    -- Costs are sorted by measured times: only the page as a whole has the same rows.
    local is_cost = skipped[2] and line:match "^|"
    if not is_cost and not is_same_line(line, new[i], skipped, has_time) then
      complain("%s:%d:\n  page: %s\n  now:  %s", name, i, line, new[i])
    end
  end
end

-- ---- all pages -----------------------------------------------------------------------------------

do
  local list <close> = assert(io.popen(("ls '%s'"):format(guide)))
  for name in list:lines() do
    if name:match "%.md$" then
      add_page(name)
    end
  end
end

if not is_check then
  assert(os.execute(("mkdir -p '%s/methods' && rm -f '%s'/methods/*.md"):format(guide, guide)))
end
for name, text in pairs(pages) do
  if is_check then
    check_page(name, text)
  else
    local file <close> = assert(io.open(guide .. "/" .. name, "w"))
    assert(file:write(text))
  end
end
if is_check then
  print(("%d faults in the generated parts of the guide"):format(faults))
  os.exit(faults == 0)
end
