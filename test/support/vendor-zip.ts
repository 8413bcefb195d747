/** Reads a day in the vendor layout (CSV files in GBK) without the project's own parsers. */
import yauzl from "yauzl";
import { exactTenThousandths, type Row } from "./builders.ts";

/** Returns the day's orders (`逐笔委托.csv`) by six-digit symbol, sorted stably by time. */
export function readVendorZip(path: string): Promise<Map<string, Row[]>> {
  return readVendorFiles(path, "逐笔委托.csv", (line) => {
    const [code = "", , date = "", time = "", id, exchangeId, type = "", side = "", price = "", volume = ""] =
      line.split(",");
    const [raw, quantity] = [BigInt(price), BigInt(volume)];
    const money = [exactTenThousandths(raw), Number(quantity), exactTenThousandths(raw * quantity)];
    const ids = [Number(id), Number(exchangeId)];
    return [code.slice(0, 6), date, time.padStart(9, "0"), ...ids, type, side, ...money];
  });
}

/** Returns the day's trades (`逐笔成交.csv`) with all columns, keyed and sorted like the orders of `readVendorZip`. */
export function readVendorTrades(path: string): Promise<Map<string, Row[]>> {
  return readVendorFiles(path, "逐笔成交.csv", (line) => {
    const [code = "", , date = "", time = "", id, tradeCode, kind, flag, price = "", volume = "", sell, buy] =
      line.split(",");
    const [raw, quantity] = [BigInt(price), BigInt(volume)];
    const money = [exactTenThousandths(raw), Number(quantity), exactTenThousandths(raw * quantity)];
    // Blank code cells are spaces in Shenzhen and NUL in Shanghai.
    const [flagText = "", codeText = "", kindText = ""] = [flag, tradeCode, kind].map((cell) =>
      cell?.replaceAll(/[ \0\t]/g, ""),
    );
    const ids = [Number(buy), Number(sell)];
    const start = [code.slice(0, 6), date, time.padStart(9, "0"), Number(id)];
    return [...start, ...money, flagText, codeText, ...ids, kindText];
  });
}

/** Returns the day's quotes (`行情.csv`) with all columns, keyed and sorted like the orders of `readVendorZip`. */
export function readVendorSnapshots(path: string): Promise<Map<string, Row[]>> {
  return readVendorFiles(path, "行情.csv", (line) => {
    const cells = line.split(",");
    const number = (place: number) => Number(BigInt(cells[place] ?? ""));
    const price = (place: number) => exactTenThousandths(BigInt(cells[place] ?? ""));
    // Each side has ten prices, then ten quantities; the asks come first.
    const levels = Array.from({ length: 10 }, (_, level) => [
      price(37 + level),
      number(47 + level),
      price(17 + level),
      number(27 + level),
    ]);
    const start = [cells[0]?.slice(0, 6) ?? "", cells[2] ?? "", (cells[3] ?? "").padStart(9, "0")];
    const prices = [15, 13, 14, 4, 16].map(price);
    const onRequest = [number(7), number(60), number(59), price(58), price(57), price(8)];
    return [...start, ...prices, number(11), Number(cells[12]), ...levels.flat(), ...onRequest];
  });
}

/** A snapshot's cumulative totals: shares, yuan, and the day's range in ten-thousandths of a yuan. */
export interface SnapshotTotals {
  time: number;
  volume: number;
  amount: number;
  highE4: number;
  lowE4: number;
}

/** Returns the totals of each snapshot (`行情.csv`) by six-digit symbol, sorted stably by time. */
export async function readVendorQuotes(path: string): Promise<Map<string, SnapshotTotals[]>> {
  const rows = await readVendorFiles(path, "行情.csv", (line) => {
    const cells = line.split(",");
    return [cells[0]?.slice(0, 6) ?? "", cells[2] ?? "", cells[3] ?? "", ...cells.slice(11, 15).map(Number)];
  });
  const totals = ([, , time, volume, amount, highE4, lowE4]: Row): SnapshotTotals => {
    const [at, shares, yuan, high, low] = [time, volume, amount, highE4, lowE4].map(Number);
    return { time: at ?? 0, volume: shares ?? 0, amount: yuan ?? 0, highE4: high ?? 0, lowE4: low ?? 0 };
  };
  return new Map([...rows].map(([symbol, each]) => [symbol, each.map(totals)]));
}

/**
 * Returns the lines of the files called `name`, as a map from codes with suffix to lines. The lines of each code are
 * sorted stably by time. Each line is a map from column names to cells.
 */
export async function readVendorLines(
  path: string,
  name: string,
): Promise<Map<string, ReadonlyMap<string, string>[]>> {
  const found = new Map<string, ReadonlyMap<string, string>[]>();
  for await (const [head = "", ...lines] of vendorFiles(path, name)) {
    const columns = head.split(",");
    const rows = lines.map((line) => {
      const cells = line.split(",");
      return new Map(columns.map((column, place) => [column, cells[place] ?? ""]));
    });
    const time = (row: ReadonlyMap<string, string>) => Number(row.get("时间"));
    found.set(
      rows[0]?.get("万得代码") ?? "",
      rows.sort((a, b) => time(a) - time(b)),
    );
  }
  return found;
}

async function readVendorFiles(
  path: string,
  name: string,
  rowOf: (line: string) => Row,
): Promise<Map<string, Row[]>> {
  const days = new Map<string, Row[]>();
  for await (const [_head, ...lines] of vendorFiles(path, name)) {
    const rows = lines.map(rowOf);
    days.set(
      String(rows[0]?.[0]),
      rows.sort((a, b) => Number(a[2]) - Number(b[2])),
    );
  }
  return days;
}

/** Yields the lines of each file called `name` in an archive, the header first. */
async function* vendorFiles(path: string, name: string): AsyncGenerator<string[]> {
  const zip = await yauzl.openPromise(path, { autoClose: true, lazyEntries: true, decodeStrings: false });
  for await (const entry of zip.eachEntry()) {
    if (!entry.fileName.toString("utf8").endsWith(name)) continue;
    const decoder = new TextDecoder("gbk", { fatal: true, ignoreBOM: true });
    yield decoder
      .decode(await bytesOf(await zip.openReadStreamPromise(entry)))
      .split("\r\n")
      .slice(0, -1);
  }
}

async function bytesOf(stream: NodeJS.ReadableStream): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(Buffer.from(piece as Uint8Array));
  return Buffer.concat(pieces);
}
