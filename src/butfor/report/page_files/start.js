// Keys, links and the first selection.
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href^='#']");
  if (link && /^#(step|line|cause)=/.test(link.getAttribute("href"))) {
    event.preventDefault();
    history.replaceState(null, "", link.getAttribute("href"));
    readHash();
  }
  const button = event.target.closest(".copy");
  if (button) copy(button.dataset.copy === "again" ? data.again : data.copies[Number(button.dataset.copy)], button);
});
function up(control) {
  const why = control ? whysOf(selection.step).find((w) => w.control && w.step >= 0) : reasonOf(selection.step);
  if (why) selectStep(why.step);
}
const keys = {
  j: () => move(1), k: () => move(-1), u: () => up(false), c: () => up(true), f: () => selectStep(data.failing), o: openNext,
  b: () => { if (visited.length) selectStep(visited.pop(), { back: true }); },
  "/": () => byId("find").focus(),
};
document.addEventListener("keydown", (event) => {
  const target = event.target, typing = target.matches("input[type=search], textarea");
  if (typing) {
    if (event.key === "Enter") event.preventDefault(), toHit(event.shiftKey ? -1 : 1);
    else if (event.key === "Escape" && byId("steps")) event.preventDefault(), byId("steps").focus();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const inList = target.id === "steps", key = event.key;
  if (key === "?") event.preventDefault(), byId("help").showModal();
  else if (S && keys[key] && (selection.step >= 0 || !"ucb".includes(key))) event.preventDefault(), keys[key]();
  else if (inList && (key === "ArrowDown" || key === "ArrowUp")) event.preventDefault(), move(key === "ArrowDown" ? 1 : -1);
  else if (inList && (key === "Home" || key === "End")) event.preventDefault(), edge(key === "Home");
  else if (/^[1-9]$/.test(key) && data.causes[Number(key) - 1]) event.preventDefault(), selectCause(Number(key), { jump: true });
});
function edge(first) {
  const steps = rows.filter((row) => row.step !== undefined);
  if (steps.length) selectStep(steps[first ? 0 : steps.length - 1].step);
}
for (const [id, action] of [["prev", () => move(-1)], ["next", () => move(1)], ["up", () => up(false)]]) if (byId(id)) byId(id).addEventListener("click", action);
byId("help-open").addEventListener("click", () => byId("help").showModal());
byId("help-close").addEventListener("click", () => byId("help").close());
addEventListener("hashchange", readHash);

// Beside the story, source and run fill what is left of the window below the head.
const side = document.querySelector(".evidence"), wide = matchMedia("(min-width: 68rem)");
function fit() {
  const top = Math.max(document.querySelector(".body").getBoundingClientRect().top + 22, 13);
  side.style.height = wide.matches ? `max(34rem, ${Math.floor(innerHeight - top - 13)}px)` : "";
}
addEventListener("scroll", () => requestAnimationFrame(fit), { passive: true });
addEventListener("resize", fit);
fit();
if (!readHash()) {
  if (data.causes.length) selectCause(1, { quiet: true });
  else if (data.failure.length && data.failure[0] >= 0) selectLine(data.failure[0], data.failure[1], { quiet: true });
  else for (const follow of followers) follow({});
}
