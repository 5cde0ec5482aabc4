#!/usr/bin/env bash
# The page of a report in a real browser: it loads without errors and without a network, its table
# sorts, its animation plays, and no name in it can break out of its data.
# shellcheck source-path=SCRIPTDIR source=support.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/support.sh"
# shellcheck source-path=SCRIPTDIR source=browser.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/browser.sh"

# is WHAT EXPECTED SCRIPT: what the script returns in the page.
is() {
  local got
  got=$(browser_do "$3")
  [[ $got == "$2" ]] || complain "$1: expected '$2', got '$got'"
}

# ---- the files ---------------------------------------------------------------------------------
cd "$work" || exit 1
expect 1 run "$work/short.lua" --report --out short.lua/folder
says "cannot create the folder 'short.lua/folder': 'short.lua' is not a folder"

# Names that would end the element of the data, or an attribute, if they were written as they are.
script hostile <<'TEXT'
local vida = require "vida"
local system = vida.system { "</script><script>alert(1)</script>", dimension = 2 }
system:gravity { 0, -9.81 }
local bob = system:particle { "<b>\"bob\"</b>", mass = 1.0, position = { 1, 0 } }
system:distance { "rod <!-- ]]>", system.ground, bob, length = 1.0 }
system:draw { "line", { 0, 0 }, bob }
return vida.compare {
  system = system, time = 1, reference = { "rattle", h = 0.001 },
  methods = { { "rattle", h = { 0.1, 0.02, 0.05 } }, { "del-midpoint", h = 0.1 } },
}
TEXT
expect 0 run "$work/hostile.lua" --report --quiet
says "the report is hostile-report/report.html"
is_json hostile-report/report.json \
  'value.vida_page == 2 and #value.studies[1].rows == 4 and #value.studies[1].runs == 4'
is_json hostile-report/report.json 'value.studies[1].system.name == "</script><script>alert(1)</script>"'
(($(grep -c -i '</script' hostile-report/report.html) == 2)) || complain "a name ends a script element"
if grep -E -q 'https?://[^w]' hostile-report/report.html; then
  complain "the page speaks of something in the network"
fi

# From its data the page comes out the same; what is no data is refused.
mv hostile-report/report.html first.html
expect 0 report hostile-report
cmp -s first.html hostile-report/report.html || complain "vida report makes another page"
mkdir other
echo '{"vida_page": 2, "studies": [' >other/report.json
expect 1 report other
says "is not, or not completely, the data of a report"
[[ ! -e other/report.html ]] || complain "a page of data that are cut off"
expect 1 report "$work"
says "cannot read"
expect 2 report
expect 2 report one two

# The data are there without the page; a page of an earlier run goes.
expect 0 run "$work/short.lua" --out hostile-report --quiet
[[ ! -e hostile-report/report.html ]] || complain "a page of an earlier run is left"
expect 0 report hostile-report
grep -q -F '"name": "short"' hostile-report/report.html || complain "no page of stored data"
expect 0 run "$work/hostile.lua" --report --quiet

# Failures, from Lua, of a system without points.
cat >plain.lua <<'TEXT'
local vida = require "vida"
local swing = vida.system "swing"
local x, v = swing:coordinate { "angle", unit = "rad", value = 1, rate = 0 }
swing:lagrangian(0.5 * v ^ 2 + vida.cos(x))
local comparison = vida.compare { system = swing, time = 2, methods = { { "rattle", h = { 0.1, 0.05 } } } }
local good, message = pcall(comparison.run, comparison, { quiet = true, report = "no/such/plain.html" })
assert(not good and message:find("cannot write 'no/such/plain.html'", 1, true), message)
comparison:run { quiet = true, report = "plain.html" }
TEXT
"${lua[@]}" plain.lua || complain "comparison:run { report = ... } failed"
expect 1 run "$work/failing.lua" --report --quiet

# Scenarios, whose pages are opened below.
expect 0 run "$SOURCE/scenarios/double_spherical_pendulum.lua" --set time=2 --report --quiet
expect 0 run "$SOURCE/scenarios/squeezer_work_precision.lua" --only rattle --set repeats=1 --report --quiet
expect 0 run "$SOURCE/scenarios/rolling_disk.lua" --report --quiet

