// Elements, numbers as text, and plots as SVG.

// element("p", { class: "faint" }, "text", child, ...)
function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === true) {
      made.setAttribute(key, "");
    } else if (value !== false && value !== null && value !== undefined) {
      made.setAttribute(key, value);
    }
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

function svgElement(name, attributes, text) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) {
    made.setAttribute(key, value);
  }
  if (text !== undefined) {
    made.textContent = text;
  }
  return made;
}

// 0.001, 12.5, 3.2e-7: as many digits as asked, without needless ones.
function numberText(value, digits = 4) {
  if (value === null || value === undefined || !Number.isFinite(value)) {
    return "";
  }
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) {
    return value.toExponential(digits - 1).replace(/\.?0+e/, "e").replace("e+", "e");
  }
  return String(Number(value.toPrecision(digits)));
}

function withUnit(text, unit) {
  return unit ? `${text} [${unit}]` : text;
}

function choice(label, options, chosen, onChange) {
  const select = element("select");
  options.forEach((text, i) => select.append(element("option", { value: i, selected: i === chosen }, text)));
  select.addEventListener("change", () => onChange(Number(select.value)));
  return element("label", {}, label, select);
}

// ---- axes ----

function linearTicks(from, to, count) {
  const raw = (to - from) / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].find((m) => m * power >= raw * 0.999) * power;
  const ticks = [];
  for (let k = Math.ceil(from / step - 1e-9); k * step <= to + 1e-9 * step; k++) {
    ticks.push({ at: k * step, text: numberText(k * step, 6) });
  }
  return ticks;
}

// Powers of ten, as many as there is room for.
function decadeTicks(from, to, count) {
  const apart = Math.max(1, Math.ceil((to - from) / count));
  const ticks = [];
  for (let k = Math.ceil(from / apart - 1e-9) * apart; k <= to + 1e-9; k += apart) {
    ticks.push({ at: k, text: k >= -2 && k <= 3 ? numberText(10 ** k, 3) : `1e${k}` });
  }
  return ticks;
}

// The range of values (of logarithms, on a logarithmic axis), a little widened.
function axisRange(values, isLog) {
  let from = Infinity;
  let to = -Infinity;
  for (const value of values) {
    from = Math.min(from, value);
    to = Math.max(to, value);
  }
  if (isLog) {
    from = Math.floor(from * 2 - 0.1) / 2;
    to = Math.ceil(to * 2 + 0.1) / 2;
    return to - from < 1 ? [Math.floor(from), Math.ceil(to + 0.01)] : [from, to];
  }
  const room = (to - from) * 0.03 || Math.abs(to) * 0.1 || 1;
  return [from - room, to + room];
}

// ---- plots ----

const dashes = ["", "7 4", "2 3", "9 3 2 3", "12 4", "1 4"];

// Places of a curve in units of the axes; gaps where a value is missing or has no logarithm.
function transform(curve, spec) {
  return curve.points.map(([x, y]) => {
    const place = [spec.logX ? Math.log10(x) : x, spec.logY ? Math.log10(y) : y];
    const known = x !== null && y !== null && Number.isFinite(place[0]) && Number.isFinite(place[1]);
    return known ? place : null;
  });
}

function curvePath(places, toX, toY) {
  let path = "";
  let pen = "M";
  for (const place of places) {
    if (place) {
      path += `${pen}${toX(place[0]).toFixed(1)} ${toY(place[1]).toFixed(1)}`;
      pen = "L";
    } else {
      pen = "M";
    }
  }
  return path;
}

function summary(spec) {
  const parts = spec.curves.slice(0, 12).map((curve) => {
    const values = curve.points.map((p) => p[1]).filter((y) => y !== null && Number.isFinite(y));
    return values.length === 0 ? null
      : `${curve.name}: ${numberText(Math.min(...values), 3)} to ${numberText(Math.max(...values), 3)}`;
  });
  return `${spec.title}. ${spec.yLabel} against ${spec.xLabel}. ${parts.filter(Boolean).join("; ")}`;
}

