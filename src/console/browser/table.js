/** Tables of answers; long tables show a hundred rows at a time. */
import { countText, element, filled, messages } from "./dom.js";
import { columnsFor, kindOfRow } from "./series.js";

/** @typedef {import("./answer-data.js").Row} Row */
/** @typedef {import("./answer-data.js").Table} Table */
/** @typedef {import("./links.js").LinkOf} LinkOf */

const ROWS_SHOWN = 100;

/**
 * Shows the table in `root`, 100 rows at a time, with paging buttons. The first rows shown include row `from`. `more`
 * says whether the service has more rows. The buttons are never replaced, so that they keep the keyboard focus.
 *
 * @param {HTMLElement} root
 * @param {Table & { more: boolean, from: number, link: LinkOf }} table
 */
export function showRows(root, { name, fields, rows, more, from, link }) {
  const lastStart = Math.floor(Math.max(0, rows.length - 1) / ROWS_SHOWN) * ROWS_SHOWN;
  const region = element("div", { className: "scroll", tabindex: "0", role: "region" });
  const says = element("span", { className: "quiet", role: "status" });
  let start = 0;
  /** @type {[string, () => number][]} */
  const moves = [
    [messages.first, () => 0],
    [messages.before, () => start - ROWS_SHOWN],
    [messages.after, () => start + ROWS_SHOWN],
    [messages.last, () => lastStart],
  ];
  const buttons = moves.map(([text, place]) => {
    const button = element("button", { text, type: "button" });
    button.addEventListener("click", () => go(place()));
    return button;
  });
  const row = element("input", { type: "number", min: "1", max: String(rows.length), id: `row-of-${name}` });
  row.addEventListener("change", () => go(Number(row.value) - 1));

  /** @param {number} to */
  function go(to) {
    start = Math.floor(Math.max(0, Math.min(to, lastStart)) / ROWS_SHOWN) * ROWS_SHOWN;
    const shown = rows.slice(start, start + ROWS_SHOWN);
    const range = {
      from: countText(start + 1),
      to: countText(start + shown.length),
      count: countText(rows.length),
    };
    says.textContent = filled(messages.shown, range) + (more ? ` · ${messages.more}` : "");
    // `disabled` is not set, because a disabled button loses the keyboard focus.
    for (const [place, button] of buttons.entries()) {
      button.setAttribute("aria-disabled", String(place < 2 ? start === 0 : start === lastStart));
    }
    region.setAttribute("aria-label", `${name}: ${says.textContent}`);
    region.replaceChildren(gridOf(fields, shown, { from: start, link }));
    region.scrollTop = 0;
  }

  go(from);
  const label = element("label", { for: row.id, text: messages.goToRow });
  const bar = element("div", { className: "rows-bar" }, [...buttons, label, row, says]);
  root.append(...(rows.length > ROWS_SHOWN ? [bar] : []), region);
}

/** Columns with the type or side of an order or trade. Their cells have the colour of the row's kind. */
const SIDES = ["order_type", "order_code", "side", "bs_flag", "trade_code"];

/**
 * Returns a table of `rows`; `fields` are the names of its columns. `from` is the index of the first row in the whole
 * list; without it, the rows are not numbered. `link` returns the URL of a cell, or null. `right` aligns all columns
 * but the first to the right, for numbers stored as text.
 *
 * @param {readonly string[]} fields
 * @param {readonly Row[]} rows
 * @param {{ from?: number | null, link?: LinkOf, right?: boolean }} [options]
 */
export function gridOf(fields, rows, { from = null, link = () => null, right = false } = {}) {
  const columns = fields.map((field, place) => {
    const { decimals, className } = columnOf(rows.map((row) => row[place] ?? null));
    const isSet = right && place > 0;
    return { field, decimals, className: SIDES.includes(field) ? "side" : isSet ? "number" : className };
  });
  /**
   * @param {string} text
   * @param {string} className
   */
  const heading = (text, className) => element("th", { text, scope: "col", className });
  const head = columns.map(({ field, className }) => heading(field, className));
  const places = columnsFor(fields);
  const body = rows.map((row, at) => {
    const cells = columns.map((column, place) => {
      return cellOf(row[place] ?? null, column, link(row, place));
    });
    if (from !== null)
      cells.unshift(element("td", { text: countText(from + at + 1), className: "number place" }));
    const kind = places === null ? "" : kindOfRow(row, places);
    return element("tr", { className: kind }, cells);
  });
  if (from !== null) head.unshift(heading("#", "number"));
  return element("table", { className: "grid records" }, [
    element("thead", {}, [element("tr", {}, head)]),
    element("tbody", {}, body),
  ]);
}

/**
 * Returns the form of a column. A column of numbers is aligned right, with as many decimals as its most precise number.
 *
 * @param {Row} values
 */
function columnOf(values) {
  const isNumber = values.every((value) => value === null || typeof value === "number");
  if (!isNumber) return { decimals: 0, className: "" };
  const decimals = values.map((value) => /\.(\d+)$/.exec(String(value))?.[1]?.length ?? 0);
  return { decimals: Math.max(0, ...decimals), className: "number" };
}

/**
 * @param {unknown} value
 * @param {{ decimals: number, className: string }} column
 * @param {string | null} href
 */
function cellOf(value, { decimals, className }, href) {
  const text = cellText(value, decimals);
  if (href === null) return element("td", { text, className });
  return element("td", { className }, [element("a", { text, href })]);
}

/**
 * @param {unknown} value
 * @param {number} decimals
 */
function cellText(value, decimals) {
  if (value === null || value === undefined) return "–";
  if (typeof value === "number" && decimals > 0) return value.toFixed(decimals);
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
