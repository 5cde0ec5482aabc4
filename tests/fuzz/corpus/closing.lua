-- The variables of a coroutine that an error of a hook has ended are closed without a hook.
coroutine.wrap(function()
  local _ <close> = setmetatable({}, { __close = function() while true do end end })
  while true do end
end)()
