-- Prints the links of README.md and of the guide that lead to no file or to no heading: lua links.lua TOP
local top = arg[1]

local function read(path)
  local file = io.open(path, "r")
  local text = file and file:read "a"
  if file then
    file:close()
  end
  return text
end

-- The anchors of the headings of a page, as GitHub makes them.
local function anchors_of(text)
  local anchors, is_code = {}, false
  for line in text:gmatch "[^\n]+" do
    is_code = is_code ~= (line:match "^```" ~= nil)
    local heading = not is_code and line:match "^#+ (.*)$"
    if heading then
      anchors[heading:gsub("\\", ""):lower():gsub("[^%w%- _]", ""):gsub(" ", "-")] = true
    end
  end
  return anchors
end

local count, faults = 0, 0
local pipe <close> = assert(io.popen(
  ("ls '%s/README.md' '%s'/plugin/guide/*.md '%s'/plugin/guide/methods/*.md")
  :format(top, top, top)))
for path in pipe:lines() do
  local text = read(path):gsub("```.-\n```", "")
  for target in text:gmatch "%]%(([^)%s]+)%)" do
    local file, anchor = target:match "^([^#]*)#?(.*)$"
    local place = file == "" and path or path:match "^(.*/)" .. file
    local page = target:match "^https?:" and "" or read(place)
    count = count + 1
    if not page or page ~= "" and anchor ~= "" and not anchors_of(page)[anchor] then
      print(("%s: %s"):format(path, target))
      faults = faults + 1
    end
  end
end
assert(count > 100, "there are too few links")
os.exit(faults == 0)
