/** Encodes an auction pack (contract 8.10), a row group at a time. */
import { zstdCompressSync } from "node:zlib";
import { ByteWriter, ParquetWriter, schemaFromColumnData } from "hyparquet-writer";
import { AUCTION_COLUMNS } from "../auction/columns.ts";
import { type AuctionRow, percentChange } from "../auction/rows.ts";
import type { BeijingDate } from "../calendar/beijing.ts";
import { formatTimeOfDay } from "../orders/query/time-window.ts";
import { amountOf, type Security } from "../orders/record.ts";

/** The metadata key under which the file stores the build id of its quote pack. */
export const QUOTES_KEY = "edgetape.quotes";

/** A row group contains whole securities and ends as soon as it has at least this many rows. */
const GROUP_ROWS = 100_000;

type Cell = string | number | bigint | boolean | null;

/** The function for each column, which computes its cell from a row, the row's security and the day. */
const CELLS: Record<
  (typeof AUCTION_COLUMNS)[number]["name"],
  (row: AuctionRow, of: Security & { tradedate: BeijingDate }) => Cell
> = {
  tradedate: (_, { tradedate }) => tradedate,
  symbol: (_, { symbol }) => symbol,
  time: ({ time }) => formatTimeOfDay(time),
  m_price: ({ priceE4 }) => priceE4 / 10_000,
  auc_pct_chg: percentChange,
  auc_vol: ({ volume }) => volume / 100,
  auc_amt: ({ priceE4, volume }) => amountOf(priceE4, volume),
  um_vol: ({ unmatched }) => unmatched / 100,
  um_side: ({ side }) => side,
  exchange: (_, { market }) => market,
  is_result: ({ isResult }) => isResult,
  auc_volume: ({ volume }) => BigInt(volume),
  um_volume: ({ unmatched }) => BigInt(unmatched),
};

export class AuctionWriter {
  private readonly tradedate: BeijingDate;
  private readonly out = new ByteWriter(1 << 16);
  private readonly parquet: ParquetWriter;
  private columns = emptyColumns();

  /** Begins the pack of `tradedate`, made from the quote pack with the build id `quotes`. */
  constructor(tradedate: BeijingDate, quotes: string) {
    const columnData = AUCTION_COLUMNS.map((column) => ({ ...column, data: [] }));
    this.tradedate = tradedate;
    this.parquet = new ParquetWriter({
      writer: this.out,
      schema: schemaFromColumnData({ columnData }),
      codec: "ZSTD",
      compressors: { ZSTD: (bytes) => zstdCompressSync(bytes) },
      kvMetadata: [{ key: QUOTES_KEY, value: quotes }],
      createdBy: "edgetape version 1",
    });
  }

  /** Appends a security's rows. Call it in ascending order of symbol, then market. */
  append({ symbol, market }: Security, rows: readonly AuctionRow[]): void {
    const of = { symbol, market, tradedate: this.tradedate };
    for (const { name, data } of this.columns) for (const row of rows) data.push(CELLS[name](row, of));
    if (this.held() >= GROUP_ROWS) this.writeGroup();
  }

  /** Writes the remaining rows and the footer. */
  finish(): void {
    if (this.held() > 0) this.writeGroup();
    this.parquet.finish();
  }

  /** Returns the bytes written since the last call. */
  take(): Uint8Array<ArrayBuffer> {
    const bytes = this.out.getBytes().slice();
    this.out.index = 0;
    return bytes;
  }

  private held(): number {
    return this.columns[0]?.data.length ?? 0;
  }

  private writeGroup(): void {
    this.parquet.write({ columnData: this.columns, rowGroupSize: this.held() });
    this.columns = emptyColumns();
  }
}

function emptyColumns() {
  return AUCTION_COLUMNS.map(({ name }) => ({ name, data: [] as Cell[] }));
}
