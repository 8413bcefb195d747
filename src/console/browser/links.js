/** The links in the tables of answers. Pure. */

/** @typedef {import("./answer-data.js").Row} Row */
/** @typedef {import("./request.js").Body} Body */
/** @typedef {(row: Row, place: number) => string | null} LinkOf */

/**
 * Returns the function that finds the link target of a cell in the table of the answer to `body`. It returns null for a
 * cell without a link. A cell with a URL links to that URL. A listed security links to the Try it page, preset to that
 * security and day. The link includes the market, because digits alone never mean an index and can mean a security of
 * the other exchange.
 *
 * @param {Body} body
 * @param {readonly string[]} fields the table's columns
 * @returns {LinkOf}
 */
export function linksOf({ apiname, params: { tradedate, dataset = "orders" } }, fields) {
  const op = `level2_${String(dataset).slice(0, -1)}_history`;
  const day = tradedate === undefined ? {} : { tradedate: String(tradedate) };
  const market = fields.indexOf("market");
  return (row, place) => {
    const text = String(row[place]);
    if (fields[place] === "value" && /^https?:\/\/\S+$/.test(text)) return text;
    if (apiname !== "data_symbols" || fields[place] !== "symbol") return null;
    return `/console/try?${new URLSearchParams({ op, symbol: `${text}.${row[market]}`, ...day })}`;
  };
}