// spec: title, xLabel, yLabel, logX, logY, equal (one scale for both axes), and
// curves: { name, colour, dash, points: [[x, y], ...], marks }; events: { t, text, colour } are ticks at the
// lower edge of a plot over time
function drawPlot(svg, spec, width) {
  const height = Math.round(Math.min(340, Math.max(230, width * 0.62)));
  const curves = spec.curves.map((curve) => ({ curve, places: transform(curve, spec) }));
  const known = curves.flatMap((c) => c.places).filter(Boolean);
  svg.replaceChildren();
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("height", height);
  svg.setAttribute("aria-label", known.length > 0 ? summary(spec) : `${spec.title}: nothing to show`);
  if (known.length === 0) {
    svg.append(svgElement("text", { x: 10, y: 30 }, spec.empty || "Nothing to show for the runs that are chosen."));
    return;
  }
  const left = 58, right = 12, top = 10, bottom = 42;
  let [x0, x1] = axisRange(known.map((p) => p[0]), spec.logX);
  let [y0, y1] = axisRange(known.map((p) => p[1]), spec.logY);
  const inner = [width - left - right, height - top - bottom];
  if (spec.equal) {
    const scale = Math.max((x1 - x0) / inner[0], (y1 - y0) / inner[1]);
    const [midX, midY] = [(x0 + x1) / 2, (y0 + y1) / 2];
    [x0, x1] = [midX - scale * inner[0] / 2, midX + scale * inner[0] / 2];
    [y0, y1] = [midY - scale * inner[1] / 2, midY + scale * inner[1] / 2];
  }
  const toX = (x) => left + (x - x0) / (x1 - x0) * inner[0];
  const toY = (y) => top + (y1 - y) / (y1 - y0) * inner[1];
  for (const tick of (spec.logX ? decadeTicks : linearTicks)(x0, x1, Math.max(2, inner[0] / 75))) {
    svg.append(svgElement("line", { class: "grid", x1: toX(tick.at), x2: toX(tick.at), y1: top, y2: top + inner[1] }),
      svgElement("text", { x: toX(tick.at), y: top + inner[1] + 15, "text-anchor": "middle" }, tick.text));
  }
  for (const tick of (spec.logY ? decadeTicks : linearTicks)(y0, y1, Math.max(2, inner[1] / 32))) {
    svg.append(svgElement("line", { class: "grid", y1: toY(tick.at), y2: toY(tick.at), x1: left, x2: left + inner[0] }),
      svgElement("text", { x: left - 5, y: toY(tick.at) + 4, "text-anchor": "end" }, tick.text));
  }
  svg.append(svgElement("rect", { class: "frame", x: left, y: top, width: inner[0], height: inner[1] }),
    svgElement("text", { x: left + inner[0] / 2, y: height - 8, "text-anchor": "middle" }, spec.xLabel),
    svgElement("text", { transform: `translate(13 ${top + inner[1] / 2}) rotate(-90)`, "text-anchor": "middle" },
      spec.yLabel));
  for (const { curve, places } of curves) {
    const path = svgElement("path", { class: "curve", d: curvePath(places, toX, toY), stroke: curve.colour,
      "stroke-dasharray": dashes[(curve.dash || 0) % dashes.length] });
    path.append(svgElement("title", {}, curve.name));
    svg.append(path);
    for (const place of curve.marks || places.length === 1 ? places.filter(Boolean) : []) {
      const mark = svgElement("circle", { cx: toX(place[0]), cy: toY(place[1]), r: 3.5, fill: curve.colour });
      mark.append(svgElement("title", {}, curve.name));
      svg.append(mark);
    }
  }
  for (const event of (spec.events || []).filter((e) => e.t >= x0 && e.t <= x1)) {
    const tick = svgElement("line", { class: "event", x1: toX(event.t), x2: toX(event.t), y1: top + inner[1] - 9,
      y2: top + inner[1], stroke: event.colour });
    tick.append(svgElement("title", {}, event.text));
    svg.append(tick);
  }
}

// A figure that is drawn anew by figure.redraw(), and when its width changes. `makeSpec` is asked each
// time; `controls` are put above.
function plotFigure(makeSpec, controls = []) {
  const svg = svgElement("svg", { role: "img" });
  const caption = element("figcaption");
  const figure = element("figure", {}, caption,
    controls.length > 0 ? element("div", { class: "controls" }, ...controls) : null, svg);
  let width = 0;
  figure.redraw = () => {
    const spec = makeSpec();
    caption.textContent = spec.title;
    if (width > 0) {
      drawPlot(svg, spec, width);
    }
  };
  new ResizeObserver((entries) => {
    const now = Math.round(entries[0].contentRect.width);
    if (now > 0 && now !== width) {
      width = now;
      figure.redraw();
    }
  }).observe(figure);
  return figure;
}
