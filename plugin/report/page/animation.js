// The mechanism in motion: copies of it, one for each run, at the same time.

// Where `run` is at time t: an index and the weights of four neighbours (a cubic through them, so
// that rods do not shrink between samples).
function interpolation(times, t) {
  const last = times.length - 1;
  if (last === 0 || t <= times[0]) {
    return { at: [0], weights: [1] };
  }
  if (t >= times[last]) {
    return { at: [last], weights: [1] };
  }
  let low = 0;
  let high = last;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= t) {
      low = middle;
    } else {
      high = middle;
    }
  }
  const at = [Math.max(low - 1, 0), low, high, Math.min(high + 1, last)];
  const h = times[high] - times[low];
  const s = (t - times[low]) / h;
  const weights = [0, 0, 0, 0];
  weights[1] += 1 + s * s * (2 * s - 3);
  weights[2] += s * s * (3 - 2 * s);
  const addSlope = (a, b, factor) => { // of the chord from neighbour a to b
    const span = times[at[b]] - times[at[a]];
    if (span > 0) {
      weights[b] += factor * h / span;
      weights[a] -= factor * h / span;
    }
  };
  addSlope(0, 2, s * (1 - s) * (1 - s));
  addSlope(1, 3, s * s * (s - 1));
  return { at, weights };
}

// Points [x, y, z] of a run at time t.
function pointsAt(run, t) {
  const { at, weights } = interpolation(run.t, t);
  const value = (column) => at.reduce((sum, index, k) =>
    sum + (column[index] === null ? NaN : weights[k] * column[index]), 0);
  const points = [];
  for (let i = 0; i < run.points.length; i += 3) {
    points.push([value(run.points[i]), value(run.points[i + 1]), value(run.points[i + 2])]);
  }
  return points;
}

// ---- the view ----

// Orthographic, z upwards: turned by `azimuth` about it and tilted by `elevation`.
function makeProjection(dimension, view) {
  if (dimension === 2) {
    return (p) => [p[0], p[1]];
  }
  const [ca, sa] = [Math.cos(view.azimuth), Math.sin(view.azimuth)];
  const [ce, se] = [Math.cos(view.elevation), Math.sin(view.elevation)];
  return (p) => [ca * p[0] + sa * p[1], ce * p[2] + se * (sa * p[0] - ca * p[1])];
}

// How far points are apart along an axis, of one moment.
function sizeOf(points) {
  const ranges = [0, 1, 2].map((axis) => points.map((p) => p[axis]).filter(Number.isFinite));
  return Math.max(0, ...ranges.map((values) => Math.max(...values) - Math.min(...values)).filter(Number.isFinite));
}

const mostOfRest = 3; // times the size of all the rest

// Shapes of moments of inertia that are much larger than all the rest would leave that too small to be seen: they are
// not drawn, unless nothing else is seen of their body.
function leaveOutLargeShapes(study) {
  const run = study.reference_run || study.runs.find((r) => r && r.points && r.points.length > 0);
  const lines = study.drawing.lines;
  const isShape = (line) => line.style === "inertia" || line.style === "axis";
  if (!run || !lines.some(isShape)) {
    return lines;
  }
  const points = pointsAt(run, run.t[0]);
  const of = (line) => points.slice(line.first, line.first + line.count);
  const rest = points.slice(0, study.drawing.particles.length);
  const seen = new Set();
  lines.filter((line) => !isShape(line)).forEach((line) => {
    rest.push(...of(line));
    if (sizeOf(of(line)) > 0) {
      seen.add(line.name);
    }
  });
  const size = sizeOf(rest);
  return lines.filter((line) => !isShape(line) || size === 0 || sizeOf(of(line)) <= mostOfRest * size
    || (line.style === "inertia" && !seen.has(line.name)));
}

// Some of the points of all copies that are seen, at some times.
function somePoints(study, copies) {
  const points = [];
  const seen = new Set(study.drawing.particles.keys());
  for (const line of study.drawing.lines) {
    for (let i = 0; i < line.count; i++) {
      seen.add(line.first + i);
    }
  }
  for (const { run } of copies) {
    for (let i = 0; i < run.t.length; i += Math.max(1, Math.floor(run.t.length / 100))) {
      for (const number of seen) {
        const k = 3 * number;
        const point = [run.points[k][i], run.points[k + 1][i], run.points[k + 2][i]];
        if (!point.includes(null)) {
          points.push(point);
        }
      }
    }
  }
  return points;
}

