// The page: what was run, the tables, failures, the animation and the plots of each comparison.

// ---- methods and their colours ----

function optionText(row) {
  return row.options ? ` ${row.options}` : "";
}

function stepText(row) {
  return row.h !== null ? `h = ${numberText(row.h, 6)} s` : `rtol = ${numberText(row.rtol, 6)}`;
}

// The states of a run that can be drawn: not those of one that has hardly any (of work and precision
// only the ends may be there), where others have many.
function drawnRuns(study) {
  const counts = study.runs.map((run) => (run ? run.t.length : 0));
  const least = Math.max(...counts) > 10 ? 4 : 1;
  return study.runs.map((run, i) => (counts[i] >= least ? run : null));
}

// One colour for each method, on white and on black, as the data have it.
function defineColours(methods) {
  const define = (theme) => `:root { ${methods.map((m, i) => `--method-${i}: ${m[theme]};`).join(" ")} }`;
  document.head.append(element("style", {},
    `${define("light")}\n@media (prefers-color-scheme: dark) { ${define("dark")} }`));
}

const mostShown = 12; // of the families, before anybody has chosen

// The families in turns: one of each method, then another one of each.
function inTurns(families) {
  const groups = [...groupBy(families, (family) => family.method).values()];
  const longest = Math.max(0, ...groups.map((group) => group.length));
  return Array.from({ length: longest }, (_, i) => groups.map((group) => group[i])).flat().filter(Boolean);
}

// Methods with the same options are one family. It has the colour of its method; its runs differ in
// step or tolerance, and in dashes.
function makeFamilies(study, methods) {
  const families = new Map();
  const drawn = drawnRuns(study);
  const nameOf = (row) => row.method + optionText(row);
  const fixed = new Set(study.rows.filter((row) => row.h !== null).map(nameOf));
  study.rows.forEach((row, index) => {
    const name = nameOf(row) + (row.h === null && fixed.has(nameOf(row)) ? " (adaptive)" : "");
    const family = families.get(name) || { name, method: row.method, members: [] };
    families.set(name, family);
    family.members.push({ row, index, run: drawn[index], family, shown: false });
  });
  const laps = methods.map((method) => method.lap);
  families.forEach((family) => {
    const place = methods.findIndex((method) => method.name === family.method);
    family.variable = `--method-${place}`;
    family.dash = laps[place]++; // tells its options from others of this method
    family.members.sort((a, b) => (b.row.h ?? b.row.rtol) - (a.row.h ?? a.row.rtol));
    family.members.forEach((member, k) => {
      member.dash = k + family.dash;
      member.name = `${family.name}, ${stepText(member.row)}`;
    });
  });
  // What differs is seen with the largest steps that reach the end.
  const first = (family) => family.members.find((m) => m.run && m.row.status === "ok")
    || family.members.find((m) => m.run);
  const made = [...families.values()];
  inTurns(made.filter(first)).slice(0, mostShown).forEach((family) => { first(family).shown = true; });
  return made;
}

function colourOf(family) {
  return getComputedStyle(document.documentElement).getPropertyValue(family.variable).trim();
}

function swatch(family) {
  return element("span", { class: "swatch", style: `background: var(${family.variable})`, "aria-hidden": "true" });
}

