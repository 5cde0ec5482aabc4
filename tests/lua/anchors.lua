-- Prints links of the pages of a folder to places in these pages that there are not: lua anchors.lua FOLDER
local folder = arg[1]

local function read(path)
  local file = io.open(path, "r")
  local text = file and file:read "a"
  if file then
    file:close()
  end
  return text
end

local anchors = {}

-- The anchors of a page; nil when there is no such page.
local function anchors_of(path)
  if anchors[path] == nil then
    local text = read(path)
    local found = text and {}
    for _, mark in ipairs { "id", "name" } do
      for name in (text or ""):gmatch("%f[%a]" .. mark .. '%s*=%s*"([^"]+)"') do
        found[name] = true
      end
    end
    anchors[path] = found or false
  end
  return anchors[path]
end

local pipe <close> = assert(io.popen(("find '%s' -name '*.html'"):format(folder)))
for page in pipe:lines() do
  for link in read(page):gmatch 'href%s*=%s*"([^"]+)"' do
    local file, place = link:match "^([^#]*)#(.+)$"
    if file and not link:find "^%a+:" then
      local path = file == "" and page or page:match "^(.*/)" .. file
      local there = anchors_of(path)
      if not there or not there[place] then
        print(("%s: %s"):format(page:sub(#folder + 2), link))
      end
    end
  end
end
