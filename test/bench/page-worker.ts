/**
 * A worker with the deployed worker's modules, which runs tasks on a section in memory. `POST /section?entry=…` stores
 * the section; `GET /run?task=…&times=…` runs a task that many times. The clock does not advance inside a worker, so
 * the caller measures the time.
 */
import type { BeijingDate } from "../../src/calendar/beijing.ts";
import { DATASETS, type DatasetName } from "../../src/datasets/registry.ts";
import { writeItems } from "../../src/orders/page-json.ts";
import { type AskedColumn, fieldsOf } from "../../src/orders/query/fields.ts";
import type { Position } from "../../src/orders/query/page-plan.ts";
import { openBlock } from "../../src/packs/block-columns.ts";
import { blockEnd, blockRows, type SectionEntry } from "../../src/packs/layout.ts";
import { type OrderPage, readOrderPage } from "../../src/packs/order-page.ts";

export * from "../../src/worker.ts";

/** The tasks. `nothing` measures the request itself. */
export type Task = "nothing" | "stringify" | "aligned" | "unaligned" | "first" | "last" | "decode" | "write";

const PAGE_ROWS = 10_000;

/** The section and the columns that `POST /section` has set. */
let entry: SectionEntry;
let section: Uint8Array<ArrayBuffer>;
let tradedate: BeijingDate;
let dataset: DatasetName;
let columns: readonly AskedColumn[];
/** The tasks whose data has been prepared. */
const tasks = new Map<Task, () => unknown>();

export default {
  async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/section") {
      entry = JSON.parse(searchParams.get("entry") ?? "");
      tradedate = searchParams.get("tradedate") as BeijingDate;
      dataset = searchParams.get("dataset") as DatasetName;
      columns = fieldsOf(dataset).standard;
      section = new Uint8Array(await request.arrayBuffer());
      return new Response("kept");
    }
    const task = searchParams.get("task") as Task;
    const run = tasks.get(task) ?? (await taskOf(task));
    tasks.set(task, run);
    for (let time = Number(searchParams.get("times")); time > 0; time--) await run();
    return new Response("done");
  },
};

async function taskOf(task: Task): Promise<() => unknown> {
  const middle = Math.floor(entry.blocks.length / 2);
  const aligned = startOfBlock(middle);
  const last = startOfBlock(Math.max(0, entry.blocks.length - 2));
  switch (task) {
    case "nothing":
      return () => undefined;
    case "stringify": {
      const rows = JSON.parse(await new Blob((await pageAt(aligned)).items).text());
      return () => JSON.stringify(rows);
    }
    case "aligned":
      return () => pageAt(aligned);
    case "unaligned": {
      const { next } = await pageAt(aligned, Math.floor(Math.min(PAGE_ROWS, blockRows(entry, middle)) / 2));
      if (next === null) throw new Error("no row follows the page in the middle of the day");
      return () => pageAt(next);
    }
    case "first":
      return () => pageAt(startOfBlock(0));
    case "last":
      return () => pageAt(last);
    case "decode":
      return () => decoded(middle);
    case "write": {
      const part = decoded(middle);
      return () => writeItems([part]);
    }
  }
}

/** A bucket that holds only the section. Ranges are copied, as in R2. */
const bucket = {
  get: async (_key: string, { range }: { range: { offset: number; length: number } }) => {
    const from = range.offset - entry.offset;
    const bytes = section.slice(from, from + range.length);
    return { body: null, arrayBuffer: async () => bytes.buffer };
  },
} as unknown as R2Bucket;

async function pageAt(position: Position, pageSize = PAGE_ROWS): Promise<OrderPage> {
  const object = { objectKey: "orders/section", etag: "0", tradedate };
  const ask = { position, endTime: null, pageSize, columns };
  const page = await readOrderPage(bucket, object, entry, ask, { dataset: DATASETS[dataset] });
  if (!page.ok) throw new Error(page.refusal.reason);
  return page.value;
}

function startOfBlock(number: number): Position {
  const block = entry.blocks[number];
  if (block === undefined) throw new Error(`there is no block ${number}`);
  return { time: block.t0, skip: block.k0 };
}

/** Returns the decoded columns of a whole block. */
function decoded(number: number) {
  const rows = blockRows(entry, number);
  const bytes = section.subarray(entry.blocks[number]?.offset, blockEnd(entry, number));
  const fields = columns.map(({ field }) => field);
  const block = openBlock(bytes, rows, DATASETS[dataset]);
  return { columns: block.columns(fields, rows), startRow: 0, endRow: rows };
}
