/** Tables of answers, and small things to build them with. */
import { columnsFor, kindOf } from "./series.js";

/** An element with text, classes, attributes and children. */
export function element(name, { text, className, ...attributes } = {}, children = []) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className !== undefined) made.className = className;
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...children);
  return made;
}

/** Digits in groups of three. */
export function countText(count) {
  return count.toLocaleString("en");
}

/** Puts values into a sentence: `{name}` stands for `values.name`. */
export function filled(sentence, values) {
  return sentence.replaceAll(/\{(\w+)\}/g, (_, name) => String(values[name]));
}

/** Columns that say of an order what kind it is. */
const SIDES = ["order_type", "order_code", "side"];

/**
 * A table of `rows`, whose columns are named by `fields`. `from` is the place of the first row in a longer
 * list, which is then counted; `link` gives the address of a cell, or null; `right` sets all columns but the
 * first to the right, for numbers that are texts.
 */
export function gridOf(fields, rows, { from = null, link = () => null, right = false } = {}) {
  const columns = fields.map((field, place) => ({
    ...columnOf(rows.map((row) => row[place])),
    ...(right && place > 0 ? { className: "number" } : {}),
    ...(SIDES.includes(field) ? { className: "side" } : {}),
  }));
  const heading = (text, className) => element("th", { text, scope: "col", className });
  const head = fields.map((field, place) => heading(field, columns[place].className));
  const places = columnsFor(fields);
  const body = rows.map((row, at) => {
    const cells = fields.map((field, place) => cellOf(row[place], columns[place], link(field, row[place])));
    if (from !== null)
      cells.unshift(element("td", { text: countText(from + at + 1), className: "number place" }));
    const kind = places === null ? "" : kindOf(row[places.order_type], row[places.order_code]);
    return element("tr", { className: kind }, cells);
  });
  if (from !== null) head.unshift(heading("#", "number"));
  return element("table", { className: "grid records" }, [
    element("thead", {}, [element("tr", {}, head)]),
    element("tbody", {}, body),
  ]);
}

/** Numbers stand right where a column has nothing else, with as many decimals as the longest of them. */
function columnOf(values) {
  const isNumber = values.every((value) => value === null || typeof value === "number");
  if (!isNumber) return { decimals: 0, className: "" };
  const decimals = values.map((value) => /\.(\d+)$/.exec(String(value))?.[1].length ?? 0);
  return { decimals: Math.max(0, ...decimals), className: "number" };
}

function cellOf(value, { decimals, className }, href) {
  const text = cellText(value, decimals);
  if (href === null) return element("td", { text, className });
  return element("td", { className }, [element("a", { text, href })]);
}

function cellText(value, decimals) {
  if (value === null || value === undefined) return "–";
  if (typeof value === "number" && decimals > 0) return value.toFixed(decimals);
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/**
 * The tables of an answer of any operation, `{name, fields, rows}`: its records; else its members one by one,
 * and then each of its lists.
 */
export function tablesOf(data) {
  if (Array.isArray(data.fields) && Array.isArray(data.items))
    return [{ name: "items", fields: data.fields, rows: data.items }];
  const isList = (value) => Array.isArray(value) && typeof value[0] === "object";
  const lists = Object.entries(data).filter(([, value]) => isList(value));
  const members = membersOf(Object.fromEntries(Object.entries(data).filter(([, value]) => !isList(value))));
  const tables = lists.map(([name, list]) => {
    const fields = Object.keys(list[0]);
    return { name, fields, rows: list.map((each) => fields.map((field) => each[field])) };
  });
  if (members.length > 0) tables.unshift({ name: "data", fields: ["member", "value"], rows: members });
  return tables;
}

/** The members of nested objects as paths and values. */
function membersOf(value, path = "") {
  return Object.entries(value).flatMap(([name, each]) => {
    const to = path === "" ? name : `${path}.${name}`;
    const isNested = typeof each === "object" && each !== null && !Array.isArray(each);
    return isNested ? membersOf(each, to) : [[to, each]];
  });
}
