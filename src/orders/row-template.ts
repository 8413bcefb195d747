/**
 * What the cells of a row of JSON are: whatever is the same in every row (brackets, commas, quotes, constants) is
 * folded into the cells that differ, and values that repeat are formatted once.
 */
import {
  amountsCell,
  type Cell,
  constantCell,
  digitsCell,
  integersCell,
  MAX_LEAD_BYTES,
  tableCell,
} from "./cells.ts";
import { NUMBER_BYTES, putNumber } from "./number-text.ts";
import type { TextArena, Texts } from "./text-arena.ts";

/** The values of one field in a block of rows; `index[row]` points into the table beside it. */
export type JsonColumn =
  /** The same text in every row. */
  | { kind: "constant"; text: string }
  | { kind: "texts"; texts: readonly string[]; index: Uint16Array }
  | ({ kind: "numbers" } & NumberTable)
  /** Nine ASCII digits, the first of each row's at `first + row × stride`. */
  | { kind: "nineDigits"; bytes: Uint8Array; first: number; stride: number }
  /** Integers of 0 to 2^53. */
  | { kind: "integers"; values: Float64Array }
  /** Raw price (yuan × 10000) × volume / 10000, both integers of 0 to 2^53. */
  | { kind: "amounts"; prices: NumberTable; volumes: NumberTable };

/** Numbers in a table, and each row's place in it. */
export interface NumberTable {
  numbers: Float64Array;
  index: Uint16Array;
}

const encoder = new TextEncoder();

/**
 * The cells of a row with `columns` in this order, their texts in `arena`. A row begins with what ends the one
 * before it, `],[`.
 */
export function rowTemplate(columns: readonly JsonColumn[], arena: TextArena): Cell[] {
  const cells: Cell[] = [];
  let lead = "],[";
  const endLead = () => {
    const ended = encoder.encode(lead);
    lead = "";
    return ended;
  };
  const endShortLead = () => {
    const ended = endLead();
    if (ended.length <= MAX_LEAD_BYTES) return ended;
    cells.push(constantCell(arena.add(ended), ended.length));
    return endLead();
  };
  columns.forEach((column, place) => {
    if (place > 0) lead += ",";
    switch (column.kind) {
      case "constant":
        lead += JSON.stringify(column.text);
        return;
      case "texts":
        cells.push(tableCell(textTable(endLead(), column.texts, arena), column.index));
        return;
      case "numbers":
        cells.push(tableCell(numberTable(endLead(), column.numbers, arena), column.index));
        return;
      case "nineDigits":
        lead += '"';
        cells.push(digitsCell(endShortLead(), column, arena));
        lead = '"';
        return;
      case "integers":
        cells.push(integersCell(endShortLead(), column, arena));
        return;
      case "amounts":
        cells.push(amountsCell(endShortLead(), column, arena));
    }
  });
  const rest = endLead();
  if (rest.length > 0) cells.push(constantCell(arena.add(rest), rest.length));
  return cells;
}

/** `texts` as JSON, each behind `lead`. */
function textTable(lead: Uint8Array, texts: readonly string[], arena: TextArena): Texts {
  const table = emptyTable(texts.length);
  texts.forEach((text, entry) => {
    const json = encoder.encode(JSON.stringify(text));
    const start = arena.take(lead.length + json.length);
    arena.set(start, lead);
    arena.set(start + lead.length, json);
    table.starts[entry] = start;
    table.lengths[entry] = lead.length + json.length;
  });
  return table;
}

/** `numbers` as JSON, each behind `lead`. */
function numberTable(lead: Uint8Array, numbers: Float64Array, arena: TextArena): Texts {
  const table = emptyTable(numbers.length);
  for (let entry = 0; entry < numbers.length; entry++) {
    const start = arena.take(lead.length + NUMBER_BYTES);
    arena.set(start, lead);
    table.starts[entry] = start;
    table.lengths[entry] = putNumber(arena.view, start + lead.length, numbers[entry] ?? 0) - start;
  }
  return table;
}

function emptyTable(entries: number): Texts {
  return { starts: new Uint32Array(entries), lengths: new Uint32Array(entries) };
}
