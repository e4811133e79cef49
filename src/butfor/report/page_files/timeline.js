// The steps as a list of which only the visible part exists; rounds of loops are folded.
const HEIGHT = 24, KEPT_OPEN = 3;
const rounds = []; // a round of a loop: { parent, line, activation, number, total, first, folded }
let roundOf = null; // step -> round, -1 outside of loops
let rows = []; // { step } | { fold: [first round, last round], steps } | { gap }
let rowOfStep = null;

function findRounds() {
  roundOf = new Int32Array(count).fill(-1);
  const known = new Map(), lastIn = new Map();
  for (let i = 0; i < count; i++) {
    const frame = S.frame[i], own = data.rounds[S.rounds[i]];
    const parentFrame = (data.frames[frame] || [0, -1])[1];
    let at = lastIn.has(parentFrame) ? roundOf[lastIn.get(parentFrame)] : -1;
    for (let k = 0; k < own.length; k += 4) {
      const key = `${at}:${own[k + 1]}:${own[k + 2]}`;
      let next = known.get(key);
      if (next === undefined) {
        next = rounds.length;
        known.set(key, next);
        const [line, activation, number, total] = own.slice(k, k + 4);
        const inner = total > KEPT_OPEN && number > 1 && number < total;
        rounds.push({ parent: at, line, activation, number, total, folded: inner });
      }
      at = next;
    }
    roundOf[i] = at;
    lastIn.set(frame, i);
  }
}
function foldedRound(i) {
  let found = -1;
  for (let at = roundOf[i]; at >= 0; at = rounds[at].parent) if (rounds[at].folded) found = at;
  return found;
}
function layOut() {
  const only = byId("only").checked;
  rows = [];
  rowOfStep = new Int32Array(count).fill(-1);
  let hidden = 0;
  for (let i = 0; i < count; i++) {
    if (S.skipped[i]) hidden += S.skipped[i];
    if (only && !matters(i) && i !== selection.step && i !== data.failing) continue;
    if (hidden) rows.push({ gap: hidden }), hidden = 0;
    const fold = foldedRound(i), last = rows[rows.length - 1];
    if (fold < 0) rowOfStep[i] = rows.push({ step: i }) - 1;
    else if (last && last.fold && rounds[last.fold[1]].activation === rounds[fold].activation && rounds[last.fold[1]].parent === rounds[fold].parent) {
      last.fold[1] = fold;
      last.steps++;
    } else rows.push({ fold: [fold, fold], steps: 1 });
  }
  space.style.height = `${rows.length * HEIGHT}px`;
  drawRows();
}

const list = byId("steps");
const space = make("div", { class: "space", role: "presentation" });
function drawRows() {
  const first = Math.max(0, Math.floor(list.scrollTop / HEIGHT) - 8);
  const last = Math.min(rows.length, first + Math.ceil((list.clientHeight || 300) / HEIGHT) + 16);
  const drawn = [];
  for (let r = first; r < last; r++) drawn.push(drawRow(r));
  space.replaceChildren(...drawn);
  list.setAttribute("aria-activedescendant", selection.step >= 0 && rowOfStep[selection.step] >= first && rowOfStep[selection.step] < last ? `step-${selection.step}` : "");
}
function drawRow(r) {
  const row = rows[r];
  const element = make("div", { class: "row", role: "option", "aria-setsize": rows.length, "aria-posinset": r + 1, "aria-selected": "false" });
  element.style.top = `${r * HEIGHT}px`;
  element.dataset.row = r;
  if (row.gap) {
    element.classList.add("gap");
    element.append(make("span", { class: "n" }), `${plural(row.gap, "step")} not shown`);
  } else if (row.fold) {
    const [from, to] = row.fold.map((k) => rounds[k]);
    const which = from.number === to.number ? `round ${grouped(from.number)}` : `rounds ${grouped(from.number)}–${grouped(to.number)}`;
    element.classList.add("fold");
    element.append(make("span", { class: "n" }, "▸"), `${which} of ${grouped(from.total)} of the loop in line ${from.line}: ${plural(row.steps, "step")}`);
  } else {
    const i = row.step, place = placeOf(i), indent = Math.min(S.depth[i], 10) * 12;
    const words = make("span", { class: "t" }, place.text);
    words.style.paddingLeft = `${indent}px`;
    element.id = `step-${i}`;
    element.setAttribute("aria-selected", String(i === selection.step));
    if (!matters(i)) element.classList.add("faint");
    element.append(make("span", { class: "n", "aria-label": `step ${numberOf(i)}, line ${place.line}` }, String(place.line)), words);
    if (i === data.failing) element.append(make("span", { class: "x" }, "✗ failure"));
    element.append(make("span", { class: "v" }, shortly(i)));
  }
  return element;
}
function unfold(i) {
  let changed = false;
  for (let at = roundOf[i]; at >= 0; at = rounds[at].parent) if (rounds[at].folded) rounds[at].folded = false, changed = true;
  return changed;
}
function followTimeline() {
  if (selection.step < 0) return drawRows();
  if (unfold(selection.step) || rowOfStep[selection.step] < 0) layOut();
  const top = rowOfStep[selection.step] * HEIGHT;
  if (top < list.scrollTop + HEIGHT || top > list.scrollTop + list.clientHeight - 2 * HEIGHT) list.scrollTop = top - list.clientHeight / 3;
  drawRows();
  drawOverview();
}
function move(by) {
  let r = selection.step >= 0 ? rowOfStep[selection.step] : by > 0 ? -1 : rows.length;
  for (r += by; r >= 0 && r < rows.length; r += by) if (rows[r].step !== undefined) return selectStep(rows[r].step);
}
function openNext() {
  const after = selection.step >= 0 ? rowOfStep[selection.step] : -1;
  const r = rows.findIndex((row, k) => row.fold && k > after);
  if (r >= 0) clicked(r);
}
function clicked(r) {
  const row = rows[r];
  if (row.step !== undefined) return selectStep(row.step);
  if (!row.fold) return;
  const [from, to] = row.fold;
  const { activation, parent } = rounds[from];
  for (let k = from; k <= to; k++) if (rounds[k].activation === activation && rounds[k].parent === parent) rounds[k].folded = false;
  layOut();
}

