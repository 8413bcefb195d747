/** Answers as tables: order pages of many thousand rows are shown a hundred at a time. */

const ROWS_SHOWN = 100;

/** An element with text, classes and children. */
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

/**
 * Shows `rows` in `root` with buttons that go through them; `more` says that the service has more. The
 * place is kept when rows are added to the same walk.
 */
export function showRows(root, { fields, rows, more, from = 0, words }) {
  const shown = rows.slice(from, from + ROWS_SHOWN);
  const go = (to) => showRows(root, { fields, rows, more, from: to, words });
  const earlier = element("button", { text: words.before, type: "button" });
  earlier.disabled = from === 0;
  earlier.addEventListener("click", () => go(Math.max(0, from - ROWS_SHOWN)));
  const later = element("button", { text: words.after, type: "button" });
  later.disabled = from + ROWS_SHOWN >= rows.length;
  later.addEventListener("click", () => go(from + ROWS_SHOWN));
  const range = {
    from: countText(shown.length === 0 ? 0 : from + 1),
    to: countText(from + shown.length),
    count: countText(rows.length),
  };
  const says = filled(words.shown, range) + (more ? ` · ${words.more}` : "");
  root.replaceChildren(
    element("div", { className: "rows-bar" }, [
      earlier,
      later,
      element("span", { text: says, className: "quiet" }),
    ]),
    scrolling(gridOf(fields, shown, from), says),
  );
}

/** Tables may be wider than the screen: they scroll by themselves, by keyboard too. */
function scrolling(table, label) {
  return element("div", { className: "scroll", tabindex: "0", role: "region", "aria-label": label }, [table]);
}

function gridOf(fields, rows, from) {
  // Numbers stand right where a column has nothing else.
  const isNumber = fields.map((_, place) =>
    rows.every((row) => row[place] === null || typeof row[place] === "number"),
  );
  const className = (place) => (isNumber[place] ? "number" : "");
  const head = element("tr", {}, [
    element("th", { text: "#", scope: "col", className: "number" }),
    ...fields.map((text, place) => element("th", { text, scope: "col", className: className(place) })),
  ]);
  const body = rows.map((row, place) =>
    element("tr", {}, [
      element("td", { text: countText(from + place + 1), className: "number place" }),
      ...fields.map((_, column) =>
        element("td", { text: cellText(row[column]), className: className(column) }),
      ),
    ]),
  );
  return element("table", { className: "grid records" }, [
    element("thead", {}, [head]),
    element("tbody", {}, body),
  ]);
}

function cellText(value) {
  if (value === null || value === undefined) return "–";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** The rows of an answer of any operation: its table if it has one, its list, else its members one by one. */
export function rowsOf(data) {
  if (Array.isArray(data.fields) && Array.isArray(data.items))
    return { fields: data.fields, rows: data.items };
  const list = Object.values(data).find((value) => Array.isArray(value) && typeof value[0] === "object");
  if (list !== undefined) {
    const fields = Object.keys(list[0]);
    return { fields, rows: list.map((each) => fields.map((name) => each[name])) };
  }
  return { fields: ["member", "value"], rows: membersOf(data) };
}

/** The members of nested objects as paths and values. */
function membersOf(value, path = "") {
  return Object.entries(value).flatMap(([name, each]) => {
    const to = path === "" ? name : `${path}.${name}`;
    const isNested = typeof each === "object" && each !== null && !Array.isArray(each);
    return isNested ? membersOf(each, to) : [[to, each]];
  });
}
