#!/usr/bin/env bash
# vida compare: rows are matched, differences are counted against the tolerances, exit codes are right.
# shellcheck source-path=SCRIPTDIR source=support.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/support.sh"

header=$columns
row() { # METHOD H ERROR WALL [STATUS [STEPS]]
  echo "s,$1,,$2,,${5:-ok},1,${6:-10},3,4,5,$4,$3,,,,,,,,,,,,,"
}
{ echo "$header"; row rattle 0.1 1e-3 1; row rattle 0.05 2e-4 1; } >"$work/a.csv"
{ echo "$header"; row rattle 0.05 2e-4 7; row rattle 0.1 1e-3 3; } >"$work/same.csv" # in another order
{ echo "$header"; row rattle 0.1 1.001e-3 1; row rattle 0.05 2e-4 1 STOPPED 11; } >"$work/other.csv"

expect 0 compare "$work/a.csv" "$work/same.csv"
shows "2 rows compared, 0 cells beyond rtol = 1e-09, atol = 0"
expect 1 compare "$work/a.csv" "$work/other.csv"
shows "row 1 (rattle, h = 0.1): position_error: 1e-3, 1.001e-3"
shows "row 2 (rattle, h = 0.05): status: ok, STOPPED"
shows "row 2 (rattle, h = 0.05): steps: 10, 11"
shows "2 rows compared, 3 cells beyond"
# |1.001e-3 - 1e-3| / 1.001e-3 = 9.99e-4
grep -q '^position_error  *1  *0\.000999  *1e-06  rattle, h = 0\.1$' "$work/out" ||
  complain "the line of the column: $(grep ^position "$work/out")"

# Both tolerances have to be exceeded; a status is never within one.
{ echo "$header"; row rattle 0.1 1.001e-3 1; row rattle 0.05 2e-4 1; } >"$work/near.csv"
expect 0 compare "$work/a.csv" "$work/near.csv" --rtol 1e-2
expect 1 compare "$work/a.csv" "$work/near.csv" --rtol 9.9e-4
expect 0 compare "$work/a.csv" "$work/near.csv" --atol 1.1e-6
expect 1 compare "$work/a.csv" "$work/other.csv" --rtol 1e9 --atol 1e9
shows "status: ok, STOPPED"

# An empty cell is not zero.
{ echo "$header"; row rattle 0.1 '' 1; row rattle 0.05 2e-4 1; } >"$work/empty.csv"
expect 1 compare "$work/a.csv" "$work/empty.csv" --rtol 1e9 --atol 1e9
shows "position_error: 1e-3, empty"

# Rows of one file only.
{ echo "$header"; row rattle 0.1 1e-3 1; } >"$work/less.csv"
expect 1 compare "$work/a.csv" "$work/less.csv"
shows "1 row is in '$work/a.csv' only"
expect 1 compare "$work/less.csv" "$work/a.csv"
expect 0 compare "$work/less.csv" "$work/a.csv" --common
{ echo "$header"; row del-midpoint 0.1 1e-3 1; } >"$work/foreign.csv"
expect 1 compare "$work/less.csv" "$work/foreign.csv" --common # nothing in common is no agreement

# Trajectories: by time, relative to the largest value of the column.
printf 't [s],x [m],y [m]\n0,1,0\n0.1,0.5,0\n0.2,1e-9,0\n' >"$work/t1.csv"
printf 't [s],x [m],y [m]\n0,1,0\n0.1,0.5,0\n0.2,1.5e-9,0\n' >"$work/t2.csv"
printf 't [s],x [m],y [m]\n0,1,0\n0.2,1e-9,0\n' >"$work/t3.csv"
expect 0 compare "$work/t1.csv" "$work/t2.csv"
shows "5e-10"
expect 1 compare "$work/t1.csv" "$work/t2.csv" --rtol 1e-10
shows "row 3 (t = 0.2): x [m]: 1e-9, 1.5e-9"
expect 1 compare "$work/t1.csv" "$work/t3.csv"
shows "1 row is in '$work/t1.csv' only"
expect 0 compare "$work/t3.csv" "$work/t1.csv" --common
shows "2 rows compared"
expect 1 compare "$work/t1.csv" <(printf 't [s],x [m]\n0,1\n0.1,0.5\n0.2,1e-9\n')
shows "1 column is in one file only"

# Not more than 20 cells, unless all are wanted.
{ echo "t,x"; seq -f '%g,1' 50; } >"$work/many1.csv"
{ echo "t,x"; seq -f '%g,2' 50; } >"$work/many2.csv"
expect 1 compare "$work/many1.csv" "$work/many2.csv"
shows "and 30 more; --all shows them"
expect 1 compare "$work/many1.csv" "$work/many2.csv" --all
(($(grep -c '^row ' "$work/out") == 50)) || complain "not all cells are shown"

# A file commands no terminal.
printf 't,\033[2Jx\n0,1\n' >"$work/evil1.csv"
printf 't,\033[2Jx\n0,\033c\n' >"$work/evil2.csv"
expect 1 compare "$work/evil1.csv" "$work/evil2.csv"
shows "?[2Jx: 1, ?c"
grep -q $'\033' "$work/out" && complain "an escape character of a file was printed"

# Trouble is no difference.
expect 2 compare "$work/a.csv"
says "expected the names of two files"
expect 2 compare "$work/a.csv" "$work/same.csv" "$work/t1.csv"
says "got a third one"
expect 2 compare "$work/a.csv" "$work/nowhere.csv"
says "cannot read '$work/nowhere.csv'"
expect 2 compare "$work/a.csv" "$work/t1.csv"
says "expected two files of the same kind"
expect 2 compare "$work/a.csv" <(echo 'a,b')
says "is neither a comparison"
expect 2 compare "$work/a.csv" "$work/same.csv" --rtol -1
says "--rtol: expected a number that is not negative, got '-1'"

# What runs write is the same twice: results do not depend on how many runs are made at once.
expect 0 run "$work/short.lua" --out "$work/one"
expect 0 run "$work/short.lua" --out "$work/two" --jobs 2
expect 0 compare "$work/one" "$work/two" --rtol 0
for file in "$work"/one/short*.csv; do
  expect 0 compare "$file" "$work/two/${file##*/}" --rtol 0
done

finish