# A sweep: far more runs than can be recorded.
script many <<'TEXT'
local vida = require "vida"
local system = vida.system { "many", dimension = 2 }
system:gravity { 0, -9.81 }
local bob = system:particle { "b", mass = 1.0, position = { 1, 0 } }
system:distance { "rod", system.ground, bob, length = 1.0 }
return vida.sweep {
  system = system, time = 1, cloud = { count = 30, spread = { ["d b.y/dt"] = 0.1 } },
  methods = { { "rattle", h = 0.05 }, { "hht", h = 0.05 }, { "energy-momentum", h = 0.05 } },
}
TEXT
expect 0 run "$work/many.lua" --report --quiet --jobs 2
# Coordinates in m and rad have no unit in common, and nor have their rates and multipliers.
script mixed <<'TEXT'
local vida = require "vida"
local system = vida.system { "mixed", dimension = 2 }
local bob = system:particle { "b", mass = 1.0, position = { 1, 0 }, velocity = { 0, 1 } }
local angle, rate = system:coordinate { "angle", unit = "rad", value = 0, rate = 1 }
system:lagrangian(0.5 * rate ^ 2)
system:distance { "rod", system.ground, bob, length = 1.0 }
system:constraint { "turn", angle - 1.0 * system.time, unit = "rad" }
return vida.compare {
  system = system, time = 1, reference = { "rattle", h = 0.01 }, methods = { { "rattle", h = 0.1 } },
}
TEXT
expect 0 run "$work/mixed.lua" --report --quiet
for column in position_error velocity_error multiplier_error constraint_position constraint_velocity; do
  is_json mixed-report/report.json "value.studies[1].units.$column == ''"
  is_json many-report/report.json "value.studies[1].units.$column ~= ''"
done
is_json many-report/report.json "value.studies[1].units.multiplier_error == 'N'"
is_json mixed-report/report.json "value.studies[1].units.energy_error == 'J'"

# A chain of more rods than are listed, whose first particle rests.
script chain <<'TEXT'
local vida = require "vida"
local system = vida.system { "chain", dimension = 2 }
local last = system:particle { "first", mass = 1, position = { 0, -1 }, velocity = { 0, 0 } }
system:distance { "rod 1", system.ground, last, length = 1 }
for i = 2, 45 do
  local bob = system:particle { "bob " .. i, mass = 1, position = { 0, -i }, velocity = { 0, 0 } }
  system:distance { "rod " .. i, last, bob, length = 1 }
  last = bob
end
system:particle { "free", mass = 1, position = { 1, 0 }, velocity = { 1, 2 } }
return vida.compare { system = system, time = 0.1, methods = { { "rattle", h = 0.05 } } }
TEXT
expect 0 run "$work/chain.lua" --report --quiet

# A ball that hits the floor after 0.3 s, and half as fast 0.3 s later.
script bouncing <<'TEXT'
local vida = require "vida"
local system = vida.system { "ball", dimension = 2 }
system:gravity { 0, -10 }
local ball = system:particle { "ball", mass = 1, position = { 0, 0.45 } }
system:contact { "<floor>", gap = ball.y, restitution = 0.5 }
return vida.compare { system = system, time = 1, methods = { { "rattle", h = { 0.1, 0.05 } } } }
TEXT
expect 0 run "$work/bouncing.lua" --set time=0.7 --report --quiet

# Pictures go into the folder of the page.
if command -v gnuplot >/dev/null 2>&1; then
  mkdir drawn
  (cd drawn && expect 0 run "$work/short.lua" --report --plot energy --quiet)
  [[ -s drawn/short-report/plots/energy.svg ]] || complain "no picture beside the page"
fi

# ---- in the browser ----------------------------------------------------------------------------
browser_start

browser_open "$work/hostile-report/report.html"
is "the title" "</script><script>alert(1)</script>: comparison of methods" \
  'return document.getElementById("title").textContent'
is "tables have a row per run" 4 'return document.querySelectorAll("section > .scroll tbody")[0].rows.length'

# Sorting: by h upwards and downwards, by click and by keyboard; the text of the second column.
order='const table = document.querySelector("section > .scroll table");
  const at = [...table.tHead.rows[0].cells].findIndex((cell) => cell.textContent.startsWith("h"));
  const head = table.tHead.rows[0].cells[at];
  const values = () => [...table.tBodies[0].rows].map((row) => row.cells[at].textContent).join(" ");'
is "before sorting" "0.1 0.02 0.05 0.1" "$order return values()"
is "sorted" "0.02 0.05 0.1 0.1 ascending" \
  "$order head.querySelector('button').click(); return values() + ' ' + head.getAttribute('aria-sort')"
is "sorted downwards" "0.1 0.1 0.05 0.02 descending" \
  "$order head.querySelector('button').click(); return values() + ' ' + head.getAttribute('aria-sort')"
