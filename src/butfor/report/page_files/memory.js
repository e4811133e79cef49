// A picture of memory at the selected step: the calls under way with their variables, what they point to.
const EVERY = 500, MOST_THINGS = 16, MOST_CELLS = 10, WIDE = 26;
const snapshots = []; // state before step k * EVERY
let current = { at: -1, cells: new Map() };

function applied(cells, i) {
  const flat = S.changes[i];
  for (let k = 0; k < flat.length; k += 4) {
    const [thing, path, value, target] = flat.slice(k, k + 4);
    let own = cells.get(thing);
    if (!own) cells.set(thing, (own = new Map()));
    own.set(path, { value: value < 0 ? null : text(value), target, at: i });
  }
}
const copied = (cells) => new Map(Array.from(cells, ([thing, own]) => [thing, new Map(own)]));
function cellsAt(step) {
  if (current.at > step || step - current.at > EVERY) {
    let k = Math.min(Math.floor(step / EVERY), snapshots.length - 1);
    while (k >= 0 && !snapshots[k]) k--;
    current = k >= 0 ? { at: k * EVERY - 1, cells: copied(snapshots[k]) } : { at: -1, cells: new Map() };
  }
  while (current.at < step) {
    const next = current.at + 1;
    if (next % EVERY === 0 && !snapshots[next / EVERY]) snapshots[next / EVERY] = copied(current.cells);
    applied(current.cells, next);
    current.at = next;
  }
  return current.cells;
}
const gaps = S ? Object.keys(S.skipped).map(Number).sort((a, b) => a - b) : [];
function lastGap(step) {
  let found = -1;
  for (const gap of gaps) { if (gap > step) break; found = gap; }
  return found;
}

const thingOf = (k) => { const [name, where, frame, size, made, freed] = data.things[k]; return { name: text(name), where, frame, size, made: text(made), freed }; };

