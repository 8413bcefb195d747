/** The fills and cancels of a sample security in the order in which they happen. */
import type { CodeColumn } from "../../datasets/dataset.ts";
import type { TradeColumns } from "../../quality/security-rows.ts";

export interface TapeRow {
  /** HHMMSSmmm. */
  time: number;
  id: number;
  /** Prices in ten-thousandths of a yuan. */
  price: number;
  volume: number;
  flag: string;
  code: string;
  buy: number;
  sell: number;
}

/** Returns fills and cancels as columns. */
export function tradeColumns(tape: readonly TapeRow[]): TradeColumns {
  const numbers = (of: (row: TapeRow) => number) => Float64Array.from(tape, of);
  return {
    rows: tape.length,
    time: Int32Array.from(tape, ({ time }) => time),
    tradeId: numbers(({ id }) => id),
    priceE4: numbers(({ price }) => price),
    volume: numbers(({ volume }) => volume),
    bsFlag: codeColumn(tape.map(({ flag }) => flag)),
    tradeCode: codeColumn(tape.map(({ code }) => code)),
    buyOrderId: numbers(({ buy }) => buy),
    sellOrderId: numbers(({ sell }) => sell),
    orderKind: codeColumn(tape.map(() => "")),
  };
}

function codeColumn(texts: readonly string[]): CodeColumn {
  const values = [...new Set(texts)];
  return { values, index: Uint16Array.from(texts, (text) => values.indexOf(text)) };
}