// Smallest and largest of numbers but for the last percent: what few far points there are, of a run
// that went astray, do not count.
function mostOf(numbers) {
  const sorted = Float64Array.from(numbers).sort();
  const cut = Math.floor(sorted.length * 0.005);
  return sorted.length > 0 ? [sorted[cut], sorted[sorted.length - 1 - cut]] : [0, 0];
}

// Centre and half size of all that is seen; in space those of a sphere, which turning does not change.
function findExtent(study, copies) {
  const points = somePoints(study, copies);
  const range = [0, 1, 2].map((axis) => mostOf(points.map((p) => p[axis])));
  const centre = range.map(([from, to]) => (from + to) / 2);
  const half = range.map(([from, to]) => (to - from) / 2);
  if (study.drawing.dimension === 3) {
    const radius = mostOf(points.map((p) => Math.hypot(...p.map((x, axis) => x - centre[axis]))))[1];
    return { centre, half: [radius, radius] };
  }
  const least = Math.max(half[0], half[1], 1e-300) * 0.15;
  return { centre, half: [Math.max(half[0], least), Math.max(half[1], least)] };
}

function zigzag(context, from, to) {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const length = Math.hypot(dx, dy) || 1;
  const [nx, ny] = [-dy / length * 5, dx / length * 5];
  context.moveTo(...from);
  for (let k = 1; k < 16; k++) {
    const side = k < 2 || k > 14 ? 0 : k % 2 === 0 ? 1 : -1;
    context.lineTo(from[0] + dx * k / 16 + nx * side, from[1] + dy * k / 16 + ny * side);
  }
  context.lineTo(...to);
}

const faintStyles = { inertia: 0.75, guide: 0.55, axis: 0.6 };
const ownDashes = { guide: [2, 4], axis: [9, 3, 2, 3], joint: [] };
const lineWidths = { body: 4, rod: 2.5, line: 2.5, spring: 1.5, damper: 2, inertia: 1.3, guide: 1, axis: 1, joint: 1.5 };

function drawLine(context, line, places, wider) {
  const ends = places.slice(line.first, line.first + line.count);
  context.lineWidth = Math.max((lineWidths[line.style] || 2) + wider, 1);
  context.beginPath();
  if (line.count === 1) {
    context.arc(...ends[0], line.style === "joint" ? 5 : 4, 0, 2 * Math.PI);
    if (line.style !== "joint") {
      context.fill();
    }
  } else if (line.style === "spring" && line.count === 2) {
    zigzag(context, ends[0], ends[1]);
  } else {
    ends.forEach((end, i) => (i === 0 ? context.moveTo(...end) : context.lineTo(...end)));
  }
  context.stroke();
}

// `wider`: by how many pixels, so that copies beneath others that coincide with them are seen; below 0
// thinner.
function drawCopy(context, study, copy, places, largestMass, wider) {
  const drawing = study.drawing;
  context.strokeStyle = context.fillStyle = copy.colour;
  const dash = (dashes[copy.dash % dashes.length] || "").split(" ").filter(Boolean).map(Number);
  const alpha = context.globalAlpha;
  for (const line of drawing.lines) {
    context.globalAlpha = alpha * (faintStyles[line.style] || 1);
    context.setLineDash(ownDashes[line.style] || dash);
    drawLine(context, line, places, wider);
  }
  context.globalAlpha = alpha;
  context.setLineDash([]);
  drawing.particles.forEach((particle, i) => {
    const radius = Math.max(2.5 + 4.5 * Math.cbrt(particle.mass / largestMass || 0) + wider / 2, 1.5);
    context.beginPath();
    context.arc(...places[i], radius, 0, 2 * Math.PI);
    context.fill();
  });
}

// x, y and z from a corner, so that one sees how the view is turned.
function drawAxes(context, height, project, dimension, ink) {
  const names = ["x", "y", "z"].slice(0, dimension);
  context.strokeStyle = context.fillStyle = ink;
  context.lineWidth = 1;
  context.font = "12px system-ui, sans-serif";
  names.forEach((name, k) => {
    const end = project([0, 1, 2].map((i) => (i === k ? 1 : 0)));
    context.beginPath();
    context.moveTo(34, height - 34);
    context.lineTo(34 + 22 * end[0], height - 34 - 22 * end[1]);
    context.stroke();
    context.fillText(name, 31 + 29 * end[0], height - 30 - 29 * end[1]);
  });
}

// ---- events ----

function eventName(event) {
  return `${event.name}${event.kind === "zero" ? "" : `, ${event.kind}`}`;
}

// The events of all copies in the order of time, each with its copy.
function eventsOf(copies) {
  return copies.flatMap((copy) => (copy.run.events || []).map((event) => ({ ...event, copy }))).sort((a, b) => a.t - b.t);
}

