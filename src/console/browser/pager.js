/** Tables of many thousand rows, a hundred at a time. */
import { words } from "./known.js";
import { countText, element, filled, gridOf } from "./table.js";

const ROWS_SHOWN = 100;

/**
 * Shows `rows` in `root`, from the place `from` on, with buttons that go through them; `more` says that the
 * service has more of them. The buttons stay the same elements, so that the keyboard stays on them.
 */
export function showRows(root, { name, fields, rows, more, from, link }) {
  const lastStart = Math.floor(Math.max(0, rows.length - 1) / ROWS_SHOWN) * ROWS_SHOWN;
  const region = element("div", { className: "scroll", tabindex: "0", role: "region" });
  const says = element("span", { className: "quiet", role: "status" });
  let start;
  const buttons = [
    [words.first, () => 0],
    [words.before, () => start - ROWS_SHOWN],
    [words.after, () => start + ROWS_SHOWN],
    [words.last, () => lastStart],
  ].map(([text, place]) => {
    const button = element("button", { text, type: "button" });
    button.addEventListener("click", () => go(place()));
    return button;
  });
  const row = element("input", { type: "number", min: "1", max: String(rows.length), id: `row-of-${name}` });
  row.addEventListener("change", () => go(Number(row.value) - 1));

  function go(to) {
    start = Math.floor(Math.max(0, Math.min(to, lastStart)) / ROWS_SHOWN) * ROWS_SHOWN;
    const shown = rows.slice(start, start + ROWS_SHOWN);
    const range = {
      from: countText(start + 1),
      to: countText(start + shown.length),
      count: countText(rows.length),
    };
    says.textContent = filled(words.shown, range) + (more ? ` · ${words.more}` : "");
    // Not `disabled`: the keyboard would lose its place.
    for (const [place, button] of buttons.entries()) {
      button.setAttribute("aria-disabled", String(place < 2 ? start === 0 : start === lastStart));
    }
    region.setAttribute("aria-label", `${name}: ${says.textContent}`);
    region.replaceChildren(gridOf(fields, shown, { from: start, link }));
    region.scrollTop = 0;
  }

  go(from);
  const label = element("label", { for: row.id, text: words.goToRow });
  const bar = element("div", { className: "rows-bar" }, [...buttons, label, row, says]);
  root.append(...(rows.length > ROWS_SHOWN ? [bar] : []), region);
}
