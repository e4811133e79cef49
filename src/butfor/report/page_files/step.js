// The selected step in words, with links to what it depended on.
function whysOf(i) {
  const flat = S.why[i], found = [];
  for (let k = 0; k < flat.length; k += 3) {
    const back = flat[k + 2], step = back >= 0 ? i - back : -1;
    const [file, line] = step >= 0 ? data.places[S.place[step]] : data.outside[-1 - back];
    found.push({ control: flat[k] === 1, name: text(flat[k + 1]), step, file, line });
  }
  return found;
}
const reasonOf = (i) => whysOf(i).find((why) => !why.control && why.step >= 0) || whysOf(i).find((why) => why.step >= 0);

function drawStep() {
  const box = byId("step"), i = selection.step;
  if (i < 0) return box.replaceChildren(make("p", { class: "hint" }, "Select a step, a line or a cause."));
  const place = placeOf(i), parts = [], calls = [];
  for (let f = S.frame[i]; f >= 0 && data.frames[f] && calls.length < 6; f = data.frames[f][1]) calls.unshift(text(data.frames[f][0]));
  const rounds = data.rounds[S.rounds[i]], n = rounds.length;
  const round = n ? (rounds[n - 2] > rounds[n - 1] ? `, leaving the loop in line ${rounds[n - 4]} after ${plural(rounds[n - 1], "round")}` : `, round ${grouped(rounds[n - 2])} of ${grouped(rounds[n - 1])} of the loop in line ${rounds[n - 4]}`) : "";
  parts.push(make("p", { class: "crumb" }, `Step ${grouped(numberOf(i))} of ${grouped(data.total)}: ${calls.join(" › ")}, line ${place.line}${round}`));
  parts.push(make("p", { class: "what" }, make("code", {}, place.text)));
  const words = doneBy(i);
  if (words) parts.push(make("p", {}, words));
  if (i === data.failing) parts.push(make("p", { class: "what" }, "✗ The failure shows here."));
  const reasons = make("ul", {});
  for (const why of whysOf(i)) {
    const where = `${why.file >= 0 && why.file !== place.file ? data.files[why.file] + ":" : "line "}${why.line}`;
    const link = why.step >= 0 ? make("a", { href: `#step=${numberOf(why.step)}` }, `${where}, step ${grouped(numberOf(why.step))}`) : where;
    reasons.append(make("li", {}, why.control ? "ran because of " : why.name ? make("code", {}, why.name) : "its value", why.control ? "" : " comes from ", link));
  }
  if (reasons.children.length) parts.push(reasons);
  box.replaceChildren(...parts);
}
if (S && byId("step")) followers.push(drawStep);
