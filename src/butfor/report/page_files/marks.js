// What the reader says about statements: benign or guilty. Kept in this browser, for this report.
const store = `butfor-marks-${data.id}`;
let marks = { ...data.marks };
try { marks = { ...marks, ...JSON.parse(localStorage.getItem(store) || "{}") }; } catch { /* without a store they last until the page is closed */ }

const MARKS = [["benign", "✓", "This is right: leave it out, and what only it leads to"], ["guilty", "✗", "This is the fault"]];
function equip(root) {
  for (const place of all(".marks[data-for]", root)) {
    const at = place.dataset.for;
    place.setAttribute("role", "group");
    place.setAttribute("aria-label", `Mark ${at}`);
    for (const [mark, sign, title] of MARKS) {
      const button = make("button", { type: "button", title, "aria-pressed": "false" }, make("span", { "aria-hidden": "true" }, sign), ` ${mark}`);
      Object.assign(button.dataset, { at, mark });
      place.append(button);
    }
  }
}
equip(document);

let areKept = true;
function keepMarks() {
  const wanted = JSON.stringify(marks);
  try {
    localStorage.setItem(store, wanted);
    areKept = localStorage.getItem(store) === wanted;
  } catch { areKept = false; }
}
const markRows = () => Object.entries(marks).filter(([, mark]) => mark).sort(([a], [b]) => (a < b ? -1 : 1));

function showMarks() {
  for (const button of all(".marks button")) button.setAttribute("aria-pressed", String(marks[button.dataset.at] === button.dataset.mark));
  for (const item of all("[data-at]")) {
    if (item.tagName === "BUTTON") continue;
    item.classList.toggle("is-benign", marks[item.dataset.at] === "benign");
    item.classList.toggle("is-guilty", marks[item.dataset.at] === "guilty");
  }
  const guilty = all(".tree .is-guilty").map((item) => item.closest(".node"));
  for (const node of all(".node")) node.querySelector(":scope > .label").classList.toggle("off-path", guilty.length > 0 && !guilty.some((g) => node.contains(g)));
  const rows = markRows(), bar = byId("marks-bar");
  if (!bar) return;
  bar.hidden = rows.length === 0;
  byId("marks-count").textContent = rows.length ? `${plural(rows.length, "mark")} (${rows.map(([at, mark]) => `${at} ${mark}`).join(", ")})${areKept ? "" : "; this browser does not keep them: save them as a file"}` : "";
}
const quoted = (words) => (/^[\w@%+=:,./-]+$/.test(words) ? words : `'${words.replaceAll("'", "'\\''")}'`);
const markFlags = () => markRows().map(([at, mark]) => `--${mark} ${quoted(at)}`).join(" ");
const markFile = () => JSON.stringify({ format: 1, marks: markRows().map(([at, mark]) => ({ at, mark })) }, null, 1) + "\n";

document.addEventListener("click", (event) => {
  const button = event.target.closest(".marks button");
  if (!button) return;
  const { at, mark } = button.dataset;
  marks[at] = marks[at] === mark ? "" : mark;
  keepMarks();
  showMarks();
});
if (byId("marks-bar")) {
  byId("marks-flags").addEventListener("click", (event) => copy(markFlags(), event.currentTarget));
  byId("marks-clear").addEventListener("click", () => { for (const at of Object.keys(marks)) marks[at] = ""; keepMarks(); showMarks(); });
  byId("marks-file").addEventListener("click", () => {
    const link = make("a", { href: URL.createObjectURL(new Blob([markFile()], { type: "application/json" })), download: "RUN.bfr.marks.json" });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  });
}

// The statements of a cause are written when they are first asked for.
function tell(details) {
  const flat = data.made[details.closest(".node").dataset.id] || [], list = make("ul", {});
  for (let k = 0; k < flat.length; k += 4) {
    const at = `${data.files[flat[k]]}:${flat[k + 1]}`, item = make("li", { "data-at": at });
    item.append(make("a", { class: "pick", href: `#line=${at}` }, make("code", {}, text(flat[k + 2]))), " ");
    if (flat[k + 3]) item.append(make("span", { class: "vals" }, text(flat[k + 3])), " ");
    item.append(make("span", { class: "loc" }, at), " ", make("span", { class: "marks", "data-for": at }));
    list.append(item);
  }
  details.append(list);
  equip(list);
  showMarks();
  for (const follow of followers) follow({});
}
for (const details of all("details.stmts")) details.addEventListener("toggle", () => tell(details), { once: true });

// The tree opens and closes.
document.addEventListener("click", (event) => {
  const twist = event.target.closest(".twist");
  if (twist) turn(twist.closest(".node"), twist.getAttribute("aria-expanded") !== "true");
});
function turn(node, open) {
  node.classList.toggle("shut", !open);
  const twist = node.querySelector(":scope > .label > .twist");
  if (twist) twist.setAttribute("aria-expanded", String(open));
}
{
  // The first levels are open while they are few.
  let shown = 0;
  for (const node of all(".node")) {
    const kids = node.querySelectorAll(":scope > .kids > .node").length;
    if (!kids) continue;
    if (shown + kids > 12 || node.parentElement.closest(".node.shut")) turn(node, false);
    else shown += kids;
  }
}
showMarks();
