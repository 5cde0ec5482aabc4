-- A handler of errors of a hook runs without a hook.
while true do xpcall(error, function() while true do end end) end
