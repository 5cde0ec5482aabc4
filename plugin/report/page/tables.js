// The tables of the page: the runs, and what is fitted to them.

// Columns are called as in the files, in words.
function columnTitle(column) {
  return column.name.replaceAll("_", " ");
}

const digitsOf = { h: 6, rtol: 6, t_end: 6 };

// A defect of the symplectic form may be what the finite differences are off by.
function defectText(row, factor) {
  const [value, noise] = [row.symplectic_defect, row.symplectic_noise];
  if (value === null || noise === null || value >= factor * noise) {
    return numberText(value, 4);
  }
  return value >= 1 ? "not measurable" : `< ${numberText(value, 4)}`;
}

// A defect of the energy's balance may be what the integration of the work is off by.
function balanceText(row) {
  const [value, doubt] = [row.energy_error, row.work_error];
  return (value !== null && doubt !== null && value < doubt ? "< " : "") + numberText(value, 4);
}

// The runs, sorted by the column that is clicked.
function makeTable(study, data, families) {
  const columns = data.columns;
  const measured = columns.filter((column) => column.name !== "system" && column.name !== "message"
    && (study.energy_balance || !column.exchange) // of other systems they tell nothing new
    && study.rows.some((row) => row[column.name] !== null && row[column.name] !== ""));
  // What is compared first, what it took last.
  const isCost = (column) => column.group === "cost";
  const shown = [...measured.filter((c) => !isCost(c)), ...measured.filter(isCost)];
  const members = families.flatMap((family) => family.members).sort((a, b) => a.index - b.index);
  const body = element("tbody");
  const heads = [];
  const status = element("p", { class: "faint", role: "status" });

  const fill = (order) => body.replaceChildren(...order.map((member) => element("tr", {},
    ...shown.map((column) => {
      const value = member.row[column.name];
      if (column.type !== "text") {
        return element("td", { title: value === null ? "not measured" : String(value) },
          column.name === "symplectic_defect" ? defectText(member.row, data.noise_factor)
            : column.name === "energy_error" ? balanceText(member.row)
            : numberText(value, column.type === "count" ? 15 : digitsOf[column.name] || 4));
      }
      const bad = column.name === "status" && value !== "ok";
      const kind = column.name === "options" ? "text options" : bad ? "text bad" : "text";
      return column.name === "method"
        ? element("th", { scope: "row", class: kind }, swatch(member.family), value)
        : element("td", { class: kind, title: bad ? (data.statuses || {})[value] || null : null }, value);
    }))));

  function sortBy(column, index) {
    const descending = heads[index].getAttribute("aria-sort") === "ascending";
    const order = [...members].sort((a, b) => {
      const [x, y] = [a.row[column.name], b.row[column.name]];
      if (x === null || y === null) { // not measured: last, either way
        return (x === null) - (y === null) || a.index - b.index;
      }
      const difference = column.type === "text" ? x.localeCompare(y, "en") : x - y;
      return (descending ? -difference : difference) || a.index - b.index;
    });
    heads.forEach((head) => head.removeAttribute("aria-sort"));
    heads[index].setAttribute("aria-sort", descending ? "descending" : "ascending");
    status.textContent = `Sorted by ${columnTitle(column)}, ${descending ? "descending" : "ascending"}.`;
    fill(order);
  }

  shown.forEach((column, index) => {
    const button = element("button", { type: "button", title: column.text }, columnTitle(column),
      element("span", { class: "unit" }, study.units[column.name]));
    button.addEventListener("click", () => sortBy(column, index));
    heads.push(element("th", { scope: "col", class: column.type === "text" ? "text" : null }, button));
  });
  fill(members);
  const balance = study.energy_balance && element("p", {}, `Energy error: ${study.energy_balance}.`);
  return [balance || "", element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Table of runs" },
    element("table", {}, element("thead", {}, element("tr", {}, ...heads)), body)), status];
}

// ---- further tables ----

function plainTable(heads, rows) {
  const cell = (name, text, i) => element(name, { class: i === 0 ? "text" : null }, text);
  return element("div", { class: "scroll plain" }, element("table", {},
    element("thead", {}, element("tr", {}, ...heads.map((h, i) =>
      element("th", { scope: "col", class: i === 0 ? "text" : null, style: "padding: 0.3rem 0.6rem" }, h)))),
    element("tbody", {}, ...rows.map((row) => element("tr", {}, ...row.map((text, i) => cell("td", text, i)))))));
}

// Fitted orders, and of work and precision what errors cost.
function makeOrders(study) {
  const errors = study.priced_errors;
  const known = study.series.filter((s) => s.order !== null || s.seconds.some((time) => time !== null));
  if (known.length === 0) {
    return [];
  }
  const best = errors.map((_, k) => Math.min(...known.map((s) => s.seconds[k] ?? Infinity)));
  const isBound = (s, k) => errors[k] > s.largest_error;
  const price = (s, k) => (s.seconds[k] === null ? ""
    : `${s.seconds[k] <= best[k] ? "* " : ""}${isBound(s, k) ? "≤ " : ""}${numberText(1e3 * s.seconds[k], 3)}`);
  return [element("h3", {}, "Fitted orders of the position error"),
    errors.length === 0 ? null : element("p", { class: "faint" },
      "And milliseconds that a position error costs, * with the cheapest method",
      known.some((s) => errors.some((_, k) => isBound(s, k)))
        ? "; ≤ where all runs of the method are more accurate: the time of the fastest one." : "."),
    plainTable(["method", "order", "95 % interval", "runs", ...errors.map((e) => numberText(e, 1))], known.map((s) =>
      [`${s.method} ${s.options}`, numberText(s.order, 3) + (s.adaptive && s.order !== null ? " in rtol" : ""),
        s.interval === null ? "" : `± ${numberText(s.interval, 2)}`, String(s.runs),
        ...errors.map((_, k) => price(s, k))]))].filter(Boolean);
}

// Of many starts, how an error is spread over those of each method.
function makeSpreads(study, columns) {
  const spread = columns.filter((c) => c.smaller
    && study.spreads?.some((s) => s.quantiles[c.name]));
  if (spread.length === 0) {
    return [];
  }
  return [element("h3", {}, "Over the starts"),
    element("p", { class: "faint" }, "Of the runs that reached their end."),
    ...spread.map((c) => plainTable([withUnit(columnTitle(c), study.units[c.name]), "runs", "minimum",
      "lower quartile", "median", "upper quartile", "maximum"],
    study.spreads.filter((s) => s.quantiles[c.name]).map((s) => {
      const [count, ...numbers] = s.quantiles[c.name];
      return [`${s.method}${optionText(s)}, ${stepText(s)}`, `${count} of ${s.runs}`,
        ...numbers.map((x) => numberText(x, 3))];
    }))),
    ...study.spreads.filter((s) => s.map).map((s) => element("img", { class: "map", alt: `Map of ${s.method}`,
      src: `data:image/svg+xml,${encodeURIComponent(s.map)}` }))];
}