// The whole run at a glance: depth of calls as height, what matters dark.
const picture = byId("overview");
let ground = null;
function drawOverview() {
  const width = picture.clientWidth, height = 44, scale = window.devicePixelRatio || 1, css = getComputedStyle(document.documentElement);
  const colour = (name) => css.getPropertyValue(name).trim();
  if (!width) return;
  if (!ground || ground.width !== width * scale || ground.colour !== colour("--ink")) {
    ground = document.createElement("canvas");
    [ground.width, ground.height, ground.colour] = [width * scale, height * scale, colour("--ink")];
    const pen = ground.getContext("2d");
    pen.scale(scale, scale);
    let deepest = 1;
    const tops = new Float32Array(Math.ceil(width)), dark = new Uint8Array(Math.ceil(width));
    for (let i = 0; i < count; i++) {
      const x = Math.floor((i / count) * width);
      deepest = Math.max(deepest, S.depth[i] + 1);
      for (let w = x; w <= Math.min(width - 1, Math.floor(((i + 1) / count) * width)); w++) {
        tops[w] = Math.max(tops[w], S.depth[i] + 1);
        if (matters(i)) dark[w] = 1;
      }
    }
    for (let x = 0; x < width; x++) {
      const h = (tops[x] / Math.min(deepest, 40)) * (height - 12);
      pen.fillStyle = dark[x] ? colour("--soft") : colour("--line");
      pen.fillRect(x, height - Math.min(h, height - 12), 1, h);
    }
    pen.fillStyle = colour("--fail");
    pen.fillRect(Math.min(width - 2, (data.failing / count) * width), 4, 2, height - 4);
  }
  [picture.width, picture.height] = [width * scale, height * scale];
  const pen = picture.getContext("2d");
  pen.drawImage(ground, 0, 0);
  pen.scale(scale, scale);
  if (selection.step < 0) return;
  const x = Math.max(1, Math.min(width - 2, ((selection.step + 0.5) / count) * width));
  pen.fillStyle = colour("--accent");
  pen.fillRect(x - 1, 0, 2, height);
  pen.beginPath();
  pen.moveTo(x - 5, 0);
  pen.lineTo(x + 5, 0);
  pen.lineTo(x, 7);
  pen.fill();
}

// Search.
let hits = [], sought = "";
function seek() {
  const words = byId("find").value.trim().toLowerCase();
  if (words === sought) return;
  sought = words;
  hits = [];
  if (words) {
    const known = data.texts.map((t) => t.toLowerCase().includes(words));
    const places = data.places.map((p) => known[p[4]] || known[p[3]]);
    for (let i = 0; i < count; i++) if (places[S.place[i]] || known[S.target[i]] || known[S.after[i]] || S.uses[i].some((t) => known[t])) hits.push(i);
  }
  byId("found").textContent = words ? plural(hits.length, "step") : "";
}
function toHit(by) {
  seek();
  if (!hits.length) return;
  let k = by > 0 ? hits.findIndex((i) => i > selection.step) : hits.findLastIndex((i) => i < selection.step);
  if (k < 0) k = by > 0 ? 0 : hits.length - 1;
  selectStep(hits[k]);
  byId("found").textContent = `${grouped(k + 1)} of ${grouped(hits.length)}`;
}

if (S && list) {
  findRounds();
  list.append(space);
  layOut();
  followers.push(followTimeline);
  list.addEventListener("scroll", drawRows);
  list.addEventListener("click", (event) => { const row = event.target.closest(".row"); if (row) clicked(Number(row.dataset.row)); });
  picture.addEventListener("click", (event) => selectStep(Math.min(count - 1, Math.floor((event.offsetX / picture.clientWidth) * count))));
  byId("only").addEventListener("change", () => { layOut(); followTimeline(); });
  byId("find").addEventListener("input", seek);
  new ResizeObserver(() => { drawRows(); drawOverview(); }).observe(list);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawOverview);
}
