-- A header as Doxygen reads it, on the standard output: lua headers.lua FILE.
--
-- The headers are written for people, with plain comments and with tables of macros. What they mean:
-- the first comment of a file is about the file, a comment is about the declarations that follow it up
-- to the next empty line, one beside a declaration is about that one, and lines "  name   text" are
-- a list. An entry X(NAME, ..., "text") of a VIDA_..._LIST says what the enumerator or the
-- member of that name is.
local path = arg[1]

local function escape(text)
  return (text:gsub("[<>@\\]", "\\%0"):gsub("%*(%a)", "\\*%1"))
end

-- ---- tables of macros ----------------------------------------------------------------------------

local lists, about, makers = {}, {}, {} -- entries by list; texts by name; { names, body } of macros
local helpers = {}                      -- macros that are undefined again
local declarations = {}                 -- of a member of VidaRow, by the type of its column

local function read_tables(text)
  for name, body in text:gsub("\\\n", " "):gmatch "#define (VIDA_[%w_]+_LIST)%(X%)([^\n]*)" do
    lists[name] = {}
    for entry in body:gmatch "X(%b())" do
      local fields = {}
      for field in (entry:sub(2, -2) .. ","):gmatch '%s*("[^"]*"),' do
        fields.text = field:sub(2, -2)
      end
      for word in entry:gmatch "[%w_%-]+" do
        fields[#fields + 1] = word
      end
      lists[name][#lists[name] + 1] = fields
      about[fields[1]] = fields.text
    end
  end
  for name, parameters, body in text:gmatch "#define (VIDA_[%u_]+)%(([%w_, ]+)%) ([^\n]*,)\n" do
    local names = {}
    for word in parameters:gmatch "[%w_]+" do
      names[#names + 1] = word
    end
    makers[name] = { names = names, body = body }
  end
  for kind, body in text:gmatch "#define VIDA_MEMBER_(%u+)%(name%) ([^\n]*)\n" do
    declarations[kind] = body
  end
  for name in text:gmatch "#undef ([%w_]+)" do
    helpers[name] = true
  end
end

-- The enumerators that a macro makes of a list, each with its text.
local function enumerators(list, maker)
  local all = {}
  for i, entry in ipairs(lists[list]) do
    local made = makers[maker].body
    for k, word in ipairs(makers[maker].names) do
      made = made:gsub("%f[%w_]" .. word .. "%f[^%w_]", entry[k] or "")
    end
    all[i] = ("%s /**< %s */"):format(made:gsub("##", ""), escape(entry.text))
  end
  return table.concat(all, " ")
end

-- The members of VidaRow, one for each column of a list, each with its text.
local function members_of_row(list)
  local all = {}
  for i, entry in ipairs(lists[list]) do
    local member = declarations[entry[2]]:gsub("%f[%w_]name%f[^%w_]", entry[1])
    all[i] = ("%s /**< %s */"):format(member, escape(entry.text))
  end
  return table.concat(all, " ")
end

-- ---- comments --------------------------------------------------------------------------------------

local out = {}
local last            -- what was said of the declaration before, in one line
local is_first = true -- no comment was seen yet
local depth = 0       -- of braces

local function take_comment(lines)
  local count = #lines
  if lines[1]:match "^%s*/%* %-%-%-%-" then
    for _ = 1, count do
      out[#out + 1] = "" -- a heading
    end
    return
  end
  local indent = lines[1]:match "^%s*"
  lines[1] = lines[1]:gsub("^%s*/%*", "*", 1)
  lines[count] = lines[count]:gsub("%s*%*/%s*$", "")
  for i, line in ipairs(lines) do
    line = line:gsub("^%s*%*", "", 1)
    local name, meaning = line:match "^   (%a[%w_, ]-)  +(%S.*)$"
    line = name and (" - **%s**: %s"):format(name, escape(meaning)) or escape(line)
    lines[i] = (i == 1 and "/**" or " *") .. (i == 1 and is_first and " @file\n * " or "") .. line
  end
  last = depth == 0 and not is_first and table.concat(lines, " "):gsub(" %* ", " ") .. " */" or last
  out[#out + 1] = indent .. table.concat(lines, "\n" .. indent) .. " */"
  is_first = false
end

-- ---- code --------------------------------------------------------------------------------------------

-- "double h, rtol;" with what is said of both, one by one.
local function take_members(code, text)
  local kind, names = code:gsub(", ", ","):match "^(%s*[%w_ ]-[%w_]+%*? )([%w_*][%w_*%[%],]*);$"
  if depth == 0 or not kind then
    out[#out + 1] = text and ("%s /**< %s */"):format(code, text) or code
    return
  end
  local members = {}
  for name in names:gmatch "[^,]+" do
    local own = text or about[name:match "[%w_]+"]
    members[#members + 1] = ("%s%s;%s"):format(kind, name, own and (" /**< %s */"):format(own) or "")
  end
  out[#out + 1] = table.concat(members)
end

-- Takes a line of code, which begins a declaration that nothing was said about, or does not.
-- Returns whether it ends one.
local function take_code(line, begins)
  local list, maker = line:match "(VIDA_%w+_LIST)%((VIDA_[%u_]+)%)"
  local code, text = line:match "^(.-%S)%s*/%*%s*(.-)%s*%*/$"
  code = code or line
  if line:match "^#" then
    local helper = helpers[line:match "^#%a+ ([%w_]+)"]
    out[#out + 1] = helper and "" or text and ("%s /**< %s */"):format(code, escape(text)) or line
    return false
  elseif list and lists[list] and maker == "VIDA_ROW_MEMBER" then
    out[#out + 1] = members_of_row(list)
  elseif list and lists[list] and makers[maker] then
    out[#out + 1] = line:gsub("VIDA_%w+_LIST%b()", function() return enumerators(list, maker) end)
  elseif begins and last and line:match "^[%a_]" then
    out[#out + 1] = ("%s %s%s"):format(last, code, text and (" /**< %s */"):format(escape(text)) or "")
  else
    take_members(code, text and escape(text))
  end
  if not line:match '^extern "C"' and line ~= "}" then
    depth = depth + select(2, code:gsub("{", "")) - select(2, code:gsub("}", ""))
  end
  return depth == 0 and code:match "[;}]%s*$" ~= nil
end

do
  local file <close> = assert(io.open(path, "r"))
  local text = file:read "a"
  read_tables(text)
  local comment, begins
  for line in text:gmatch "(.-)\n" do
    if comment or line:match "^%s*/%*" then
      comment = comment or {}
      comment[#comment + 1] = line
      if line:find("*/", 1, true) then
        take_comment(comment)
        comment, begins = nil, false
      end
    else
      last = line:match "%S" and last or nil
      begins = take_code(line, begins)
    end
  end
end
io.write(table.concat(out, "\n"), "\n")