is "heads can be reached by keyboard" true \
  "$order head.querySelector('button').focus(); return document.activeElement.tagName === 'BUTTON'"

# The animation: plays, goes on in time, pauses, follows the slider, and draws something.
motion='const motion = document.querySelector("section").motion;'
is "at the start" "0 false" "$motion return motion.state.t + ' ' + motion.state.playing"
is "the button" Pause \
  "$motion const play = motion.querySelector('button'); play.click(); return play.textContent"
for ((i = 0; i < 600; i++)); do
  sleep 0.1
  [[ $(browser_do "$motion return motion.state.t > 0 && motion.state.frames > 3") == true ]] && break
done
is "it moves" true "$motion return motion.state.t > 0 && motion.state.frames > 3"
is "paused, or at its end" "false Play" "$motion const play = motion.querySelector('button');
  if (motion.state.playing) { play.click(); } return motion.state.playing + ' ' + play.textContent"
is "scrubbed" 0.25 "$motion const slider = motion.querySelector('input[type=range]');
  slider.value = 250; slider.dispatchEvent(new Event('input')); return motion.state.t"
is "told to screen readers" true \
  "$motion return motion.querySelector('canvas').getAttribute('aria-label').includes('t = 0.25 s')"
is "distances are those from the reference" true "$motion const remark = () => motion.querySelector('[role=status]').textContent;
  const box = [...motion.querySelectorAll('label')].find((l) => l.textContent.startsWith('reference'))
    .querySelector('input');
  const before = remark().includes('Largest distance from the reference:');
  box.click(); const after = remark().includes('the reference'); box.click(); return before && !after"
is "the reference is drawn where it is" true "$motion const study = JSON.parse(
    document.getElementById('data').textContent).studies[0];
  const [p, r] = [pointsAt(study.runs[1], 1)[0], pointsAt(study.reference_run, 1)[0]];
  const distance = Math.hypot(p[0] - r[0], p[1] - r[1]);
  return distance > 0 && distance < 2e-3"
is "something is drawn" true "$motion const canvas = motion.querySelector('canvas');
  const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  return pixels.some((value) => value > 0)"

is "without events there is no line of time" true "$motion
  return motion.querySelector('.timeline').getBoundingClientRect().height === 0
    && [...motion.querySelectorAll('button')].find((b) => b.textContent === 'Next event').hidden"

# The particle is where a free pendulum of 1 m, released from the horizontal, is at t = 0.25 s: its
# angle from there, and its height -sin of it, follow from a'' = 9.81 cos a (fourth-order Runge and
# Kutta here).
is "the drawing is right" true "$motion const step = (a, w) => [w, 9.81 * Math.cos(a)];
  let [a, w] = [0, 0]; const h = 1e-4;
  for (let i = 0; i < 2500; i++) {
    const k1 = step(a, w), k2 = step(a + h / 2 * k1[0], w + h / 2 * k1[1]),
      k3 = step(a + h / 2 * k2[0], w + h / 2 * k2[1]), k4 = step(a + h * k3[0], w + h * k3[1]);
    a += h / 6 * (k1[0] + 2 * k2[0] + 2 * k3[0] + k4[0]);
    w += h / 6 * (k1[1] + 2 * k2[1] + 2 * k3[1] + k4[1]);
  }
  const data = JSON.parse(document.getElementById('data').textContent);
  const p = pointsAt(data.studies[0].runs[1], 0.25)[0];
  return Math.hypot(p[0] - Math.cos(a), p[1] + Math.sin(a)) < 1e-3"

# Plots: those of errors over time, multipliers, portraits, convergence and work, with curves.
is "plots" true 'return document.querySelectorAll("figure").length >= 8'
is "plots with curves" 0 'return [...document.querySelectorAll("figure")]
  .filter((figure) => !figure.querySelector("path.curve")).map((f) => f.textContent).join().length'
is "one colour per method" true 'const of = (title) => [...document.querySelectorAll("figure")]
    .find((f) => f.textContent.includes(title));
  const stroke = (title) => [...of(title).querySelectorAll("path")]
    .filter((p) => p.textContent.startsWith("rattle")).map((p) => p.getAttribute("stroke"));
  return new Set([...stroke("Energy error"), ...stroke("Error against step")]).size === 1'
is "plots have descriptions" true 'return [...document.querySelectorAll("figure svg")]
  .every((svg) => svg.getAttribute("aria-label").length > 20)'

