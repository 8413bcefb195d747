import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import { orders } from "../../../src/datasets/orders.ts";
import type { Env } from "../../../src/env.ts";
import { openParquetAnswer } from "../../../src/packs/parquet-answer.ts";
import type { AskedColumn } from "../../../src/packs/projected-file.ts";
import type { PackObject } from "../../../src/packs/read-range.ts";
import { day, randomSecurity, type TestDay } from "../../support/builders.ts";
import { packOf, type TestPack } from "../../support/packs.ts";
import { randomFrom } from "../../support/random.ts";

const { PACKS } = env as unknown as Env;
let source: TestDay;
let pack: TestPack;
let object: PackObject;

beforeAll(async () => {
  const random = randomFrom(20240102);
  source = day({
    tradedate: "20240102",
    securities: [
      randomSecurity(random, { symbol: "300750", rows: 54_321 }),
      randomSecurity(random, { symbol: "600519", rows: 7 }),
    ],
  });
  pack = await packOf(source);
  object = await stored("orders/good", pack.bytes);
});

async function stored(objectKey: string, bytes: Uint8Array): Promise<PackObject> {
  const put = await PACKS.put(objectKey, bytes);
  return { objectKey, etag: put?.etag ?? "", tradedate: "20240102" as BeijingDate };
}

/** Pumps an answer into memory and records in `events` its piece sizes and the release of the slot, in order. */
async function pumped(symbol: string, columns: AskedColumn[] | null, from = object) {
  const pieces: Uint8Array[] = [];
  const events: string[] = [];
  const writable = new WritableStream<Uint8Array>({
    write: (piece) => {
      pieces.push(piece.slice());
      events.push(String(piece.length));
    },
  });
  const { sizeBytes, pump, readBytes } = await openParquetAnswer(
    PACKS,
    from,
    pack.entryOf(symbol),
    columns,
    orders,
  );
  const failure = await pump(writable.getWriter(), async () => {
    events.push("release");
  }).catch((error: unknown) => error);
  const bytes = new Uint8Array(await new Blob(pieces).arrayBuffer());
  return { sizeBytes, readBytes, bytes, events, failure };
}

const fourColumns: AskedColumn[] = [
  { field: "volume", name: "volume" },
  { field: "exchange_order_id", name: "order_no" },
  { field: "time", name: "time" },
  { field: "exchange_order_id", name: "exchange_order_id" },
];

describe("the Parquet answer (contract 6)", () => {
  it("is the section byte for byte, and its last four bytes are sent only after the slot is released", async () => {
    const entry = pack.entryOf("300750");
    const { bytes, sizeBytes, events } = await pumped("300750", null);
    expect(bytes).toEqual(pack.bytes.slice(entry.offset, entry.offset + entry.length));
    expect(sizeBytes).toBe(entry.length);
    expect(events.slice(-2)).toEqual(["release", "4"]);
    expect(events.filter((event) => event === "release").length).toBe(1);
    const largest = Math.max(...events.map(Number).filter((size) => size > 0));
    expect(largest).toBeLessThanOrEqual(512 * 1024);
  });

  it("fails with `missing` or `changed` before its first byte", async () => {
    const open = (from: PackObject) => openParquetAnswer(PACKS, from, pack.entryOf("600519"), null, orders);
    await expect(open({ ...object, objectKey: "orders/none" })).rejects.toMatchObject({ kind: "missing" });
    await expect(open({ ...object, etag: "0".repeat(32) })).rejects.toMatchObject({ kind: "changed" });
  });

  it("ends with an error before its last bytes if the section is damaged or truncated anywhere", async () => {
    const random = randomFrom(7);
    const entry = pack.entryOf("300750");
    for (let run = 0; run < 15; run++) {
      const bytes = pack.bytes.slice();
      const at = entry.offset + random.integer(0, entry.length - 1);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << random.integer(0, 7));
      const isCut = run % 5 === 0;
      const damaged = await stored(`orders/damaged-${run}`, isCut ? bytes.slice(0, at) : bytes);
      const { failure, events } = await pumped("300750", null, damaged);
      expect(failure).toMatchObject({ kind: "damaged" });
      expect(events).not.toContain("release");
    }
  });

  it("with named columns fails before the answer's last bytes if the section is damaged outside the footer", async () => {
    const random = randomFrom(8);
    const entry = pack.entryOf("300750");
    for (let run = 0; run < 15; run++) {
      const bytes = pack.bytes.slice();
      const at = random.integer(4, entry.length - entry.footerLength - 1);
      bytes[entry.offset + at] = (bytes[entry.offset + at] ?? 0) ^ (1 << random.integer(0, 7));
      const damaged = await stored(`orders/damaged-columns-${run}`, bytes);
      const failure = await pumped("300750", fourColumns, damaged).then(
        (answer) => {
          expect(answer.events).not.toContain("release");
          return answer.failure;
        },
        (error: unknown) => error,
      );
      expect(failure).toMatchObject({ kind: "damaged" });
    }
  });
});
