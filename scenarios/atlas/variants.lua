-- Options with which the atlas measures a method besides its defaults. A method without a line here, such as
-- a new one, is measured with its defaults: with fixed steps, and with rtol where it has one. A variant with
-- rtol = true chooses its own steps.

local function each(key, values, more)
  local list = {}
  for i, value in ipairs(values) do
    list[i] = { [key] = value }
    for name, other in pairs(more or {}) do
      list[i][name] = other
    end
  end
  return list
end

local function join(...)
  local all = {}
  for _, list in ipairs { ... } do
    table.move(list, 1, #list, #all + 1, all)
  end
  return all
end

return {
  ["compose"] = join(each("scheme", { "kahan-li6", "kahan-li8" }), {
    { base = "energy-momentum", scheme = "kahan-li6" }, { base = "lgvi", scheme = "kahan-li8" },
    { base = "simo-wong", scheme = "kahan-li8" }, { base = "rattlie", scheme = "kahan-li8" },
    { base = "verlet", scheme = "kahan-li8" }, { base = "del-nonholonomic", scheme = "kahan-li8" } }),
  ["symmetric-multistep"] = each("order", { 4, 6 }),
  ["spark-lobatto"] = each("stages", { 4 }),
  ["galerkin-gauss"] = each("stages", { 4 }),
  ["energy-collocation"] = each("stages", { 3, 4 }),
  ["generalized-alpha"] = { { projection = "velocity" } },
  ["half-explicit"] = join(each("scheme", { "phem56", "hem4" }, { rtol = true }), { { scheme = "phem56" } }),
  ["extrapolation"] = { { columns = 5 }, { scheme = "euler", rtol = true } },
  ["spark-nonholonomic"] = each("stages", { 4 }),
  ["coordinate-projection"] = join(each("integrator", { "verner", "adams" }, { rtol = true }),
    { { integrator = "verner" } }),
  ["coordinate-partitioning"] = each("integrator", { "verner" }, { rtol = true }),
  ["post-stabilized"] = each("integrator", { "verner" }, { rtol = true }),
}