# Narrow: nothing but tables is wider than the window. Dark: other colours.
browser_protocol Emulation.setDeviceMetricsOverride \
  '{"width": 360, "height": 700, "deviceScaleFactor": 1, "mobile": false}' >/dev/null
browser_open "$work/hostile-report/report.html"
is "fits 360 pixels" true 'return document.documentElement.scrollWidth <= 360'
paper='return getComputedStyle(document.body).backgroundColor'
light=$(browser_do "$paper")
browser_protocol Emulation.setEmulatedMedia \
  '{"features": [{"name": "prefers-color-scheme", "value": "dark"}]}' >/dev/null
[[ $light != "$(browser_do "$paper")" ]] || complain "dark is as light"

# Failures have their reasons; a system without points shows its coordinates and says so.
browser_open "$work/failing-report/report.html"
is "the failure is told" true \
  'return /rattle, h = 1 s: \w+ at t = /.test(document.querySelector("section").textContent)'
browser_open "$work/plain.html"
is "no points" true 'const text = document.querySelector("main").textContent;
  return text.includes("system:draw") && text.includes("All runs reached their end.")'

# Events: ticks at their times on a line of time, names, and a flash at each of them.
browser_open "$work/bouncing-report/report.html"
browser_do 'document.querySelectorAll("fieldset button")[2].click()' >/dev/null
next='[...motion.querySelectorAll("button")].find((b) => b.textContent === "Next event").click();'
is "two impacts of two runs" "4 0.3 0.6" "$motion const ticks = [...motion.querySelectorAll('.timeline .event')];
  const line = motion.querySelector('.timeline .grid'), from = Number(line.getAttribute('x1'));
  const at = (k) => (Number(ticks[k].getAttribute('x1')) - from) / (Number(line.getAttribute('x2')) - from) * 0.7;
  return ticks.length + ' ' + at(0).toFixed(6).replace(/0+$/, '') + ' ' + at(3).toFixed(6).replace(/0+$/, '')"
is "with a name" "<floor>, impact" "$motion return motion.querySelector('.timeline text').textContent"
is "no flash before" 0 "$motion return motion.state.flashes.length"
is "the next event" "true 2 true" "$motion const before = motion.querySelector('canvas').toDataURL();
  $next return (Math.abs(motion.state.t - 0.3) < 1e-9) + ' ' + motion.state.flashes.length + ' '
    + (before !== motion.querySelector('canvas').toDataURL())"
is "it is told" true "$motion return motion.querySelector('[role=status]').textContent.includes('Just now: <floor>, impact.')"
is "and the one after it" true "$motion $next return Math.abs(motion.state.t - 0.6) < 1e-9"
is "then the first again" true "$motion $next return Math.abs(motion.state.t - 0.3) < 1e-9"
is "a tick leads to its time" true "$motion const ticks = motion.querySelectorAll('.timeline .event');
  ticks[3].dispatchEvent(new MouseEvent('click')); return Math.abs(motion.state.t - 0.6) < 1e-9"
is "the flash fades" 0 "$motion const slider = motion.querySelector('input[type=range]');
  slider.value = 990; slider.dispatchEvent(new Event('input')); return motion.state.flashes.length"

# The scenarios: a section and an animation for each comparison, in which something is drawn
# and no number is missing.
for name in double_spherical_pendulum:1 squeezer_work_precision:1 rolling_disk:3; do
  browser_open "$work/${name%:*}-report/report.html"
  is "$name: animations" "${name#*:}" 'return document.querySelectorAll("section canvas").length'
  is "$name: all runs are well" "${name#*:}" \
    'return document.querySelector("main").textContent.split("All runs reached their end.").length - 1'
  is "$name: drawn" true 'return [...document.querySelectorAll("canvas")].every((canvas) => canvas.width > 100
    && canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some((v) => v > 0))'
  is "$name: error against step" true 'return [...document.querySelectorAll("figure")]
    .find((f) => f.textContent.includes("Error against step")).querySelectorAll("circle").length >= 3'
  is "$name: no number is missing" false 'return /NaN|undefined|null|Infinity/.test(
    document.querySelector("main").textContent + [...document.querySelectorAll("path")].map((p) => p.getAttribute("d")))'
