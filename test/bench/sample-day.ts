/** Publishes a sample day into a running service. The day has few securities, but each is as large as on a real day. */
import { mkdtempDisposable, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BeijingDate } from "../../src/calendar/beijing.ts";
import type { OrderColumns } from "../../src/orders/record.ts";
import { sampleSections } from "../../src/pack-builder/sample/day.ts";
import type { SectionEntry } from "../../src/packs/layout.ts";
import { locateIndex } from "../../src/packs/locate.ts";
import { exactTenThousandths } from "../support/builders.ts";
import { publishPack } from "../support/operator.ts";
import { writeSamplePack } from "../support/pack-bytes.ts";
import type { Service } from "../support/service.ts";

/** The published day; the service's clock is one day later. */
export const SAMPLE_DATE = "20260311" as BeijingDate;
/** A security that has as many orders as on a real day, even in a small sample day. */
export const LARGEST = "300750";

const DAY_ROWS = 1_000_000;

/** Publishes a sample day of about a million rows and returns the entries of its index. */
export async function publishSampleDay(service: Service): Promise<SectionEntry[]> {
  await using folder = await mkdtempDisposable(join(tmpdir(), "edgetape-bench-"));
  const { path } = await writeSamplePack({ tradedate: SAMPLE_DATE, rows: DAY_ROWS }, folder.path);
  const bytes = await readFile(path);
  await publishPack(service, SAMPLE_DATE, bytes);
  const read = async (from: number, length: number) => bytes.subarray(from, from + length);
  return (await locateIndex(bytes.length, read)).index.entries;
}

/**
 * Returns the rows of `count` securities with `least` to `most` rows each, as the JSON text between the brackets of
 * `items`.
 */
export function sampleTexts(
  count: number,
  { least, most }: { least: number; most: number },
): Map<string, string> {
  const texts = new Map<string, string>();
  for (const { symbol, columns } of sampleSections({ tradedate: SAMPLE_DATE, rows: DAY_ROWS })) {
    if (texts.size === count) break;
    if (columns.rows >= least && columns.rows <= most) texts.set(symbol, textOf(symbol, columns));
  }
  if (texts.size < count) throw new Error(`the sample day has no ${count} securities of that size`);
  return texts;
}

function textOf(symbol: string, from: OrderColumns): string {
  const rows = Array.from(from.time, (time, row) => {
    const price = BigInt(from.priceE4[row] ?? 0);
    const volume = from.volume[row] ?? 0;
    return [
      symbol,
      SAMPLE_DATE,
      String(time).padStart(9, "0"),
      from.orderId[row],
      from.exchangeOrderId[row],
      from.orderType.values[from.orderType.index[row] ?? 0],
      from.orderCode.values[from.orderCode.index[row] ?? 0],
      exactTenThousandths(price),
      volume,
      exactTenThousandths(price * BigInt(volume)),
    ];
  });
  return JSON.stringify(rows).slice(1, -1);
}
