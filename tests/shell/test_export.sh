#!/usr/bin/env bash
# vida export: the numbers of NumPy's files and of ParaView's files are those of the trajectories, from CSV
# and from HDF5. The formats are read by small readers of our own, and by NumPy where it is installed.
# shellcheck source-path=SCRIPTDIR source=support.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/support.sh"

script swing <<'TEXT'
local vida = require "vida"
local system = vida.system { "swing", dimension = 2 }
system:gravity { 0, -9.81 }
local bob = system:particle { "bob's ü", mass = 1.0, position = { 1, 0 } }
system:distance { "rod", system.ground, bob, length = 1.0 }
system:observe { "energy", bob.x, unit = "m" } -- the name of another column
return vida.compare { system = system, time = 2, methods = { { "rattle", h = { 0.1, 0.05 } } } }
TEXT
expect 0 run "$work/swing.lua" --out "$work/csv" --quiet --columns all,drawing
expect 0 export "$work/csv" --format numpy
shows "2 trajectories exported to $work/csv/numpy"
expect 0 export "$work/csv" --format vtk --run 1
shows "1 trajectory exported to $work/csv/vtk"
if ! "$VIDA" --version | grep "without HDF5" >/dev/null; then
  expect 0 run "$work/swing.lua" --out "$work/h5" --quiet --columns all,drawing --format hdf5
  expect 0 export "$work/h5" --format numpy --out "$work/other"
  expect 0 export "$work/h5" --format vtk --run 1 --out "$work/other"
  for file in numpy/swing-rattle-h_0.1.npy numpy/swing-rattle-h_0.05.npy vtk/swing-rattle-h_0.1.pvd \
    vtk/swing-rattle-h_0.1-paths.vtp vtk/swing-rattle-h_0.1/000020.vtp; do
    cmp "$work/csv/$file" "$work/other/${file#*/}" || complain "CSV and HDF5 differ in $file"
  done
fi

# What is refused.
expect 2 export "$work/csv"
says "--format is missing: numpy or vtk"
expect 2 export "$work/csv" --format nump
says "did you mean 'numpy'?"
expect 1 export "$work/csv" --format vtk --run 3
says "has 2 runs, none of number 3"
expect 1 export "$work/csv" --format vtk --comparison 2
expect 1 export "$work/nothing" --format vtk
expect 0 run "$work/swing.lua" --out "$work/few" --quiet --columns energy
expect 1 export "$work/few" --format vtk
says "run the scenario with --columns all,drawing"
expect 0 run "$work/swing.lua" --out "$work/none" --quiet --set trajectories=none
expect 1 export "$work/none" --format numpy
says "has no trajectory of any run"
touch "$work/file"
expect 1 export "$work/csv" --format numpy --out "$work/file/below"

# ---- NumPy: the magic bytes, a description of a multiple of 64 bytes, little-endian numbers ------------
cat >"$work/read.lua" <<'TEXT'
local vida = require "vida"
local folder = arg[1]
local function all(path)
  local file <close> = assert(io.open(path, "rb"))
  return file:read "a"
end
local bytes = all(folder .. "/numpy/swing-rattle-h_0.1.npy")
local magic, major, minor, length = string.unpack("<c6BBI4", bytes)
assert(magic == "\x93NUMPY" and major == 3 and minor == 0 and (12 + length) % 64 == 0)
local head = bytes:sub(13, 12 + length)
assert(head:find("'fortran_order': False, 'shape': (21,), }", 1, true) and head:sub(-1) == "\n", head)
assert(head:find([[(('bob\'s ü.x [m]', 'bob\'s ü.x'), '<f8')]], 1, true), head)
assert(head:find("'energy_2'", 1, true), head)
local _, columns = head:gsub("'<f8'", "")
assert(#bytes == 12 + length + 8 * 21 * columns)
local states = vida.states(folder .. "/swing-rattle-h_0.1.csv")
for row, state in ipairs(states) do
  local t, x, y = string.unpack("<ddd", bytes, 13 + length + 8 * columns * (row - 1))
  assert(t == state.t and x == state.values["bob's ü.x"] and y == state.values["bob's ü.y"])
end

-- ---- ParaView: the particle, and the two ends of the rod ----------------------------------------------
local series = all(folder .. "/vtk/swing-rattle-h_0.1.pvd")
local count = 0
for t, name in series:gmatch 'timestep="([^"]*)" group="" part="0" file="([^"]*)"' do
  count = count + 1
  local state = states[count]
  local text = all(folder .. "/vtk/" .. name)
  local numbers = {}
  for number in text:match('Name="Points"[^\n]*\n(.-)</DataArray>'):gmatch "%S+" do
    numbers[#numbers + 1] = tonumber(number)
  end
  local x, y = state.values["bob's ü.x"], state.values["bob's ü.y"]
  assert(tonumber(t) == state.t and #numbers == 9)
  for i, expected in ipairs { x, y, 0, 0, 0, 0, x, y, 0 } do
    assert(math.abs(numbers[i] - expected) <= 1e-15, i)
  end
  assert(text:find('NumberOfPoints="3" NumberOfVerts="1" NumberOfLines="1"', 1, true))
end
assert(count == #states)
TEXT
"${lua[@]}" "$work/read.lua" "$work/csv" || complain "the files have other numbers"
if command -v xmllint >/dev/null; then
  xmllint --noout "$work"/csv/vtk/*.pvd "$work"/csv/vtk/*.vtp "$work"/csv/vtk/*/*.vtp || complain "no XML"
fi
if python3 -c "import numpy" 2>/dev/null; then
  python3 - "$work/csv/numpy/swing-rattle-h_0.1.npy" <<'TEXT' || complain "NumPy reads something else"
import sys, numpy
a = numpy.load(sys.argv[1])
assert a.shape == (21,) and a["t"][-1] == 2.0 and numpy.array_equal(a["t [s]"], a["t"])
assert numpy.allclose(a["bob's \u00fc.x"], a["energy_2"], 0, 1e-15)
TEXT
fi
finish