done
browser_open "$work/squeezer_work_precision-report/report.html"
is "what errors cost" true 'const table = [...document.querySelectorAll("table")]
    .find((t) => t.tHead.textContent.includes("order"));
  const heads = [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
  return heads.includes("1e-6") && [...table.tBodies[0].rows].every((row) => /^\* [0-9.]+$/.test(
    row.cells[heads.indexOf("1e-6")].textContent))'
is "errors against evaluations" true 'return [...document.querySelectorAll("figure")]
  .find((f) => f.textContent.includes("Error against evaluations")).querySelectorAll("circle").length >= 3'
browser_open "$work/double_spherical_pendulum-report/report.html"
is "keys turn the view" true 'const canvas = document.querySelector("canvas");
  const before = canvas.toDataURL();
  canvas.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowLeft" }));
  return canvas.toDataURL() !== before'
is "runs can be chosen" true 'const of = () => [...document.querySelectorAll("figure")]
    .find((f) => f.textContent.includes("Energy error")).querySelectorAll("path").length;
  const before = of();
  [...document.querySelectorAll("button")].find((b) => b.textContent === "All").click();
  return of() > before'

# Every method has one colour, and as many of its runs are shown as of the others.
browser_open "$work/many-report/report.html"
is "colours of the table" 3 'return new Set([...document.querySelectorAll("tbody .swatch")].map((s) =>
  getComputedStyle(s).backgroundColor)).size'
is "the legend" "rattle, 30 sets of options; hht, 30 sets of options; energy-momentum, 30 sets of options" \
  'return [...document.querySelectorAll(".legend li")].map((item) => item.textContent).join("; ")'
is "notes on times" "times are those of 2 parallel runs, which share the machine" \
  'return [...document.querySelectorAll("dt")].find((t) => t.textContent === "Times").nextSibling.textContent'
is "notes on the start" undefined \
  'return String([...document.querySelectorAll("dt")].find((t) => t.textContent === "Initial values"))'
is "the column that sorts has its title" "Sorted by energy error, ascending." \
  '[...document.querySelectorAll("th button")].find((b) => b.textContent.startsWith("energy error")).click();
  return [...document.querySelectorAll("[role=status]")].map((s) => s.textContent).find((t) => t.startsWith("Sorted"))'
is "curves of each method" "4 4 4" 'const curves = [...[...document.querySelectorAll("figure")]
    .find((f) => f.textContent.includes("Energy error")).querySelectorAll("path.curve")];
  return [...new Set(curves.map((c) => c.getAttribute("stroke")))].map((colour) =>
    curves.filter((c) => c.getAttribute("stroke") === colour).length).join(" ")'
is "recorded runs of each method" "20 20 20" 'return ["rattle", "hht", "energy-momentum"].map((method) =>
  [...document.querySelectorAll("fieldset input")].filter((box) =>
    box.getAttribute("aria-label").startsWith(method)).length).join(" ")'

# Lists that are cut say so.
browser_open "$work/chain-report/report.html"
is "constraints are cut" true 'return document.querySelector("main").textContent.includes("the first 40 of 45 rows")'
is "coordinates are cut" true 'return document.querySelector("main").textContent.includes("the first 24 of 92 coordinates")'
# Portraits begin with what moves: y of the upper mass swings farther than x, which begins at 0.
browser_open "$work/mixed-report/report.html"
is "portraits are of what moves" true 'const of = (title) => [...document.querySelectorAll("figure")]
    .find((f) => f.querySelector("figcaption").textContent === title);
  return of("Phase portrait").querySelector("select").selectedOptions[0].text.startsWith("b.")'
# The answer comes first, before the table of runs.
browser_open "$work/double_spherical_pendulum-report/report.html"
is "the answer" true 'const text = document.querySelector("section").textContent;
  const at = ["What it shows", "29 runs of 9 methods", "The fastest run for each digit", "Runs", "Motion", "Plots", "What was run"]
    .map((word) => text.indexOf(word));
  return at.every((place, i) => place >= 0 && (i === 0 || place > at[i - 1]))'
is "energy-momentum keeps the energy" true 'return [...document.querySelectorAll(".answer tr")].some((row) =>
  row.textContent.startsWith("Energykept to rounding") && row.textContent.includes("energy-momentum"))'

log=$(browser_log browser)
[[ $log == '{"value":[]}' ]] || complain "the console says $log"
# Every request of the browser: the pages themselves and nothing else.
# (The start page of the browser is none of ours.)
browser_log performance | sed 's/{"level"/\n&/g' | grep 'Network.requestWillBeSent' |
  grep -F '"documentURL\":\"file:' >"$work/requests"
(($(wc -l <"$work/requests") >= 4)) || complain "the browser's requests are not known"
if grep -o -E '\\"url\\":\\"(https?|wss?|ftp):[^"]*' "$work/requests"; then
  complain "the page asks the network"
fi

finish
