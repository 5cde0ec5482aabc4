-- Runs the command: arguments are first seed, count, jobs, method or "", "verbose" or "quiet", and, of
-- a process that makes a part of the systems, its number.
local first, count, jobs = tonumber(arg[1]), tonumber(arg[2]), tonumber(arg[3])
local only, verbose, part = arg[4] ~= "" and arg[4] or nil, arg[5] == "verbose", tonumber(arg[6])

local verdicts = { "right", "warned", "refused", "failed", "wrong" }
local counts, skipped = {}, 0 -- counts[method][verdict]

local function add(name, verdict, number)
  counts[name] = counts[name] or {}
  counts[name][verdict] = (counts[name][verdict] or 0) + number
end

-- ---- a part of the systems ----------------------------------------------------------------------

local function describe(made, method, row, text)
  return ("seed %d (%s) %s %s: %s%s"):format(made.seed, made.kind, method.name,
    row.rtol and ("rtol %g"):format(row.rtol) or ("h %.6g"):format(row.h), text or row.status,
    row.message ~= "" and "; " .. row.message or "")
end

-- The first part prints as it goes. The others keep their lines until their end: they are read one part
-- after the other, and a full pipe would stop the rest.
local lines = {}
local function say(line)
  if part == 0 then
    print(line)
    io.stdout:flush()
  else
    lines[#lines + 1] = line
  end
end

local function try_part()
  local judge = require "judge"
  local systems = require "systems"
  judge.only = only and { [only] = true }
  for seed = first + part, first + count - 1, jobs do
    local made = systems.make(seed)
    local good, why = pcall(judge.system, made, function(verdict, method, row, text)
      add(method.name, verdict, 1)
      if verdict == "wrong" or verbose and verdict ~= "right" and verdict ~= "refused" then
        say(verdict .. ": " .. describe(made, method, row, text))
      end
    end)
    if not good or why then
      skipped = skipped + 1
      say(("skipped: seed %d (%s): %s"):format(seed, made.kind, why))
    end
  end
  for _, line in ipairs(lines) do
    print(line)
  end
  for name, row in pairs(counts) do
    for verdict, number in pairs(row) do
      print(("count %s %s %d"):format(name, verdict, number))
    end
  end
  print(("count - skipped %d"):format(skipped))
end

-- ---- all parts ----------------------------------------------------------------------------------

local function start_part(k)
  local words = {}
  for i, word in ipairs { arg[-1] or "lua5.4", arg[0], first, count, jobs, arg[4], arg[5], k } do
    words[i] = ("'%s'"):format(tostring(word):gsub("'", "'\\''"))
  end
  return assert(io.popen(table.concat(words, " "), "r"))
end

local function read_part(pipe)
  for line in pipe:lines() do
    local name, verdict, number = line:match "^count (%S+) (%S+) (%d+)$"
    if name == "-" then
      skipped = skipped + tonumber(number)
    elseif name then
      add(name, verdict, tonumber(number))
    else
      print(line)
      io.stdout:flush()
    end
  end
  return pipe:close()
end

local function print_table()
  local names, total, heads = {}, {}, {}
  for name in pairs(counts) do
    names[#names + 1] = name
  end
  table.sort(names)
  for i, verdict in ipairs(verdicts) do
    heads[i] = ("%9s"):format(verdict)
  end
  print(("%-26s%s"):format("method", table.concat(heads)))
  for _, name in ipairs(names) do
    local cells = {}
    for i, verdict in ipairs(verdicts) do
      local number = counts[name][verdict] or 0
      total[verdict] = (total[verdict] or 0) + number
      cells[i] = ("%9d"):format(number)
    end
    print(("%-26s%s"):format(name, table.concat(cells)))
  end
  local words = {}
  for i, verdict in ipairs(verdicts) do
    words[i] = ("%d %s"):format(total[verdict] or 0, verdict)
  end
  print(("%d systems, %d of them skipped; rows: %s"):format(count, skipped, table.concat(words, ", ")))
  return total.wrong or 0
end

if part then
  try_part()
else
  local pipes = {}
  for k = 0, jobs - 1 do
    pipes[k + 1] = start_part(k)
  end
  local complete = true
  for _, pipe in ipairs(pipes) do
    complete = read_part(pipe) and complete
  end
  local wrong = print_table()
  if not complete then
    print "A process ended early: the counts are not complete."
  end
  os.exit(complete and wrong == 0 and 0 or 1)
end