// "1 run", "2 runs"
function some(count, noun) {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

// ---- what was run ----

// Comparisons of a sweep have one system's name and a label each.
function titleOf(study) {
  return [study.system.name, study.label].filter(Boolean).join(", ");
}

function list(terms) {
  const made = element("dl");
  for (const [term, ...texts] of terms) {
    if (texts.some(Boolean)) {
      made.append(element("dt", {}, term), ...texts.filter(Boolean).map((text) => element("dd", {}, text)));
    }
  }
  return made;
}

// Groups in order of appearance: Map from key to items.
function groupBy(items, keyOf) {
  const groups = new Map();
  for (const item of items) {
    const key = keyOf(item);
    groups.set(key, groups.get(key) || []);
    groups.get(key).push(item);
  }
  return groups;
}

function termTexts(terms) {
  return [...groupBy(terms, (term) => (term.law ? springText(term) : term.role))].map(([role, group]) =>
    (group[0].law ? role : `${role}: ${group.map((term) =>
      `${term.count > 1 ? `${term.count} x ` : ""}“${term.name}”`).join(", ")}`));
}

function springText(term) {
  const law = term.law === "squared" ? "V = k (|d|² − l²)² / 4" : "V = k s² / 2 + k₃ s⁴ / 4, s = |d| − l";
  return `spring: ${law}, k = ${numberText(term.stiffness)}, k₃ = ${numberText(term.cubic)}, l = ${numberText(term.length)} m`;
}

function constraintTexts(rows) {
  const kinds = {
    distance: "distances g = (|d|² − l²) / 2l", holonomic: "g(q, t) = 0", nonholonomic: "nonholonomic, A(q, t) v + b = 0",
  };
  const detail = (row) => (row.kind === "distance" ? `, l = ${numberText(row.length, 6)} m` : row.unit && ` [${row.unit}]`);
  return [...groupBy(rows, (row) => row.kind)].map(([kind, group]) =>
    `${kinds[kind]}: ${group.map((row) => `“${row.name}”${detail(row)}`).join("; ")}`);
}

// What a list says that is cut: of counts that older data do not have it is not known.
function cutText(shown, all, what) {
  return shown < (all ?? shown) ? `the first ${shown} of ${all} ${what}` : "";
}

function countNote(shown, all, what) {
  const text = cutText(shown, all, what);
  return text ? element("p", { class: "faint" }, `${text[0].toUpperCase()}${text.slice(1)}.`) : null;
}

const mostConstraints = 40; // told one by one

function describeStudy(study) {
  const system = study.system;
  const also = (list, all, what) => [cutText(list.length, all, what)].filter(Boolean).map((text) => `(${text})`);
  const constraints = system.constraints.slice(0, mostConstraints);
  const observed = also(system.observables, system.observable_count, "observables");
  const masses = [system.particles.map((p) => `“${p.name}” ${numberText(p.mass, 6)} kg`).join(", "),
    ...also(system.particles, system.particle_count, "particles")];
  const gravity = system.gravity.some((g) => g !== 0) ? `(${system.gravity.map((g) => numberText(g, 6)).join(", ")}) m/s²` : "";
  const holonomic = system.constraints.filter((c) => c.kind !== "nonholonomic").length > 0;
  const rows = system.constraints.length > 0;
  const norm = `${study.norm}, ${study.relative ? "relative" : "absolute"}`;
  return [
    element("p", {}, `${some(system.coordinate_count, "coordinate")} q with rates v, ${some(system.constraint_count, "constraint row")}: `,
      `d/dt ∂L/∂v − ∂L/∂q = f${rows ? " − Gᵀ λ" : ""}${holonomic ? ", g(q, t) = 0, G = ∂g/∂q" : ""}. `,
      `From t = ${numberText(study.t0, 6)} s to ${numberText(study.t0 + study.time, 6)} s.`),
    list([
      ["Masses", ...masses], ["Gravity", gravity],
      ["Terms of L and f", ...termTexts(system.terms), ...also(system.terms, system.term_count, "terms")],
      ["Constraints", ...constraintTexts(constraints), ...also(constraints, system.constraint_count, "rows")],
      ["Parameters", system.parameters.map((p) => `${p.name} = ${numberText(p.value, 8)}`).join(", "),
        ...also(system.parameters, system.parameter_count, "parameters")],
      ["Conserved", [...system.momenta.map((m) => withUnit(m.name, m.unit)),
        ...system.observables.filter((o) => o.conserved).map((o) => withUnit(o.name, o.unit))].join(", ")],
      ["Observed", system.observables.filter((o) => !o.conserved).map((o) => withUnit(o.name, o.unit)).join(", "), ...observed],
      ["Settings", study.options],
      ["Reference", study.reference ? study.reference + (study.reference_error !== null
        ? ` (own position error about ${numberText(study.reference_error, 2)})` : "") : "none"],
      ["Error norm", norm],
      ["Initial values", ...study.notes.split("\n")],
      ["Times", study.times],
    ]),
    element("details", {}, element("summary", {}, "Coordinates and start values"),
      plainTable(["coordinate", "unit", "start", "rate at start", "mass"], system.coordinates.map((c) =>
        [c.name, c.unit, numberText(c.value, 10), numberText(c.rate, 10), c.mass ? numberText(c.mass, 6) : ""])),
      countNote(system.coordinates.length, system.coordinate_count, "coordinates")),
  ];
}

// ---- what it shows ----

function runText(row) {
  return `${row.method}${optionText(row)}, ${stepText(row)}`;
}

function timeText(row) {
  return `${numberText(1e3 * row.wall_s, 3)} ms`;
}

function makeCount(summary) {
  const { runs, finished, failed, methods } = summary;
  const rest = runs - finished - failed;
  if (runs === 0) {
    return "No runs.";
  }
  const ends = finished === runs ? "All runs reached their end"
    : [`${finished} reached the end`, failed > 0 && `${failed} failed`, rest > 0 && `${rest} not made`].filter(Boolean).join(", ");
  return `${some(runs, "run")} of ${some(methods, "method")}. ${ends}.`;
}

function makePrices(study, summary) {
  if (summary.prices.length === 0) {
    return [element("p", { class: "faint" }, study.reference ? "No run has a position error that is known, so what accuracy costs is not told."
      : "There is no reference, so errors of positions and what they cost are not known.")];
  }
  const unit = study.units.position_error;
  return [element("h3", {}, "The fastest run for each digit"),
    plainTable([withUnit("position error at most", unit), "fastest run", "time", withUnit("its error", unit), "next method"],
      summary.prices.map((price) => {
        const [row, next] = [study.rows[price.run], price.next === null ? null : study.rows[price.next]];
        const isClose = next && next.wall_s <= 1.25 * row.wall_s;
        return [numberText(price.error, 1) + (price.least_error < price.error ? ` to ${numberText(price.least_error, 1)}` : ""),
          runText(row), timeText(row), (row.position_error < study.reference_error ? "~ " : "") + numberText(row.position_error, 2),
          next ? `${runText(next)}, ${timeText(next)}${isClose ? " (as fast, within 25 %)" : ""}` : "none"];
      })),
    element("p", { class: "faint" }, "Of the runs made here, on this machine. ",
      study.times ? `${study.times[0].toUpperCase()}${study.times.slice(1)}. ` : "",
      study.reference_error !== null ? `The reference's own error, about ${numberText(study.reference_error, 2)}, is the least that can be told.` : "")];
}

// The answer: made of the rows by the program that made them; data of earlier versions have none.
function makeSummary(study) {
  const summary = study.summary;
  if (!summary) {
    return [];
  }
  const titles = { energy: "Energy", "energy balance": "Energy balance", momenta: "Momenta", constraints: "Constraints g = 0", "their rates": "Constraints, velocities" };
  const rows = [...groupBy(summary.lines, (line) => line.topic)].flatMap(([topic, lines]) =>
    lines.map((line, i) => [i === 0 ? titles[topic] || topic : "", line.verdict, line.text]));
  const kept = rows.length === 0 ? [] : [plainTable(["quantity", "", "methods"], rows), element("p", { class: "faint" },
    `Energy and momenta: ${study.norm}${study.relative ? ", relative" : ""}; constraints: the largest violation. `,
    "Of each method the worst of its finished runs counts.")];
  const failed = summary.failures.length === 0 ? [] : [element("h3", {}, "What failed"), element("ul", {},
    ...summary.failures.map((f) => element("li", {}, element("strong", {}, f.names), ": ",
      element("span", { class: "bad" }, f.status), ` ${f.text}`)))];
  return [element("div", { class: "answer" }, element("h3", {}, "What it shows"), element("p", {}, makeCount(summary)),
    ...kept, ...makePrices(study, summary), ...failed)];
}

// ---- failures and remarks ----

const mostNamed = 4;

// Remarks that are not told here are among the notes; data of earlier versions have the message only.
function makeMessages(study, families) {
  const members = families.flatMap((family) => family.members);
  const remark = (row) => (row.remarks || [{ told: true, text: row.message }]).filter((r) => r.told).map((r) => r.text).join("; ");
  const textOf = (row) => (row.status === "ok" ? remark(row)
    : `${row.status} at t = ${numberText(row.t_end, 6)} s. ${row.message}`);
  // What is said of several runs is said once.
  const entries = (wanted) => element("ul", {}, ...[...groupBy(wanted, (m) => textOf(m.row))].map(([text, group]) =>
    element("li", {}, ...group.slice(0, mostNamed).flatMap((m, i) =>
      [i > 0 ? "; " : "", swatch(m.family), element("strong", {}, m.name)]),
    group.length > mostNamed ? ` and ${some(group.length - mostNamed, "other run")}` : "", `: ${text}`)));
  const failed = members.filter((m) => m.row.status !== "ok");
  const remarked = members.filter((m) => m.row.status === "ok" && remark(m.row));
  return [
    // They are in the answer above, where there is one.
    ...(study.summary ? [] : [element("h3", {}, "Failures"),
      failed.length > 0 ? entries(failed) : element("p", {}, "All runs reached their end.")]),
    ...(remarked.length > 0 ? [element("h3", {}, "Remarks"), entries(remarked)] : []),
  ];
}

// ---- which runs are shown ----

function makeChooser(families, onChange) {
  const boxes = [];
  const groups = families.filter((family) => family.members.some((m) => m.run)).map((family) => element("div", {}, swatch(family), element("strong", {}, family.name), " ",
    ...family.members.filter((member) => member.run).map((member) => {
      const box = element("input", { type: "checkbox", checked: member.shown,
        "aria-label": member.name });
      box.addEventListener("change", () => {
        member.shown = box.checked;
        onChange();
      });
      boxes.push({ box, member });
      return element("label", {}, box, ` ${stepText(member.row)}${member.row.status === "ok" ? "" : " (failed)"}`);
    })));
  const all = (text, wanted) => {
    const button = element("button", { type: "button" }, text);
    button.addEventListener("click", () => {
      boxes.forEach(({ box, member }) => { box.checked = member.shown = wanted(member); });
      onChange();
    });
    return button;
  };
  return element("fieldset", {}, element("legend", {}, "Runs in the animation and in plots over time"),
    element("div", { class: "controls" }, all("Largest steps", (m) => m === m.family.members.find((x) => x.run)),
      all("Smallest steps", (m) => m === m.family.members.findLast((x) => x.run)), all("All", () => true),
      all("None", () => false)),
    element("div", { class: "runs" }, ...groups));
}

// ---- plots ----

function makePlots(study, families, chosen) {
  const system = study.system;
  const curves = (points) => chosen().map((m) => ({ name: m.name, colour: colourOf(m.family), dash: m.dash, points: points(m) }));
  const against = (m, values) => m.run.t.map((t, i) => [t, values[i]]);
  const size = (values) => values.map((v) => (v === null ? null : Math.abs(v)));
  const events = () => chosen().flatMap((m) => (m.run.events || []).map((e) => ({ t: e.t, colour: colourOf(m.family),
    text: `${m.name}: ${eventName(e)} at t = ${numberText(e.t, 10)} s` })));
  const overTime = (title, yLabel, values, logY = true) => plotFigure(() => ({
    title, xLabel: "t [s]", yLabel, logY, events: events(), curves: curves((m) => against(m, values(m))),
    empty: logY ? "Exactly zero throughout, for the runs that are chosen." : undefined }));
  const figures = [overTime("Energy error", study.energy_balance ? "|E − E(0) − work| [J]" : "|E − E(0)| [J]",
    (m) => size(m.run.energy_error))];
  if (study.energy_balance) {
    figures.push(overTime("Energy change", "E − E(0) [J]", (m) => m.run.energy_change, false));
  }
  if (system.momenta.length > 0) {
    figures.push(overTime("Momentum error", `|J − J(0)| [${system.momenta.length === 1 ? system.momenta[0].unit : "SI"}]`,
      (m) => m.run.momentum_change));
  }
  if (system.constraint_count > 0) {
    figures.push(overTime("Constraints, position level", "largest |g|", (m) => m.run.constraint_position),
      overTime("Constraints, velocity level", "largest |G v + ∂g/∂t|", (m) => m.run.constraint_velocity));
    let row = 0;
    const named = system.constraints.slice(0, study.runs.find(Boolean).multipliers.length);
    const figure = plotFigure(() => ({
      title: "Multipliers: constraint forces", xLabel: "t [s]",
      yLabel: withUnit(`λ ${system.constraints[row].name}`, system.constraints[row].multiplier_unit),
      curves: curves((m) => m.run.multipliers_t.map((t, i) => [t, m.run.multipliers[row][i]])),
    }), [choice("of", named.map((c) => c.name), 0, (i) => { row = i; figure.redraw(); }),
      cutNote(named.length, system.constraint_count, "rows")]);
    figures.push(figure);
  }
  figures.push(makePortrait(study, curves, "Phase portrait", 0), makePortrait(study, curves, "Trajectory", 1));
  return figures;
}

// Beside a choice that does not have all.
function cutNote(shown, all, what) {
  const text = cutText(shown, all, what);
  return text ? element("span", { class: "faint" }, text) : "";
}

// How far each of some recorded columns goes, in the runs together.
function rangesOf(study, columnsOf) {
  const ranges = [];
  for (const run of study.runs.filter(Boolean)) {
    columnsOf(run).forEach((column, i) => {
      const values = column.filter(Number.isFinite);
      const range = values.reduce((most, x) => Math.max(most, x), -Infinity) - values.reduce((least, x) => Math.min(least, x), Infinity);
      ranges[i] = Math.max(ranges[i] || 0, Number.isFinite(range) ? range : 0);
    });
  }
  return ranges;
}

// The coordinate that goes farthest, and the one that goes farthest beside it: of the same particle or body
// (“bob.x” and “bob.y”) where that moves, and of the same unit.
function findMoving(study, named) {
  const ranges = rangesOf(study, (run) => run.q);
  const best = (wanted) => named.reduce((found, c, i) => (wanted(c, i) && (found < 0 || ranges[i] > ranges[found]) ? i : found), -1);
  // Metres and radians cannot be compared: of two units that of more coordinates counts.
  const units = [...groupBy(named, (c) => c.unit)].sort((a, b) => b[1].length - a[1].length);
  const first = best((c) => c.unit === units[0]?.[0]);
  const owner = (c) => c.name.slice(0, c.name.lastIndexOf("."));
  const beside = (c, i) => i !== first && c.unit === named[first].unit && ranges[i] > 1e-9 * ranges[first];
  let second = best((c, i) => beside(c, i) && c.name.includes(".") && owner(c) === owner(named[first]));
  second = second < 0 ? best(beside) : second;
  return { first, second, inOrder: second < 0 ? [first] : [first, second].sort((a, b) => a - b) };
}

// Any quantity against any other: phase portraits, trajectories, coordinates over time.
function makePortrait(study, curves, title, kind) {
  const recorded = study.runs.find(Boolean);
  const named = study.system.coordinates.slice(0, recorded.q.length);
  const quantities = [{ name: "t [s]", of: (run) => run.t },
    ...named.map((c, i) => ({ name: withUnit(c.name, c.unit), of: (run) => run.q[i] })),
    ...named.map((c, i) => ({ name: `d ${c.name}/dt [${c.unit || "1"}/s]`, of: (run) => run.v[i] })),
    ...study.system.observables.slice(0, recorded.observables.length)
      .map((o, i) => ({ name: withUnit(o.name, o.unit), of: (run) => run.observables[i] }))];
  const n = named.length;
  const { first, inOrder } = findMoving(study, named);
  const x = { chosen: kind === 0 ? 1 + first : inOrder.length > 1 ? 1 + inOrder[0] : 0 };
  const y = { chosen: kind === 0 ? 1 + n + first : 1 + inOrder[inOrder.length - 1] };
  const figure = plotFigure(() => ({
    title, xLabel: quantities[x.chosen].name, yLabel: quantities[y.chosen].name,
    equal: x.chosen >= 1 && y.chosen >= 1 && x.chosen <= n && y.chosen <= n
      && named[x.chosen - 1].unit === named[y.chosen - 1].unit && named[x.chosen - 1].unit === "m",
    curves: curves((m) => m.run.t.map((t, i) => [quantities[x.chosen].of(m.run)[i], quantities[y.chosen].of(m.run)[i]])),
  }), [choice("x:", quantities.map((q) => q.name), x.chosen, (i) => { x.chosen = i; figure.redraw(); }),
    choice("y:", quantities.map((q) => q.name), y.chosen, (i) => { y.chosen = i; figure.redraw(); }),
    cutNote(n, study.system.coordinate_count, "coordinates")]);
  return figure;
}

// Errors of all runs against step, tolerance, wall time and evaluations.
function makePrecision(study, columns, families) {
  const errors = columns.filter((column) => column.smaller && column.axis
    && study.rows.some((row) => row[column.name] > 0));
  const plot = (title, xLabel, of) => {
    const members = families.flatMap((f) => f.members).filter((m) => of(m.row) > 0);
    if (errors.length === 0 || members.length === 0) {
      return null;
    }
    let shown = 0;
    const figure = plotFigure(() => ({
      title, xLabel, yLabel: withUnit(columnTitle(errors[shown]), study.units[errors[shown].name]), logX: true, logY: true,
      curves: families.map((family) => ({
        name: family.name, colour: colourOf(family), dash: family.dash, marks: true,
        points: family.members.filter((m) => m.row.status === "ok" && of(m.row) > 0 && m.row[errors[shown].name] > 0)
          .map((m) => [of(m.row), m.row[errors[shown].name]]),
      })),
    }), [choice("error:", errors.map((e) => columnTitle(e)), 0, (i) => { shown = i; figure.redraw(); })]);
    return figure;
  };
  return [plot("Error against step", "h [s]", (row) => row.h), plot("Error against tolerance", "rtol", (row) => row.rtol),
    plot("Error against wall time", "wall time [s]", (row) => row.wall_s),
    plot("Error against evaluations", "evaluations of the residual", (row) => row.residual_evaluations)].filter(Boolean);
}

// ---- one comparison ----

function makeMotion(study, chosen) {
  if (study.drawing.points > 0) {
    return makeAnimation(study, () => chosen().map((m) => ({ ...m, colour: colourOf(m.family) })));
  }
  const figure = makePortrait(study, (points) => chosen().map((m) =>
    ({ name: m.name, colour: colourOf(m.family), dash: m.dash, points: points(m) })), "Coordinates over time", 0);
  const [x, y] = figure.querySelectorAll("select");
  [x.value, y.value] = [0, Number(x.value)];
  x.dispatchEvent(new Event("change"));
  y.dispatchEvent(new Event("change"));
  const made = element("div", {}, element("p", {}, "This system says nothing of points in space that could be drawn, so its ",
    "coordinates are shown instead. ", element("code", {}, "system:draw { \"arm\", { 0, 0 }, { x, y } }"),
    " in the scenario gives it lines to animate."), figure);
  made.redraw = figure.redraw;
  return made;
}

// Of a sweep no legend could tell apart what each method was run with.
const mostOptions = 12;

function makeLegend(families) {
  const items = [...groupBy(families, (family) => family.method).values()].flatMap((group) =>
    (group.length > mostOptions ? [{ family: group[0], text: `${group[0].method}, ${group.length} sets of options` }]
      : group.map((family) => ({ family, text: family.name }))));
  return element("ul", { class: "legend" }, ...items.map(({ family, text }) => element("li", {}, swatch(family), text)));
}

function makeStudy(data, study, number) {
  const families = makeFamilies(study, data.methods);
  const chosen = () => families.flatMap((f) => f.members).filter((m) => m.run && m.shown);
  const any = study.runs.some(Boolean);
  const parts = [];
  const redraw = () => parts.forEach((part) => part.redraw());
  const section = element("section", { id: `comparison-${number}`, "aria-label": titleOf(study) });
  const [equations, ...description] = describeStudy(study);
  section.append(element("h2", {}, data.studies.length > 1 ? `${number}. ${titleOf(study)}` : titleOf(study)), equations,
    ...makeSummary(study), element("h3", {}, "Runs"), ...makeTable(study, data, families),
    ...makeSpreads(study, data.columns), ...makeOrders(study), ...makeMessages(study, families));
  if (any) {
    const motion = makeMotion(study, chosen);
    parts.push(motion);
    section.append(element("h3", {}, "Motion"), motion, makeChooser(families, redraw));
    section.motion = motion;
    const undrawn = families.flatMap((f) => f.members).filter((m) => !m.run).length;
    if (undrawn > 0) {
      section.append(element("p", { class: "faint" }, `${some(undrawn, "run")} in the table only: few or no states were recorded.`));
    }
    if (study.drawing.cut) {
      section.append(element("p", { class: "faint" }, "The system has more points than are drawn here."));
    }
  }
  const precision = makePrecision(study, data.columns, families);
  const plots = any ? makePlots(study, families, chosen) : [];
  parts.push(...plots, ...precision);
  if (parts.length > 0) {
    const every = Math.max(...study.runs.map((run) => (run ? run.every : 1)));
    section.append(element("h3", {}, "Plots"), element("p", { class: "faint" },
      "One colour per method; dashes tell its options and steps apart. ",
      every > 1 ? `Curves over time show one of up to ${every} rows of the trajectories. ` : ""),
    makeLegend(families), element("div", { class: "plots" }, ...plots, ...precision));
  }
  section.append(element("h3", {}, "What was run"), ...description);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  return section;
}

// ---- the page ----

function makePage(data) {
  const names = [...new Set(data.studies.map((study) => study.system.name))];
  const title = `${names.slice(0, 3).join(", ")}${names.length > 3 ? ", ..." : ""}: comparison of methods`;
  document.title = title;
  document.getElementById("title").textContent = title;
  document.getElementById("facts").textContent = [
    data.scenario && `Scenario ${data.scenario}.`,
    `VIDA ${data.vida}, SUNDIALS ${data.sundials}${data.software ? `, ${data.software}` : ""}.`,
    `${[data.processor, data.machine].filter(Boolean).join(", ")}, ${data.processors} processors.`,
    data.made && `Made ${data.made}.`].filter(Boolean).join(" ");
  defineColours(data.methods);
  const sections = data.studies.map((study, i) => makeStudy(data, study, i + 1));
  document.getElementById("main").append(...sections);
  if (sections.length > 1) {
    const contents = document.getElementById("contents");
    contents.hidden = false;
    contents.append(element("ul", {}, ...data.studies.map((study, i) =>
      element("li", {}, element("a", { href: `#comparison-${i + 1}` }, `${i + 1}. ${titleOf(study)}`)))));
  }
}

try {
  makePage(JSON.parse(document.getElementById("data").textContent));
} catch (error) {
  document.getElementById("main").append(element("p", { class: "bad", role: "alert" },
    `This page could not be drawn: ${error.message}`));
  throw error;
}