const labelWidth = 6.6; // pixels of a character, about

// The time line: a tick for each event and the names where there is room. line.update(events, width) makes
// it anew, line.show(t) moves the mark of the time; onChoose(t) is called for a tick that is clicked.
function makeTimeLine(t0, time, onChoose) {
  const height = 34, edge = 12;
  const svg = svgElement("svg", { class: "timeline", role: "img", height });
  const mark = svgElement("line", { class: "cursor", y1: 4, y2: height - 4 });
  let toX = () => edge;
  svg.update = (events, width) => {
    toX = (t) => edge + (t - t0) / time * Math.max(width - 2 * edge, 1);
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("aria-label", `Events: ${some(events.length, "tick")} on the line of time`);
    svg.style.display = events.length > 0 ? "" : "none";
    svg.replaceChildren(svgElement("line", { class: "grid", x1: edge, x2: width - edge, y1: height - 9, y2: height - 9 }));
    let free = 0;
    for (const event of events) {
      const x = toX(event.t);
      const tick = svgElement("line", { class: "event", x1: x, x2: x, y1: height - 15, y2: height - 3, stroke: event.copy.colour });
      tick.append(svgElement("title", {}, `${event.copy.name}: ${eventName(event)} at t = ${numberText(event.t, 10)} s`));
      tick.addEventListener("click", () => onChoose(event.t));
      svg.append(tick);
      const end = x + labelWidth * eventName(event).length;
      if (x >= free && end <= width) {
        svg.append(svgElement("text", { x, y: 13 }, eventName(event)));
        free = end + 2 * labelWidth;
      }
    }
    svg.append(mark);
  };
  svg.show = (t) => {
    mark.setAttribute("x1", toX(t));
    mark.setAttribute("x2", toX(t));
  };
  return svg;
}

// ---- the player ----

const flashTime = 0.5; // s of watching: how long an event flashes
const mostFlashes = 6; // names at the same time
const trailPart = 0.2; // of the time: how long the path is that a copy draws behind it
const speeds = [0.1, 0.25, 0.5, 1, 2, 5, 10];

