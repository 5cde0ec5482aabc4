-- Runs every example of the documents, in the current folder: lua examples.lua TOP [CHECK]
--
-- In doc comments these are the lines after @usage. That of a page (@module, @classmod) stands before
-- each of the others of the page. In Markdown they are the blocks of ```lua.
local top = arg[1]

local faults, count = 0, 0

local function complain(...)
  print(string.format(...))
  faults = faults + 1
end

-- What examples print is not looked at.
local silent = setmetatable({ write = function() end }, { __index = io })
local environment = setmetatable({ print = function() end, io = silent }, { __index = _G })

local function run(text, where)
  count = count + 1
  local chunk, reason = load(text, "=" .. where, "t", environment)
  if not chunk then
    complain("%s", reason)
    return
  end
  local good, result = xpcall(chunk, debug.traceback)
  if not good then
    complain("%s: %s", where, result)
  elseif tostring(result):match "^comparison of" then
    good, reason = pcall(result.run, result, { quiet = true })
    if not good then
      complain("%s: %s", where, reason)
    end
  end
end

local function read(path)
  local file <close> = assert(io.open(path, "r"))
  return file:read "a"
end

local function files(pattern)
  local pipe <close> = assert(io.popen("ls " .. pattern))
  local list = {}
  for path in pipe:lines() do
    list[#list + 1] = path
  end
  return list
end

-- ---- doc comments --------------------------------------------------------------------------------

-- Doc comments of a file as texts without what surrounds them.
local function comments_of(path)
  local text, found = read(path), {}
  if path:match "%.c$" then
    for comment in text:gmatch "/%*%*%* (.-)%*/" do
      found[#found + 1] = ("\n" .. comment):gsub("\n %* ?", "\n")
    end
    return found
  end
  local open
  for line in (text .. "\n"):gmatch "(.-)\n" do
    if line:match "^%-%-%- " then
      open = { line:sub(5) }
    elseif open and line:match "^%-%-" then
      open[#open + 1] = line:gsub("^%-%- ?", "")
    elseif open then
      found[#found + 1] = "\n" .. table.concat(open, "\n") .. "\n"
      open = nil
    end
  end
  return found
end

local introductions, examples = {}, {}

local function read_comments(path)
  local page
  for _, comment in ipairs(comments_of(path)) do
    local name = comment:match "\n@%l*mod%l* (%l+)"
    local usage = comment:match "\n@usage%s*\n(.*)$"
    if name then
      page = name
      introductions[page] = usage or introductions[page]
    elseif comment:match "\n@function " then
      local item = comment:match "\n@function ([^\n]+)"
      if usage then
        examples[#examples + 1] = { page = page, item = item, text = usage }
      else
        complain("%s: %s has no example", path, item)
      end
    end
  end
end

for _, path in ipairs(files(("%s/lua/*.c %s/lua/library/*.lua"):format(top, top))) do
  read_comments(path)
end
assert(#examples > 100, "no examples were found")
for page, text in pairs(introductions) do
  run(text, "introduction of " .. page)
end
for _, example in ipairs(examples) do
  run(introductions[example.page] .. "\n" .. example.text, ("%s, %s"):format(example.page, example.item))
end

-- ---- Markdown ------------------------------------------------------------------------------------

for _, path in ipairs(files(("%s/README.md %s/plugin/guide/*.md"):format(top, top))) do
  local number = 0
  for block in read(path):gmatch "\n```lua\n(.-)\n```" do
    number = number + 1
    run('local vida = require "vida"\n' .. block, ("%s, block %d"):format(path:match "[^/]+$", number))
  end
end

print(("%d examples, %d faults"):format(count, faults))
os.exit(faults == 0)
