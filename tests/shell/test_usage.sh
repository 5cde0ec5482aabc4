#!/usr/bin/env bash
# Help, versions, and wrong usage: exit code 2 and a message that names the nearest right word.
# shellcheck source-path=SCRIPTDIR source=support.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/support.sh"

expect 0 --help
shows "usage: vida COMMAND"
shows "vida run scenarios/double_spherical_pendulum.lua"
expect 0 -h
expect 0 --version
shows "vida "
shows "SUNDIALS "
shows "Lua 5.4"
expect 2
says "usage: vida COMMAND"
silent

for command in run check methods audit plot report; do
  expect 0 "$command" --help
  shows "usage: vida $command"
  shows "examples:"
done
expect 0 run --help
for option in --out --format --set --only --quiet --help; do
  shows "$option"
done

expect 2 rum
says "vida: unknown command 'rum'; did you mean 'run'?"
says "Try 'vida --help'."
expect 2 --verison
says "unknown option '--verison'"
expect 2 run
says "vida run: the name of a scenario is missing"
expect 2 run "$work/short.lua" --fromat csv
says "vida run: unknown option '--fromat'; did you mean '--format'?"
says "Try 'vida run --help'."
expect 2 run "$work/short.lua" --format
says "--format needs a value: --format table|csv|json"
expect 2 run "$work/short.lua" --format cvs
says "--format: expected table, csv, json or hdf5, got 'cvs'; did you mean 'csv'?"
expect 2 run "$work/short.lua" --quiet=yes
says "--quiet takes no value"
expect 2 run "$work/short.lua" "$work/failing.lua"
says "expected one scenario"
expect 2 run "$work/short.lua" --only ratle
says "unknown method 'ratle'; did you mean 'rattle'?"
expect 2 run "$work/short.lua" --only energy-momentum
says "--only: the scenario has no run of this method"
expect 2 run "$work/short.lua" --set duration
says "--set: expected name=value, got 'duration'"
expect 2 run "$work/short.lua" --set =3
says "--set: expected name=value, got '=3'"
expect 2 run "$work/short.lua" --out ''
says "--out needs the name of a folder"
silent

expect 0 methods
for method in del-midpoint del-endpoint rattle energy-momentum; do
  shows "$method"
done
expect 0 methods rattle
shows "rattle: "
shows "equation:"
shows "order:     2"
shows "linear_solver    auto|dense|klu, default auto"
expect 0 methods compose
shows "rotation-splitting, default"
expect 2 methods rattel
says "vida methods: unknown method 'rattel'; did you mean 'rattle'?"
expect 2 methods rattle del-midpoint
says "expected one method"
expect 2 methods --long
says "unknown option '--long'"

finish
