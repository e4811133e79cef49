// The source: one file at a time, the selected line, values beside the lines of the same call.
const lineOf = (file, line) => byId(`L${file}-${line}`);
let shownFile = -1;
let valued = [];

function showFile(number) {
  if (number < 0 || number === shownFile || !byId(`file-${number}`)) return;
  shownFile = number;
  for (const file of all(".file")) file.hidden = file.id !== `file-${number}`;
  for (const tab of all("#tabs button")) tab.setAttribute("aria-pressed", String(Number(tab.dataset.file) === number));
}

function into(box, element) {
  const outer = box.getBoundingClientRect(), inner = element.getBoundingClientRect();
  if (inner.top < outer.top + 40 || inner.bottom > outer.bottom - 40) box.scrollTop += inner.top - outer.top - outer.height / 3;
}

function followSource(options) {
  for (const line of all(".line.here")) line.classList.remove("here"), line.removeAttribute("aria-current");
  for (const value of valued) value.remove();
  valued = [];
  if (selection.file < 0) return;
  showFile(selection.file);
  const here = lineOf(selection.file, selection.line);
  if (!here) return;
  here.classList.add("here");
  here.setAttribute("aria-current", "true");
  if (selection.step >= 0) showValues(selection.step);
  highlight(here);
  const code = byId("code");
  // Lines that were not laid out yet have an estimated height, so look again after they are.
  into(code, here);
  requestAnimationFrame(() => into(code, here));
  if (options.jump && window.innerWidth < 1088 && options.by) code.scrollIntoView({ block: "nearest" });
}

// Beside each line: what the latest step of this call did there.
function showValues(step) {
  const frame = S.frame[step], seen = new Set();
  for (let i = step, left = 3000; i >= 0 && left > 0 && seen.size < 60; i--, left--) {
    if (S.frame[i] !== frame) continue;
    const { file, line } = placeOf(i), key = `${file}:${line}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const element = file === shownFile && lineOf(file, line), words = shortly(i);
    if (!element || !words) continue;
    const value = make("span", { class: "value" }, words);
    element.append(value);
    valued.push(value);
    if (S.skipped[i]) break;
  }
}
function shortly(i) {
  if (S.kind[i] === 0 && S.after[i]) return `${text(S.target[i])} = ${text(S.after[i])}`;
  if (S.kind[i] === 1 && S.outcome[i]) return `${text(S.outcome[i])}${usesOf(i).length ? ": " + usesOf(i).map(([n, v]) => `${n} = ${v}`).join(", ") : ""}`;
  return usesOf(i).map(([n, v]) => `${n} = ${v}`).join(", ");
}

// The statement itself, where the browser can mark a part of a line.
function highlight(here) {
  if (!window.CSS || !CSS.highlights || !window.Highlight) return;
  CSS.highlights.delete("statement");
  const cause = data.causes[selection.cause - 1];
  const at = selection.by === "cause" && cause ? { start: cause[3], end: cause[4] } : selection.step >= 0 ? placeOf(selection.step) : cause ? { start: cause[3], end: cause[4] } : null;
  if (!at || at.end <= at.start) return;
  const range = rangeOf(here.querySelector("code"), at.start, at.end);
  if (range) CSS.highlights.set("statement", new Highlight(range));
}
function rangeOf(code, start, end) {
  const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT), range = document.createRange();
  let at = 0, begun = false;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!begun && at + node.length > start) range.setStart(node, start - at), begun = true;
    if (begun && at + node.length >= end) return range.setEnd(node, end - at), range;
    at += node.length;
  }
  return null;
}
for (const tab of all("#tabs button")) tab.addEventListener("click", () => showFile(Number(tab.dataset.file)));
if (byId("code")) showFile(0), followers.push(followSource);
followers.push(() => {
  for (const item of all(".cause.selected, .tree .selected")) item.classList.remove("selected");
  const cause = selection.cause && byId(`cause-${selection.cause}`);
  if (cause) {
    cause.classList.add("selected");
    const folded = cause.closest("details.more");
    if (folded) folded.open = true;
  }
  const at = selection.file >= 0 ? `${data.files[selection.file]}:${selection.line}` : "";
  for (const item of all(".tree [data-at]")) if (at && item.dataset.at === at) (item.querySelector(":scope > .label") || item).classList.add("selected");
});