// `copiesOf()`: the runs that are chosen, { name, colour, dash, run, row }. Returns the element;
// element.redraw() draws what has been chosen, element.state tells tests what is shown.
function makeAnimation(whole, copiesOf) {
  const study = { ...whole, drawing: { ...whole.drawing, lines: leaveOutLargeShapes(whole) } };
  const spatial = study.drawing.dimension === 3;
  const first = { azimuth: 0.5, elevation: 0.3 };
  const view = { ...first };
  const state = { t: study.t0, playing: false, frames: 0, flashes: [] };
  // Short and long motions are shown in about 20 s; others as fast as they are.
  const rate = study.time >= 2 && study.time <= 120 ? 1 : study.time / 20;
  let speed = 1, before = null, width = 0, extent = null, shown = null, events = [];
  let lined = { key: null, width: 0 }; // what the time line shows
  const largestMass = Math.max(...study.drawing.particles.map((p) => p.mass), 0);

  const canvas = element("canvas", { tabindex: 0, role: "img", class: spatial ? "turns" : null });
  const context = canvas.getContext("2d");
  const play = element("button", { type: "button" }, "Play");
  const slider = element("input", { type: "range", min: 0, max: 1000, step: 1, value: 0, "aria-label": "time" });
  const clock = element("output");
  const line = makeTimeLine(study.t0, study.time, (t) => showTime(t));
  const nextEvent = element("button", { type: "button" }, "Next event");
  const remark = element("p", { class: "faint", role: "status" });
  const trails = element("input", { type: "checkbox", checked: true });
  const withReference = study.reference_run ? element("input", { type: "checkbox", checked: true }) : null;

  // The reference, thin and grey in front of the copies; none where it is not shown.
  function ghosts() {
    return withReference && withReference.checked
      ? [{ name: "the reference", dash: 0, run: study.reference_run }] : [];
  }

  function stoppedAt(copy) {
    return copy.run.t[copy.run.t.length - 1];
  }

  // The largest distance of a copy's points from those of the reference, or of the first copy, in words.
  function describe(copies) {
    const end = study.t0 + study.time;
    const stopped = copies.filter((c) => stoppedAt(c) < Math.min(state.t, end) - 1e-9 * study.time)
      .map((c) => `${c.name} stopped at t = ${numberText(stoppedAt(c))} s`);
    let apart = "";
    const all = [...ghosts(), ...copies];
    if (all.length > 1) {
      const lists = all.map((c) => pointsAt(c.run, state.t));
      const farthest = { distance: -1, copy: null };
      lists.forEach((points, i) => points.forEach((p, k) => {
        const distance = Math.hypot(...p.map((x, axis) => x - lists[0][k][axis]));
        if (distance > farthest.distance) {
          farthest.distance = distance;
          farthest.copy = all[i];
        }
      }));
      apart = farthest.distance > 0
        ? `Largest distance from ${ghosts().length > 0 ? "" : "the copy of "}${all[0].name}: ${numberText(farthest.distance, 3)} m, of ${farthest.copy.name}. `
        : "";
    }
    const now = [...new Set(flashes().map(({ event }) => eventName(event)))];
    return `t = ${numberText(state.t)} s. ${now.length > 0 ? `Just now: ${now.join("; ")}. ` : ""}${apart}${stopped.join("; ")}`;
  }

  // The events that flash at this time, the latest first, with what is left of the flash, 1 to 0.
  function flashes() {
    const lasts = Math.min(flashTime * rate * speed, 0.1 * study.time);
    const left = (event) => 1 - (state.t - event.t) / lasts;
    return events.filter((event) => event.t <= state.t + 1e-9 * study.time && left(event) > 0)
      .map((event) => ({ event, left: Math.min(left(event), 1) })).reverse();
  }

  // A glow about the copies that have just had an event, and its name.
  function drawFlashes(places) {
    context.font = "13px system-ui, sans-serif";
    flashes().forEach(({ event, left }, row) => {
      context.globalAlpha = 0.35 * left;
      drawCopy(context, study, event.copy, places.get(event.copy.name), largestMass, 18);
      if (row < mostFlashes) {
        context.globalAlpha = 0.3 + 0.7 * left;
        context.fillStyle = event.copy.colour;
        context.fillText(`${eventName(event)} (${event.copy.name})`, 12, 20 + 17 * row);
      }
    });
    context.globalAlpha = 1;
  }

  function drawTrail(copy, toScreen) {
    const points = study.drawing.particles.length || study.drawing.points;
    const last = study.drawing.particles.length > 0 ? points - 1 : study.drawing.points - 1;
    context.globalAlpha = 0.35;
    context.lineWidth = 1;
    context.strokeStyle = copy.colour;
    context.beginPath();
    let pen = false;
    for (let i = 0; i < copy.run.t.length && copy.run.t[i] <= state.t; i++) {
      if (copy.run.t[i] < state.t - trailPart * study.time) {
        continue;
      }
      const p = [0, 1, 2].map((k) => copy.run.points[3 * last + k][i]);
      if (p.includes(null)) {
        pen = false;
        continue;
      }
      context[pen ? "lineTo" : "moveTo"](...toScreen(p));
      pen = true;
    }
    context.stroke();
  }

  function draw() {
    const copies = copiesOf();
    const thin = ghosts();
    const key = [...thin, ...copies].map((c) => c.name).join("|");
    if (width === 0) {
      return;
    }
    if (key !== shown || !extent) {
      shown = key;
      extent = findExtent(study, [...thin, ...copies]);
    }
    if (key !== lined.key || width !== lined.width) {
      lined = { key, width };
      events = eventsOf(copies);
      line.update(events, width);
      nextEvent.hidden = events.length === 0;
    }
    const height = Math.round(Math.min(480, Math.max(260, width * 0.6)));
    const pixels = window.devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * pixels) || canvas.height !== Math.round(height * pixels)) {
      canvas.width = Math.round(width * pixels);
      canvas.height = Math.round(height * pixels);
      canvas.style.height = `${height}px`;
    }
    context.setTransform(pixels, 0, 0, pixels, 0, 0);
    context.globalAlpha = 1;
    context.clearRect(0, 0, width, height);
    const ink = getComputedStyle(document.body).getPropertyValue("--faint");
    const project = makeProjection(study.drawing.dimension, view);
    const scale = Math.min((width - 40) / (2 * extent.half[0] || 1), (height - 40) / (2 * extent.half[1] || 1));
    const centre = project(extent.centre);
    const toScreen = (p) => {
      const [x, y] = project(p);
      return [width / 2 + (x - centre[0]) * scale, height / 2 - (y - centre[1]) * scale];
    };
    drawAxes(context, height, project, study.drawing.dimension, ink);
    for (const copy of trails.checked ? copies : []) {
      drawTrail(copy, toScreen);
    }
    const placesOf = new Map(copies.map((copy) => [copy.name, pointsAt(copy.run, state.t).map(toScreen)]));
    drawFlashes(placesOf);
    copies.forEach((copy, index) => {
      const places = placesOf.get(copy.name);
      context.globalAlpha = stoppedAt(copy) < state.t - 1e-9 * study.time ? 0.3 : 0.85;
      drawCopy(context, study, copy, places, largestMass, Math.min(copies.length - 1 - index, 5) * 2.5);
      if (index === copies.length - 1) {
        context.globalAlpha = 1;
        context.fillStyle = ink;
        study.drawing.fixed.forEach((i) => context.fillRect(places[i][0] - 4, places[i][1] - 4, 8, 8));
      }
    });
    context.globalAlpha = 1;
    for (const ghost of thin) {
      drawCopy(context, study, { ...ghost, colour: ink }, pointsAt(ghost.run, state.t).map(toScreen), largestMass, -4);
    }
    line.show(state.t);
    state.frames++;
    state.flashes = flashes().map(({ event }) => eventName(event));
    slider.value = Math.round((state.t - study.t0) / study.time * 1000);
    slider.setAttribute("aria-valuetext", `t = ${numberText(state.t)} s`);
    clock.textContent = `t = ${state.t.toFixed(study.time < 10 ? 3 : 2)} s`;
  }

  function settle() { // what is told when nothing moves
    remark.textContent = describe(copiesOf());
    canvas.setAttribute("aria-label", `${study.system.name}, ${copiesOf().length} copies. ${remark.textContent}`
      + (spatial ? " Arrow keys turn the view." : ""));
  }

  function step(now) {
    if (!state.playing) {
      return;
    }
    if (before !== null) {
      state.t += Math.min(now - before, 100) / 1000 * rate * speed;
    }
    before = now;
    if (state.t >= study.t0 + study.time) {
      state.t = study.t0 + study.time;
      setPlaying(false);
    }
    draw();
    requestAnimationFrame(step);
  }

  function setPlaying(playing) {
    state.playing = playing;
    play.textContent = playing ? "Pause" : "Play";
    before = null;
    if (playing) {
      if (state.t >= study.t0 + study.time) {
        state.t = study.t0;
      }
      requestAnimationFrame(step);
    } else {
      settle();
    }
  }

  function turn(azimuth, elevation) {
    view.azimuth += azimuth;
    view.elevation = Math.max(-Math.PI / 2, Math.min(Math.PI / 2, view.elevation + elevation));
    draw();
  }

  function showTime(t) {
    state.t = t;
    setPlaying(false);
    draw();
  }

  play.addEventListener("click", () => setPlaying(!state.playing));
  slider.addEventListener("input", () => showTime(study.t0 + slider.value / 1000 * study.time));
  nextEvent.addEventListener("click", () => {
    const next = events.find((event) => event.t > state.t + 1e-6 * study.time) || events[0];
    showTime(next.t);
  });
  trails.addEventListener("change", draw);
  if (withReference) {
    withReference.addEventListener("change", () => made.redraw());
  }
  canvas.addEventListener("keydown", (event) => {
    const turns = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1] };
    if (event.key === " ") {
      setPlaying(!state.playing);
    } else if (spatial && turns[event.key]) {
      turn(...turns[event.key]);
    } else {
      return;
    }
    event.preventDefault();
  });
  if (spatial) {
    canvas.addEventListener("pointerdown", (event) => canvas.setPointerCapture(event.pointerId));
    canvas.addEventListener("pointermove", (event) => {
      if (canvas.hasPointerCapture(event.pointerId)) {
        turn(-event.movementX / 120, event.movementY / 120);
      }
    });
  }
  const reset = element("button", { type: "button" }, "Reset view");
  reset.addEventListener("click", () => {
    Object.assign(view, first);
    draw();
  });
  const speedNames = speeds.map((s) => (rate === 1 ? `${s} x` : `${numberText(s * rate, 3)} s/s`));
  const stage = element("div", { class: "stage" }, canvas, line);
  const made = element("div", {}, stage,
    element("div", { class: "controls" }, play, nextEvent, element("label", { class: "time" }, slider), clock,
      choice("speed", speedNames, speeds.indexOf(1), (i) => { speed = speeds[i]; }),
      element("label", {}, trails, "paths"),
      withReference ? element("label", {}, withReference, "reference (thin, grey)") : null, spatial ? reset : null),
    remark);
  made.redraw = () => {
    draw();
    if (!state.playing) {
      settle();
    }
  };
  made.state = state;
  new ResizeObserver((entries) => {
    width = Math.round(entries[0].contentRect.width);
    made.redraw();
  }).observe(stage);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => made.redraw());
  return made;
}
