// What all parts of the page share: the data, small helpers, the one selection.
async function unpacked(coded) {
  const bytes = Uint8Array.from(atob(coded), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}
const island = document.getElementById("data");
const data = JSON.parse(island.dataset.coding ? await unpacked(island.textContent) : island.textContent);
document.documentElement.classList.add("js");
const byId = (id) => document.getElementById(id);
const all = (query, root) => Array.from((root || document).querySelectorAll(query));
const SVG = "http://www.w3.org/2000/svg";

function make(tag, attributes, ...children) {
  const element = tag.startsWith("svg:") ? document.createElementNS(SVG, tag.slice(4)) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) element.setAttribute(name, value);
  element.append(...children);
  return element;
}
const grouped = (number) => number.toLocaleString("en-US");
const plural = (count, noun) => `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`;

// The steps of the run, if the report tells them.
const S = data.steps || null;
const count = S ? S.place.length : 0;
const text = (number) => data.texts[number];
const placeOf = (i) => {
  const [file, line, column, fn, words, start, end] = data.places[S.place[i]];
  return { file, line, column, fn: text(fn), text: text(words), start, end };
};
const matters = (i) => S.matters.charCodeAt(i) === 49;
const numberOf = (() => {
  let numbers = null;
  return (i) => {
    if (!numbers) {
      numbers = new Uint32Array(count);
      for (let k = 0, n = 0; k < count; k++) numbers[k] = n += 1 + (S.skipped[k] || 0);
    }
    return numbers[i];
  };
})();
function indexOfNumber(wanted) {
  let low = 0, high = count - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numberOf(middle) < wanted) low = middle + 1; else high = middle;
  }
  return low;
}

// What a step did, in words.
function doneBy(i) {
  const uses = usesOf(i).map(([name, value]) => `${name} = ${value}`).join(", ");
  if (S.kind[i] === 0) {
    const was = S.before[i] && S.before[i] !== S.after[i] ? ` (was ${text(S.before[i])})` : "";
    return S.after[i] ? `${text(S.target[i]) || "the value"} became ${text(S.after[i])}${was}` : "";
  }
  if (S.kind[i] === 1) return `${text(S.outcome[i]) || "decided"}${uses ? ` with ${uses}` : ""}`;
  return uses ? `with ${uses}` : "";
}
function usesOf(i) {
  const flat = S.uses[i], pairs = [];
  for (let k = 0; k < flat.length; k += 2) pairs.push([text(flat[k]), text(flat[k + 1])]);
  return pairs;
}

// One selection; every pane follows it. `step` may be -1, `cause` 0, `file` -1.
const selection = { step: -1, file: -1, line: 0, cause: 0, by: "" };
const followers = [];
const visited = [];
function select(change, options) {
  const before = selection.step;
  Object.assign(selection, change, { by: (options && options.by) || "step" });
  if (before >= 0 && before !== selection.step && !(options && options.back)) visited.push(before);
  for (const follow of followers) follow(options || {});
  if (!(options && options.quiet)) writeHash();
}
function selectStep(i, options) {
  if (i < 0 || i >= count) return;
  const { file, line } = placeOf(i);
  select({ step: i, file, line, cause: causeAt(file, line) }, options);
}
function selectLine(file, line, options) {
  const i = stepAt(file, line);
  select({ step: i >= 0 ? i : selection.step, file, line, cause: causeAt(file, line) }, { ...options, by: "line" });
}
function selectCause(rank, options) {
  const cause = data.causes[rank - 1];
  if (!cause) return;
  const i = stepAt(cause[0], cause[1], cause[2]);
  select({ step: i >= 0 ? i : selection.step, file: cause[0], line: cause[1], cause: rank }, { ...options, by: "cause" });
}
const causeAt = (file, line) => {
  if (selection.cause && data.causes[selection.cause - 1] && data.causes[selection.cause - 1][0] === file && data.causes[selection.cause - 1][1] === line) return selection.cause;
  return data.causes.findIndex((c) => c[0] === file && c[1] === line) + 1;
};
// The latest step of a line that matters, else the latest.
function stepAt(file, line, column) {
  let best = -1, score = 0;
  for (let i = count - 1; i >= 0; i--) {
    const [f, l, c] = data.places[S.place[i]];
    if (f !== file || l !== line) continue;
    const own = 1 + (matters(i) ? 2 : 0) + (column === undefined || c === column ? 4 : 0);
    if (own > score) [best, score] = [i, own];
    if (score === 7) break;
  }
  return best;
}

// Deep links: #step=12, #line=file.c:30, #cause=3.
function writeHash() {
  const last = selection.by;
  let hash = "";
  if (selection.cause && last === "cause") hash = `#cause=${selection.cause}`;
  else if (selection.step >= 0 && last !== "line") hash = `#step=${numberOf(selection.step)}`;
  else if (selection.line && selection.file >= 0) hash = `#line=${encodeURI(data.files[selection.file])}:${selection.line}`;
  if (hash && hash !== location.hash) history.replaceState(null, "", hash);
}
function readHash() {
  let hash = location.hash.slice(1);
  try { hash = decodeURIComponent(hash); } catch { /* shown as it is */ }
  const [, kind, value] = /^(step|line|cause)[=-](.*)$/.exec(hash) || [];
  if (kind === "step" && count) selectStep(indexOfNumber(Number(value) || 1), { jump: true });
  else if (kind === "cause") selectCause(Number(value), { jump: true });
  else if (kind === "line") {
    const [, name, line] = /^(.*):(\d+)$/.exec(value) || [];
    const file = data.files.findIndex((known) => known === name || known.endsWith("/" + name));
    if (file >= 0) selectLine(file, Number(line), { jump: true });
  } else return false;
  return true;
}

async function copy(words, button) {
  let done = false;
  try { await navigator.clipboard.writeText(words); done = true; } catch {
    const area = make("textarea", { "aria-hidden": "true" });
    area.value = words;
    document.body.append(area);
    area.select();
    done = document.execCommand("copy");
    area.remove();
    button.focus();
  }
  const was = button.dataset.was || (button.dataset.was = button.textContent);
  button.textContent = done ? "Copied" : "Press Ctrl+C";
  setTimeout(() => { button.textContent = was; }, 1500);
}
