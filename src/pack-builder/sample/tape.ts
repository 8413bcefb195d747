/** The fills and cancels of a sample security in the order in which they happen. */
import type { CodeColumn, RowsOf } from "../../datasets/dataset.ts";
import type { trades } from "../../datasets/trades.ts";

export type TradeColumns = RowsOf<typeof trades>;

export interface TapeRow {
  id: number;
  /** Prices in ten-thousandths of a yuan. */
  price: number;
  volume: number;
  flag: string;
  code: string;
  buy: number;
  sell: number;
}

export class Tape {
  private readonly times: number[] = [];
  private readonly said: TapeRow[] = [];

  add(time: number, row: TapeRow): void {
    this.times.push(time);
    this.said.push(row);
  }

  columns(): TradeColumns {
    const numbers = (of: (row: TapeRow) => number) => Float64Array.from(this.said, of);
    return {
      rows: this.times.length,
      time: Int32Array.from(this.times),
      tradeId: numbers(({ id }) => id),
      priceE4: numbers(({ price }) => price),
      volume: numbers(({ volume }) => volume),
      bsFlag: codeColumn(this.said.map(({ flag }) => flag)),
      tradeCode: codeColumn(this.said.map(({ code }) => code)),
      buyOrderId: numbers(({ buy }) => buy),
      sellOrderId: numbers(({ sell }) => sell),
      orderKind: codeColumn(this.said.map(() => "")),
    };
  }
}

function codeColumn(texts: readonly string[]): CodeColumn {
  const values = [...new Set(texts)];
  return { values, index: Uint16Array.from(texts, (text) => values.indexOf(text)) };
}