// Boxes by column: the calls first, then what is pointed to, the farther the more to the right.
function boxesAt(step) {
  const cells = cellsAt(step), boxes = [], of = new Map(), frames = [];
  for (let f = S.frame[step]; f >= 0 && data.frames[f] && frames.length < 4; f = data.frames[f][1]) frames.push(f);
  const queue = [];
  for (const f of frames) {
    const own = [...cells.keys()].filter((k) => thingOf(k).frame === f && thingOf(k).where === "s");
    if (!own.length) continue;
    const box = { title: `${text(data.frames[f][0])}()`, column: 0, rows: [], freed: false };
    boxes.push(box);
    for (const k of own) of.set(k, box), rowsOf(k, cells.get(k), thingOf(k).name, box, queue);
  }
  const recent = new Set();
  for (let i = step; i >= Math.max(0, step - 40); i--) for (let k = 0; k < S.changes[i].length; k += 4) recent.add(S.changes[i][k]);
  const globals = [...cells.keys()].filter((k) => thingOf(k).where === "g" && (recent.has(k) || cells.size < 60));
  if (globals.length) {
    const box = { title: "globals", column: 0, rows: [], freed: false };
    boxes.push(box);
    for (const k of globals.slice(0, MOST_THINGS)) of.set(k, box), rowsOf(k, cells.get(k), thingOf(k).name, box, queue);
  }
  while (queue.length && boxes.length < MOST_THINGS) {
    const { target, column } = queue.shift();
    if (of.has(target)) continue;
    const thing = thingOf(target), freed = thing.freed >= 0 && thing.freed <= step;
    if (thing.where !== "h") continue;
    const box = { title: `${thing.name}${thing.made ? ` from ${thing.made.replace(/^.*\//, "")}` : ""}${freed ? ", freed" : ""}`, column: Math.min(column + 1, 3), rows: [], freed };
    boxes.push(box);
    of.set(target, box);
    rowsOf(target, cells.get(target) || new Map(), "", box, queue);
  }
  return { boxes, of };
}
function rowsOf(k, own, name, box, queue) {
  const rows = [...own].map(([path, cell]) => ({ name: name + text(path), key: path, ...cell }));
  if (rows.length > 1 && rows.every((row) => /^\[\d+\]$/.test(text(row.key)) || /\[\d+\]$/.test(row.name))) rows.sort((a, b) => a.name.localeCompare(b.name, "en", { numeric: true }));
  const shown = letters(name, rows) || rows;
  for (const row of shown.slice(0, MOST_CELLS)) {
    box.rows.push(row);
    if (row.target >= 0) queue.push({ target: row.target, column: box.column });
  }
  if (shown.length > MOST_CELLS) box.rows.push({ name: `${shown.length - MOST_CELLS} more`, value: "", target: -1, at: -1, note: true });
}
// Characters of an array as one text.
function letters(name, rows) {
  if (rows.length < 2) return null;
  const found = [];
  for (const row of rows) {
    const index = /^(.*)\[(\d+)\]$/.exec(row.name), letter = row.value === null ? [0, "?"] : /^-?\d+(?: '(.*)')?$/.exec(row.value);
    if (!index || !letter || (row.value !== null && letter[1] === undefined && !/^-?\d+$/.test(row.value))) return null;
    if (row.value !== null && letter[1] === undefined) return null;
    found.push([Number(index[2]), letter[1], row.at, index[1]]);
  }
  found.sort((a, b) => a[0] - b[0]);
  const from = found[0][0], contiguous = found.every(([k], n) => k === from + n);
  if (!contiguous) return null;
  return [{ name: `${found[0][3]}[${from}…${from + found.length - 1}]`, value: `"${found.map((f) => f[1]).join("")}"`, target: -1, at: Math.max(...found.map((f) => f[2])) }];
}

function drawMemory() {
  const place = byId("memory");
  if (selection.step < 0) return place.replaceChildren();
  const { boxes, of } = boxesAt(selection.step), stale = lastGap(selection.step), step = selection.step;
  if (!boxes.length) return place.replaceChildren(make("p", { class: "hint" }, "Nothing is known of memory here yet."));
  const letter = 7.3, line = 18, gap = 46, tops = [8, 8, 8, 8], lefts = [4];
  const widths = [0, 0, 0, 0];
  for (const box of boxes) {
    box.nameWidth = Math.max(0, ...box.rows.map((row) => Math.min(row.name.length, 22))) * letter;
    box.width = Math.max(90, Math.min(box.title.length, 34) * 7.4 + 16, box.nameWidth + Math.max(0, ...box.rows.map((row) => Math.min(shownValue(row, of).length, WIDE))) * letter + 30);
    widths[box.column] = Math.max(widths[box.column], box.width);
  }
  for (let c = 1; c < 4; c++) lefts[c] = lefts[c - 1] + widths[c - 1] + (widths[c - 1] ? gap : 0);
  for (const box of boxes) {
    box.x = lefts[box.column];
    box.y = tops[box.column];
    box.height = 22 + Math.max(1, box.rows.length) * line + 4;
    tops[box.column] += box.height + 10;
  }
  const width = Math.ceil(Math.max(...boxes.map((b) => b.x + b.width)) + 30), height = Math.ceil(Math.max(...tops) + 4);
  const picture = make("svg:svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Memory after step ${numberOf(step)}: ${told(boxes)}` });
  picture.append(make("svg:defs", {}, make("svg:marker", { id: "head", viewBox: "0 0 8 8", refX: "7", refY: "4", markerWidth: "7", markerHeight: "7", orient: "auto" }, make("svg:path", { d: "M0 0L8 4L0 8z", class: "m-head" }))));
  for (const box of boxes) {
    picture.append(make("svg:rect", { class: `m-box${box.freed ? " m-freed" : ""}`, x: box.x, y: box.y, width: box.width, height: box.height, rx: 5 }));
    picture.append(make("svg:text", { class: "m-title", x: box.x + 8, y: box.y + 15 }, cut(box.title, 34)));
    picture.append(make("svg:line", { class: "m-sep", x1: box.x, x2: box.x + box.width, y1: box.y + 21, y2: box.y + 21 }));
    box.rows.forEach((row, n) => {
      const y = box.y + 22 + n * line;
      if (row.at === step && !row.note) picture.append(make("svg:rect", { class: "m-new", x: box.x + 1, y: y + 1, width: box.width - 2, height: line - 1 }));
      picture.append(make("svg:text", { class: row.note ? "m-stale" : "", x: box.x + 8, y: y + 13 }, cut(row.name, 22)));
      const old = row.value === null || row.at < stale;
      const value = make("svg:text", { class: old ? "m-stale" : "m-val", x: box.x + 16 + box.nameWidth, y: y + 13 }, cut(shownValue(row, of), WIDE));
      if (!row.note) value.append(make("svg:title", {}, row.value === null ? "written by library code; not read since" : row.at < stale ? `seen as ${row.value} in step ${numberOf(row.at)}; steps in between are not shown` : row.value));
      picture.append(value);
      const target = of.get(row.target);
      if (target && target !== box && row.value !== null) picture.append(arrow(box, y + line / 2, target));
    });
    if (!box.rows.length) picture.append(make("svg:text", { class: "m-stale", x: box.x + 8, y: box.y + 35 }, "not read or written yet"));
  }
  place.replaceChildren(picture);
}
function shownValue(row, of) {
  if (row.note) return "";
  if (row.value === null) return "?";
  const target = of.get(row.target);
  return target && target.column > 0 ? "●" + (/ \+ (\d+)$/.exec(row.value) || [""])[0] : row.value;
}
const cut = (words, most) => (words.length > most ? words.slice(0, most - 1) + "…" : words);
function arrow(box, y, target) {
  const from = box.x + box.width - 6, forward = target.x > box.x;
  const to = forward ? target.x : target.x + target.width, ty = target.y + 11;
  const bend = forward ? Math.max(20, (to - from) / 2) : 30;
  const d = `M${from} ${y}C${from + bend} ${y} ${forward ? to - bend : to + bend} ${ty} ${to} ${ty}`;
  return make("svg:path", { class: `m-arrow${target.freed ? " m-bad" : ""}`, d, "marker-end": "url(#head)" });
}
const told = (boxes) => boxes.map((box) => `${box.title}: ${box.rows.map((row) => (row.note ? row.name : `${row.name} is ${row.value === null ? "not known" : row.value}`)).join(", ") || "empty"}`).join(". ").slice(0, 1500);
if (S && byId("memory")) followers.push(drawMemory);
