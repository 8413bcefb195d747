/** Shows the answer below the form: the outcome of the request, the rows, the charts and the JSON text. */
import { csvText, prettyText, tablesOf } from "./answer-data.js";
import { element, enableTabs, filled, known, messages, part, select } from "./dom.js";
import { linksOf } from "./links.js";
import { resetPicture, showPicture } from "./picture.js";
import { nameOfRows } from "./request.js";
import { showRows } from "./table.js";

/** @typedef {import("./request.js").Body} Body */
/** @typedef {import("./run.js").Answer} Answer */
/**
 * The shown pages of a query. `cursor` continues the query; it is null after the last page.
 *
 * @typedef {object} Shown
 * @property {Body} body the request for the first page
 * @property {string} text the JSON text of the newest page
 * @property {import("./answer-data.js").Table[]} tables
 * @property {boolean} isHistory whether the answer has rows of a dataset, and so may have further pages
 * @property {string | null} cursor
 * @property {number} pages
 * @property {number} from the index of the first row of the newest page
 */

/** The maximum number of characters of JSON that are shown. A longer text makes the page slow. */
const JSON_SHOWN = 200_000;

/** @type {Shown | null} */
let shown = null;

enableTabs(part("views-tabs"), fillShown);

/** Returns the pages that are shown, or null. */
export function shownPages() {
  return shown;
}

/**
 * Shows the outcome of a request: its code and `facts`. `code` is null when there is no answer.
 *
 * @param {number | null} code
 * @param {string[]} facts
 */
export function say(code, facts) {
  const kind = code === 200 ? "ok" : "not";
  const before =
    code === null ? [] : [element("span", { text: String(code), className: `code ${kind}` }), " "];
  part("outcome").className = `outcome ${kind}`;
  part("outcome").replaceChildren(...before, facts.filter((fact) => fact !== "").join(" · "));
}

/** Removes the output of an earlier request. */
export function clearAnswer() {
  shown = null;
  resetPicture();
  for (const id of ["views", "paging", "progress", "file"]) part(id).hidden = true;
}

/**
 * Shows the first page of a query, or an answer without pages.
 *
 * @param {Body} body
 * @param {Answer} answer
 * @param {string} text
 */
export function showAnswer(body, { code, data }, text) {
  const isTable = code === 200 && data !== null;
  const tables = isTable ? tablesOf(data) : [];
  const isHistory = isTable && data.next_cursor !== undefined;
  resetPicture();
  shown = { body, text, tables, isHistory, cursor: data?.next_cursor ?? null, pages: 1, from: 0 };
  showAll(shown);
}

/**
 * Adds the next page to the rows that are shown.
 *
 * @param {Answer} answer
 * @param {string} text
 */
export function addPage({ data }, text) {
  const table = shown?.tables[0];
  if (shown === null || table === undefined) return;
  shown.from = table.rows.length;
  table.rows = table.rows.concat(data?.items ?? []);
  shown.pages++;
  shown.text = text;
  shown.cursor = data?.next_cursor ?? null;
  showAll(shown);
}

/** @param {Shown} all */
function showAll(all) {
  const { tables, isHistory, cursor, pages } = all;
  part("views").hidden = false;
  part("tab-view-table").hidden = tables.length === 0;
  part("tab-view-picture").hidden = !isHistory;
  showTables(all);
  const chosen = document.querySelector('#views [aria-selected="true"]:not([hidden])');
  const first = part(tables.length === 0 ? "tab-view-json" : "tab-view-table");
  select(chosen instanceof HTMLElement ? chosen : first);
  fillShown();
  part("paging").hidden = !isHistory || (cursor === null && pages === 1);
  for (const id of ["next-page", "all-pages"])
    part(id).setAttribute("aria-disabled", String(cursor === null));
  part("pages").textContent = filled(pages === 1 ? messages.onePage : messages.pages, { count: pages });
}

/** @param {Shown} all */
function showTables({ body, tables, isHistory, cursor, from }) {
  const root = part("view-table");
  root.replaceChildren();
  for (const { name: title, fields, rows } of tables) {
    if (tables.length > 1) root.append(element("h3", { text: title }));
    if (rows.length === 0) {
      root.append(element("p", { className: "quiet", text: messages.noRows }));
      continue;
    }
    const link = linksOf(body, fields);
    showRows(root, { name: title, fields, rows, more: cursor !== null, from, link });
    const name = `${nameOfRows(body)}.csv`;
    if (isHistory) root.append(saving(messages.saveCsv, name, () => csvText(fields, rows)));
  }
}

/** @param {Shown} all */
function showText({ text }) {
  const pretty = prettyText(JSON.parse(text));
  const isLong = pretty.length > JSON_SHOWN;
  const sizes = { shown: JSON_SHOWN.toLocaleString("en"), size: pretty.length.toLocaleString("en") };
  const copy = { id: "copy-json", text: messages.copy, type: "button", "data-copy": "json" };
  part("view-json").replaceChildren(
    ...(isLong ? [element("p", { className: "quiet", text: filled(messages.truncated, sizes) })] : []),
    element("pre", { id: "json", tabindex: "0", text: pretty.slice(0, JSON_SHOWN), className: "json" }),
    ...(isLong ? [] : [element("button", { ...copy, "data-done": messages.copied })]),
    saving(messages.saveJson, `${known.apiname}.json`, () => text),
  );
}

/** Creates the charts or the JSON text if they are visible. Creating them takes long when there are many rows. */
function fillShown() {
  if (shown === null) return;
  if (!part("view-json").hidden) showText(shown);
  const table = shown.tables[0];
  if (part("view-picture").hidden || table === undefined) return;
  showPicture(part("view-picture"), { ...table, more: shown.cursor !== null });
}

/**
 * Returns a button that saves a text as a file. `textOf` creates the text when the button is pressed.
 *
 * @param {string} label
 * @param {string} name
 * @param {() => string} textOf
 */
function saving(label, name, textOf) {
  const button = element("button", { type: "button", text: label, className: "saving" });
  button.addEventListener("click", () => save(new Blob([textOf()]), name));
  return button;
}

/**
 * Saves `blob` as a file through the browser. Returns a link that saves it again.
 *
 * @param {Blob} blob
 * @param {string} name
 */
export function save(blob, name) {
  const link = element("a", { href: URL.createObjectURL(blob), download: name, className: "button" });
  link.click();
  return link;
}
