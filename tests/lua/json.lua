-- A strict reader of JSON (RFC 8259), for tests: anything that is not JSON raises an error.
local json = {}

json.null = setmetatable({}, { __tostring = function() return "null" end })

local read_value

local function fail(text, at, what)
  error(("not JSON at byte %d: %s (%s)"):format(at, what, text:sub(at, at + 20)), 0)
end

local function skip(text, at)
  return text:find("[^ \t\r\n]", at) or #text + 1
end

local escapes = {
  ['"'] = '"', ["\\"] = "\\", ["/"] = "/", b = "\b", f = "\f", n = "\n", r = "\r", t = "\t",
}

local function read_string(text, at)
  local parts = {}
  at = at + 1
  while true do
    local stop = text:find('[%c"\\]', at) or fail(text, at, "a string without an end")
    parts[#parts + 1] = text:sub(at, stop - 1)
    local mark = text:sub(stop, stop)
    if mark == '"' then
      return table.concat(parts), stop + 1
    elseif mark ~= "\\" then
      fail(text, stop, "a control character in a string")
    end
    local letter = text:sub(stop + 1, stop + 1)
    if letter == "u" then
      local code = text:match("^%x%x%x%x", stop + 2) or fail(text, stop, "a bad \\u")
      parts[#parts + 1] = utf8.char(tonumber(code, 16))
      at = stop + 6
    else
      parts[#parts + 1] = escapes[letter] or fail(text, stop, "a bad escape")
      at = stop + 2
    end
  end
end

local function read_number(text, at)
  local whole = text:match("^-?0", at)
  if not whole or text:find("^%d", at + #whole) then
    whole = text:match("^-?[1-9]%d*", at) or fail(text, at, "a bad number")
  end
  local stop = at + #whole
  stop = stop + #(text:match("^%.%d+", stop) or "")
  stop = stop + #(text:match("^[eE][+-]?%d+", stop) or "")
  return tonumber(text:sub(at, stop - 1)), stop
end

local function read_list(text, at)
  local list = {}
  at = skip(text, at + 1)
  if text:sub(at, at) == "]" then
    return list, at + 1
  end
  while true do
    list[#list + 1], at = read_value(text, at)
    at = skip(text, at)
    local mark = text:sub(at, at)
    if mark == "]" then
      return list, at + 1
    elseif mark ~= "," then
      fail(text, at, "expected , or ]")
    end
    at = at + 1
  end
end

-- The order of the keys is kept in object[1], object[2], ...
local function read_object(text, at)
  local object = {}
  at = skip(text, at + 1)
  if text:sub(at, at) == "}" then
    return object, at + 1
  end
  while true do
    at = skip(text, at)
    if text:sub(at, at) ~= '"' then
      fail(text, at, "expected a name")
    end
    local name
    name, at = read_string(text, at)
    at = skip(text, at)
    if text:sub(at, at) ~= ":" then
      fail(text, at, "expected :")
    end
    object[#object + 1] = name
    object[name], at = read_value(text, at + 1)
    at = skip(text, at)
    local mark = text:sub(at, at)
    if mark == "}" then
      return object, at + 1
    elseif mark ~= "," then
      fail(text, at, "expected , or }")
    end
    at = at + 1
  end
end

local words = { ["true"] = true, ["false"] = false, null = json.null }

function read_value(text, at)
  at = skip(text, at)
  local mark = text:sub(at, at)
  if mark == "{" then
    return read_object(text, at)
  elseif mark == "[" then
    return read_list(text, at)
  elseif mark == '"' then
    return read_string(text, at)
  end
  local word = text:match("^%l+", at)
  if word and words[word] ~= nil then
    return words[word], at + #word
  end
  return read_number(text, at)
end

function json.read(text)
  local value, at = read_value(text, 1)
  at = skip(text, at)
  if at <= #text then
    fail(text, at, "something after the end")
  end
  return value
end

return json
