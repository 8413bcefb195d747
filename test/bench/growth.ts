/**
 * Measures how the time of an answer grows with the size of the day and with the page number. Whole days are published
 * into a running service, and one large security of each day is requested over HTTP. If a time does not depend on the
 * size by design, its ratio to the smallest day must be about 1.
 */
import { PART_SHA256_HEADER, type UploadBegun } from "../../src/admin/wire.ts";
import { openPackFile } from "../../src/pack-builder/pack-file.ts";
import { onDrive, shareOf } from "../support/drive.ts";
import type { Answer } from "../support/http-client.ts";
import { account, asOperator, sha256 } from "../support/operator.ts";
import { orderHistory, pageOf } from "../support/paging.ts";
import { bare } from "../support/result.ts";
import { type Service, startService } from "../support/service.ts";
import { type BenchOptions, type BenchRow, figuresIn, timeInterleaved } from "./bench-row.ts";
import type { BenchDay } from "./days.ts";

const GROWTH = "over HTTP, growing with the day";
const PAGES = "over HTTP, pages of 1,000 rows, growing with the page number";
const PAGE_ROWS = 10_000;
const SMALL_ROWS = 1_000;
const PAGE_NUMBERS = [1, 2, 10, 100];
const LAST_STEP = "publish, last step: whole pack summed, index rows written";

/**
 * Returns two tables with a column per day. Ratios compare with the smallest day, or with page 1. All days are served
 * by one service and requested alternately, so that a busy moment affects all of them.
 */
export async function benchGrowth({ days, rounds }: BenchOptions): Promise<BenchRow[]> {
  await using service = await startService();
  const rows: BenchRow[] = [];
  const askers: { asker: Asker; cursors: string[] }[] = [];
  const { key } = await account(service, { plan: "flagship", limits: { files: null } });
  for (const day of await days.all()) {
    rows.push(rowOf(LAST_STEP, day, await publish(service, day)));
    const asker = new Asker(service, day, key);
    askers.push({ asker, cursors: await asker.smallCursors() });
  }
  const tasks = new Map<string, Map<BenchDay, () => Promise<unknown>>>();
  for (const { asker, cursors } of askers) {
    for (const [name, task] of await answersOf(asker, cursors)) {
      tasks.set(name, (tasks.get(name) ?? new Map()).set(asker.day, task));
    }
  }
  for (const [name, byDay] of tasks) {
    for (const [day, ms] of await timeInterleaved(byDay, rounds)) rows.push(rowOf(name, day, ms));
  }
  const pages: BenchRow[] = [];
  for (const { asker, cursors } of askers) pages.push(...(await pageNumberRows(asker, cursors, rounds)));
  return [...besideFirst(rows), ...pages];
}

function rowOf(name: string, day: BenchDay, value: number): BenchRow {
  return figuresIn(GROWTH, name)(day.label, value, "ms");
}

/** Returns each row with its ratio to the first row of the same name. */
function besideFirst(rows: readonly BenchRow[]): BenchRow[] {
  return rows.map((row) => {
    const first = rows.find(({ name }) => name === row.name);
    if (first === undefined || first === row) return row;
    return { ...row, ratio: row.value / first.value, against: "the smallest day" };
  });
}

/** Requests one security of the day with one key. */
class Asker {
  readonly service: Service;
  readonly day: BenchDay;
  readonly apikey: string;

  constructor(service: Service, day: BenchDay, apikey: string) {
    this.service = service;
    this.day = day;
    this.apikey = apikey;
  }

  async ask(params: Record<string, unknown>): Promise<Answer> {
    const { entry, pack } = this.day;
    const { tradedate } = pack.index;
    const all = { symbol: `${entry.symbol}.${entry.market}`, tradedate, ...params };
    return this.service.post(orderHistory({ apikey: this.apikey, params: all }));
  }

  /**
   * Requests a page and throws unless it has `rows` rows. Returns a function that requests it again without parsing the
   * rows.
   */
  async page(params: Record<string, unknown>, rows: number): Promise<() => Promise<Answer>> {
    const { items } = pageOf(await this.ask(params));
    if (items.length !== rows) throw new Error(`${items.length} rows instead of ${rows}`);
    return async () => {
      const answer = await this.ask(params);
      if (answer.reason !== null) throw new Error(answer.text);
      return answer;
    };
  }

  /** Returns the cursors of the second and all further pages of 1,000 rows. */
  async smallCursors(): Promise<string[]> {
    const cursors: string[] = [];
    for (let cursor: string | null = null; ; ) {
      const { next_cursor } = pageOf(await this.ask({ cursor, page_size: SMALL_ROWS }));
      if (next_cursor === null) return cursors;
      cursors.push(next_cursor);
      cursor = next_cursor;
    }
  }
}

