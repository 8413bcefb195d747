/** The answer below the form: what became of the request, its rows, its picture, its text. */
import { csvText, prettyText } from "./answer-text.js";
import { enableCopying } from "./copy.js";
import { known, part, words } from "./known.js";
import { showRows } from "./pager.js";
import { resetPicture, showPicture } from "./picture.js";
import { element, filled, tablesOf } from "./table.js";
import { enableTabs, select } from "./tabs.js";

/** More of an answer's text than this makes a page slow and tells nobody anything. */
const JSON_SHOWN = 200_000;

/** The walk that is shown: the first page's body, its tables, where it goes on. Null when none is. */
let walk = null;

enableTabs(part("views-tabs"), fillShown);

/** The walk that is shown, or null: `cursor` is null at its end. */
export function shownWalk() {
  return walk;
}

/** What became of the request: its code and facts about it; `code` is null when there was no answer. */
export function say(code, facts) {
  const kind = code === 200 ? "ok" : "not";
  const shown =
    code === null ? [] : [element("span", { text: String(code), className: `code ${kind}` }), " "];
  part("outcome").className = `outcome ${kind}`;
  part("outcome").replaceChildren(...shown, facts.filter((fact) => fact).join(" · "));
}

/** Takes away what an earlier request left. */
export function clearAnswer() {
  walk = null;
  resetPicture();
  for (const id of ["views", "paging", "progress", "file"]) part(id).hidden = true;
}

/** The first page of a walk, or the only answer. */
export function showAnswer(body, answer, text) {
  const isTable = answer.code === 200;
  const tables = isTable ? tablesOf(answer.data) : [];
  const isOrders = isTable && answer.data.next_cursor !== undefined;
  resetPicture();
  const cursor = answer.data?.next_cursor ?? null;
  walk = { body, text, tables, isOrders, cursor, pages: 1, from: 0 };
  showWalk();
}

/** A further page of the walk that is shown. */
export function addPage(answer, text) {
  const [table] = walk.tables;
  walk.from = table.rows.length;
  table.rows = table.rows.concat(answer.data.items);
  walk.pages++;
  walk.text = text;
  walk.cursor = answer.data.next_cursor;
  showWalk();
}

function showWalk() {
  const { tables, isOrders, cursor, pages } = walk;
  part("views").hidden = false;
  part("tab-view-table").hidden = tables.length === 0;
  part("tab-view-picture").hidden = !isOrders;
  showTables();
  const chosen = document.querySelector('#views [aria-selected="true"]:not([hidden])');
  select(chosen ?? part(tables.length === 0 ? "tab-view-json" : "tab-view-table"));
  fillShown();
  part("paging").hidden = !isOrders || (cursor === null && pages === 1);
  for (const id of ["next-page", "all-pages"])
    part(id).setAttribute("aria-disabled", String(cursor === null));
  part("pages").textContent = filled(pages === 1 ? words.onePage : words.pages, { count: pages });
}

function showTables() {
  const { tables, isOrders, cursor, from } = walk;
  const root = part("view-table");
  root.replaceChildren();
  for (const { name, fields, rows } of tables) {
    if (tables.length > 1) root.append(element("h3", { text: name }));
    if (rows.length === 0) {
      root.append(element("p", { className: "quiet", text: words.noRows }));
      continue;
    }
    showRows(root, { name, fields, rows, more: cursor !== null, from, link: addressOf });
    if (isOrders) root.append(saving(words.saveCsv, csvName(), () => csvText(fields, rows)));
  }
}

function csvName() {
  const { symbol, tradedate } = walk.body.params;
  return `${symbol}_${tradedate ?? "latest"}_orders.csv`;
}

function showText() {
  const { text } = walk;
  const pretty = prettyText(JSON.parse(text));
  const isLong = pretty.length > JSON_SHOWN;
  const sizes = { shown: JSON_SHOWN.toLocaleString("en"), size: pretty.length.toLocaleString("en") };
  const copy = { id: "copy-json", text: words.copy, type: "button", "data-copy": "json", hidden: "" };
  part("view-json").replaceChildren(
    ...(isLong ? [element("p", { className: "quiet", text: filled(words.truncated, sizes) })] : []),
    element("pre", { id: "json", tabindex: "0", text: pretty.slice(0, JSON_SHOWN), className: "json" }),
    ...(isLong ? [] : [element("button", { ...copy, "data-done": words.copied })]),
    saving(words.saveJson, `${known.apiname}.json`, () => text),
  );
  enableCopying(part("view-json"));
}

/** Makes the picture and the text only when they are seen: those of many rows take their time. */
function fillShown() {
  if (walk === null) return;
  if (!part("view-json").hidden) showText();
  if (part("view-picture").hidden) return;
  const [{ fields, rows }] = walk.tables;
  showPicture(part("view-picture"), { fields, rows, more: walk.cursor !== null });
}

/** Where a cell leads: an address itself, or a security of the day to its orders. */
function addressOf(field, value) {
  if (field === "value" && /^https?:\/\/\S+$/.test(value)) return value;
  if (known.apiname !== "data_symbols" || field !== "symbol") return null;
  const { tradedate } = walk.body.params;
  const day = tradedate === undefined ? {} : { tradedate };
  return `/console/try?${new URLSearchParams({ op: "level2_order_history", symbol: value, ...day })}`;
}

/** A button that saves a text, which is made when it is pressed. */
function saving(label, name, textOf) {
  const button = element("button", { type: "button", text: label, className: "saving" });
  button.addEventListener("click", () => save(new Blob([textOf()]), name));
  return button;
}

/** Hands a file to the browser; returns the link that does so again. */
export function save(blob, name) {
  const link = element("a", { href: URL.createObjectURL(blob), download: name, className: "button" });
  link.click();
  return link;
}
