-- The Lua module, built from the sources. At the top of the sources:
--   luarocks --lua-version 5.4 make plugin/package/vida-0.1.0-1.rockspec
-- SUNDIALS, its KLU interface and CMake have to be installed.
rockspec_format = "3.0"
package = "vida"
version = "0.1.0-1"
source = {
  url = "file://.", -- the sources that it lies in
}
description = {
  summary = "Variational and energy-momentum integrators beside DAE solvers",
  detailed = "Constrained mechanical systems, described once, integrated by structure-preserving steppers and by the DAE "
    .. "solvers of SUNDIALS side by side.",
  license = "BSD-3-Clause",
}
dependencies = { "lua >= 5.4, < 5.5" }
external_dependencies = {
  SUNDIALS = { header = "kinsol/kinsol.h" },
}
build = {
  type = "command",
  build_command = "cmake -S . -B .build/luarocks -DCMAKE_BUILD_TYPE=Release -DVIDA_TESTS=OFF -DVIDA_SHARED=OFF "
    .. "&& cmake --build .build/luarocks --parallel --target vida_module",
  install = { lib = { vida = ".build/luarocks/vida.so" } },
}