async function answersOf(
  asker: Asker,
  cursors: readonly string[],
): Promise<Map<string, () => Promise<unknown>>> {
  const { service, day } = asker;
  const { rows, blocks, length } = day.entry;
  const whole = Math.min(rows, PAGE_ROWS);
  const pageFrom = (row: number) =>
    asker.page({ cursor: row === 0 ? null : cursors[row / SMALL_ROWS - 1] }, Math.min(rows - row, whole));
  const lastWhole = Math.max(0, Math.floor(rows / PAGE_ROWS) - 1) * PAGE_ROWS;
  const share = await shareOf(service, asker.apikey, "level2", Number(day.pack.index.tradedate.slice(0, 4)));
  const silent = day.pack.index.entries.find((each) => each.rows === 0);
  return new Map<string, () => Promise<unknown>>([
    ["publish: the index read out of the pack", () => readIndex(day)],
    [
      "locate: a security without orders, refused",
      async () => {
        const { reason } = await asker.ask({ symbol: silent?.symbol ?? "603000" });
        if (reason !== "no_orders") throw new Error(`${reason} instead of no_orders`);
      },
    ],
    ["first page", await pageFrom(0)],
    ["page in the middle", await pageFrom(Math.floor(blocks.length / 2) * PAGE_ROWS)],
    ["last page", await pageFrom(lastWhole)],
    ["five minutes", async () => pageOf(await asker.ask({ start_time: "10:00", end_time: "10:05" }))],
    [
      "Parquet answer",
      async () => {
        const { bytes } = await asker.ask({ format: "parquet" });
        if (bytes.length !== length) throw new Error(`${bytes.length} bytes of ${length}`);
      },
    ],
    ["share: manifest", () => onDrive(share, "manifest.json")],
  ]);
}

/** Returns time and R2 bytes of pages 1, 2, 10, 100 and the last one. */
async function pageNumberRows(asker: Asker, cursors: readonly string[], rounds: number): Promise<BenchRow[]> {
  const { day, service } = asker;
  const numbers = PAGE_NUMBERS.filter((number) => number <= cursors.length);
  const pages = [
    ...numbers.map((number) => [`page ${number}`, number] as const),
    ["last page", cursors.length + 1] as const,
  ];
  const tasks = new Map<string, () => Promise<Answer>>();
  for (const [name, number] of pages) {
    const params = { cursor: cursors[number - 2] ?? null, page_size: SMALL_ROWS };
    const held = Math.min(SMALL_ROWS, day.entry.rows - (number - 1) * SMALL_ROWS);
    tasks.set(name, await asker.page(params, held));
  }
  const times = await timeInterleaved(tasks, rounds);
  const first = times.get(pages[0]?.[0] ?? "") ?? Number.NaN;
  const rows: BenchRow[] = [];
  for (const [name, task] of tasks) {
    const value = times.get(name) ?? Number.NaN;
    const bytes = await r2BytesOf(service, String((await task()).headers["x-request-id"]));
    const inLine = figuresIn(PAGES, name);
    rows.push(inLine(day.label, value, "ms", [first, "page 1"]));
    rows.push(inLine(`R2, ${day.label}`, bytes / 1024, "KiB"));
  }
  return rows;
}

/**
 * Returns the number of bytes that a request read from R2. The service logs it in a line that can follow shortly after
 * the answer.
 */
async function r2BytesOf(service: Service, requestId: string): Promise<number> {
  for (let tries = 0; tries < 200; tries++) {
    const line = service.logs.find((text) => text.startsWith("{") && text.includes(requestId));
    if (line !== undefined) return Number((JSON.parse(line) as { r2Bytes?: number }).r2Bytes);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`no log line of request ${requestId}`);
}

async function readIndex({ path }: BenchDay): Promise<void> {
  const opened = bare(await openPackFile(path));
  if ("reason" in opened) throw new Error(opened.reason);
  await opened.close();
}

/** Publishes the pack and returns the milliseconds of the last step, which completes the upload. */
async function publish(service: Service, { pack, rows }: BenchDay): Promise<number> {
  const { index, sizeBytes } = pack;
  const uploads = `/admin/days/${index.tradedate}/uploads`;
  const begun = await asOperator<UploadBegun>(service, "POST", uploads, {
    sizeBytes,
    sha256: await pack.sha256(),
    buildId: index.buildId,
    rows,
    securities: index.entries.length,
    force: true,
  });
  if (begun.state === "served") throw new Error("the day is served already");
  for (let n = 1; n <= begun.partCount; n++) {
    const at = (n - 1) * begun.partSizeBytes;
    const part = await pack.read(at, Math.min(begun.partSizeBytes, sizeBytes - at));
    const headers = { [PART_SHA256_HEADER]: sha256(part) };
    await asOperator(service, "PUT", `${uploads}/${begun.uploadId}/parts/${n}`, part, headers);
  }
  const beganMs = performance.now();
  await asOperator(service, "POST", `${uploads}/${begun.uploadId}/complete`);
  return performance.now() - beganMs;
}
