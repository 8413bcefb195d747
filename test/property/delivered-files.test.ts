/** Random deliveries: every file is read or left out by name with its reason, and nothing outside is read. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { BeijingDate } from "../../src/calendar/beijing.ts";
import { buildPack } from "../../src/pack-builder/build.ts";
import { mayHoldRecords } from "../../src/pack-builder/delivery/source-file.ts";
import { printedRandom } from "../support/random.ts";
import { type DeliveryKind, generateDelivery } from "../support/random-deliveries.ts";
import { proofSize } from "../support/tier.ts";
import { entriesOf } from "../unit/pack-builder/deliveries.ts";

const TRADEDATE = "20230711" as BeijingDate;
const random = printedRandom("delivered files");

async function checkOne(kind: DeliveryKind): Promise<void> {
  const place = mkdtempSync(join(tmpdir(), "edgetape-random-"));
  try {
    const made = generateDelivery(random, { kind, place, tradedate: TRADEDATE });
    const outFolder = join(place, "out");
    const report = await buildPack({
      sources: [made.folder],
      tradedate: TRADEDATE,
      outFolder,
      maxBroken: 0,
      threads: 0,
      verify: false,
      chunkBytes: random.pick([500, 1_000_000]),
      onProgress: () => {},
    });
    const byPath = (a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : 1);
    expect(report.leftOut).toEqual(made.leftOut.toSorted(byPath));
    expect(report.rows).toBe(made.files.reduce((sum, { rows }) => sum + rows, 0));
    const mayLack = made.leftOut.some(({ reason }) => mayHoldRecords(reason));
    expect(report.result).toBe(mayLack ? "degraded" : "whole");
    const entries = await entriesOf(join(outFolder, `${TRADEDATE}.parquet`));
    const read = entries
      .filter(({ rows }) => rows > 0)
      .map(({ symbol, market, rows }) => [`${symbol}.${market}`, rows]);
    expect(read.toSorted()).toEqual(made.files.map(({ security, rows }) => [security, rows]).toSorted());
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

describe("files of a random delivery", () => {
  it.each<DeliveryKind>(["plain", "nested", "equal-names", "links", "foreign"])(
    "are all read or named: %s",
    async (kind) => {
      for (let n = proofSize(100); n > 0; n--) await checkOne(kind);
    },
  );
});
