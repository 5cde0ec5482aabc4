-- Writes the pages of the guide as Doxygen reads them: lua pages.lua GUIDE OUT
--
-- The pages are Markdown with relative links. Doxygen needs labels for what links point to, lists of
-- subpages, and escapes for some characters that it takes for its own.
local guide, out = arg[1], arg[2]

local function read(path)
  local file <close> = assert(io.open(path, "r"))
  return file:read "a"
end

-- The label of a page, by its path from the guide: "choosing", "method_rattle".
local function page_label(path)
  local method = path:match "^methods/(.*)%.md$"
  return ((method and "method_" .. method or path:match "^(.*)%.md$"):gsub("%-", "_"))
end

-- The label of a heading, from what the anchor of a link to it is on GitHub.
local function anchor_label(page, anchor)
  return page .. "_" .. (anchor:gsub("%-", "_"))
end

local function anchor_of(heading)
  return (heading:gsub("\\", ""):lower():gsub("[^%w%- _]", ""):gsub(" ", "-"))
end

local is_page = {} -- by path
local pages = {}   -- paths in order

local function list_pages(folder)
  local pipe <close> = assert(io.popen(("ls '%s/%s'"):format(guide, folder)))
  for name in pipe:lines() do
    if name:match "%.md$" then
      is_page[folder .. name] = true
      pages[#pages + 1] = folder .. name
    end
  end
end

list_pages ""
list_pages "methods/"

-- A link of the page `path`. Targets outside of the guide are shown as their text alone.
local function convert_link(path, text, target, command)
  local file, anchor = target:match "^([^#]*)#?(.*)$"
  if target:match "^https?:" then
    return ("[%s](%s)"):format(text, target)
  end
  if file == "" then
    file = path
  elseif path:match "^methods/" then
    file = file:match "^%.%./(.*)$" or "methods/" .. file
  end
  if not is_page[file] then
    return text
  end
  local label = page_label(file)
  return ('@%s %s "%s"'):format(command, anchor ~= "" and anchor_label(label, anchor) or label,
    (text:gsub("`", "")))
end

-- A line outside of code. What stands between backticks stays as it is.
local function convert_line(path, line)
  local has_subpages = (path == "index.md" or path == "methods.md") and line:match "^%- %["
  local codes = {}
  line = line:gsub("`[^`]*`", function(code)
    codes[#codes + 1] = code
    return ("\1%d\1"):format(#codes)
  end)
  line = line:gsub("%-%-", "\\--"):gsub("\\%-%-(%-+)", "--%1")
  line = line:gsub("%[([^%]]+)%]%(([^)]+)%)", function(text, target)
    local whole = text:gsub("\1(%d+)\1", function(i) return codes[tonumber(i)] end)
    return convert_link(path, whole, target, has_subpages and "subpage" or "ref")
  end)
  return (line:gsub("\1(%d+)\1", function(i) return codes[tonumber(i)] end))
end

local function convert_page(path)
  local label, lines = page_label(path), {}
  local fence, is_first = false, true
  for line in (read(guide .. "/" .. path) .. "\n"):gmatch "([^\n]*)\n" do
    local level, heading = line:match "^(#+) (.*)$"
    if line:match "^```" then
      fence = not fence
      line = line:gsub("^```lua run$", "```lua")
    elseif fence or line:match "^    " then
      line = line
    elseif line:match "^<!%-%-.*%-%->$" or line:match "^!%[" then
      line = ""
    elseif level then
      local own = is_first and (path == "index.md" and "mainpage" or label) or
        anchor_label(label, anchor_of(heading))
      is_first = false
      line = ("%s %s {#%s}"):format(level, heading:gsub("`", ""), own)
    else
      line = convert_line(path, line)
    end
    lines[#lines + 1] = line
  end
  local text = table.concat(lines, "\n")
  -- The manual of the Lua module is there as HTML only.
  if path == "index.md" then
    text = text:gsub("\n\n## ", '\n- <a href="lua/index.html">The Lua module</a>: every function\n\n## ', 1)
  end
  local file <close> = assert(io.open(("%s/%s.md"):format(out, label), "w"))
  assert(file:write(text))
end

for _, path in ipairs(pages) do
  convert_page(path)
end
