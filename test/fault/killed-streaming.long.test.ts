/**
 * Kills the runtime while it sends pages, a Parquet file or a file of a share. After a restart with the same state, the
 * rows equal the published rows. The slot is taken until its deadline, and then free. Each request is charged at most
 * once, and exactly once if its answer began.
 */
import { request } from "node:http";
import { afterAll, describe, expect, it } from "vitest";
import type { BeijingDate } from "../../src/calendar/beijing.ts";
import { DATASETS } from "../../src/datasets/registry.ts";
import { noiseOf, randomSection } from "../support/dataset-days.ts";
import { basic, shareOf } from "../support/drive.ts";
import { bodyBytes } from "../support/http-client.ts";
import { MOMENTS, startKillable } from "../support/killable.ts";
import { account, publishPack, type TestAccount } from "../support/operator.ts";
import { buildPackBytes } from "../support/pack-bytes.ts";
import { orderHistory, type Page, pageOf } from "../support/paging.ts";
import { quotaOf } from "../support/quota.ts";
import { printedRandom } from "../support/random.ts";
import type { Service } from "../support/service.ts";
import { testFolder } from "../support/test-folder.ts";

const TRADEDATE = "20260311";
/** A security whose file is larger than all buffers between the worker and an idle reader. */
const LARGE = { symbol: "300750", rows: 700_000 };
/**
 * The maximum number of bytes in buffers between the worker and a slower reader. When fewer bytes than this are
 * missing, the worker may have sent everything and freed the slot.
 */
const BUFFERS_BYTES = 12_000_000;
const SMALL = { symbol: "600519", rows: 2_000 };
const PAGE_SIZE = 100;
const PARQUET_BOUND_MS = 300_000;

const random = printedRandom("killed in mid-stream");
const folder = testFolder("edgetape-streaming-");
const pack = await buildPackBytes(TRADEDATE as BeijingDate, [
  { symbol: LARGE.symbol, market: "SZ", columns: noiseOf(random, DATASETS.orders, LARGE.rows) },
  randomSection(random, "orders", SMALL),
]);
const killable = await startKillable(folder);
await publishPack(killable.service, TRADEDATE, pack);
/** The results of a run without a kill. */
const whole = await unbroken(killable.service);
afterAll(() => killable[Symbol.asyncDispose]());

async function unbroken(service: Service) {
  const holder = await account(service, { plan: "flagship" });
  const file = (await stream(service, fileOf(holder))).bytes;
  const share = (await stream(service, await shareFileOf(service, holder))).bytes;
  const startedMs = performance.now();
  const pages = await pageFrom(service, holder, null, () => undefined);
  return { file, share, pages, pagingMs: performance.now() - startedMs };
}

interface Asked {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: unknown;
}

function fileOf({ key }: TestAccount): Asked {
  const params = { symbol: LARGE.symbol, tradedate: TRADEDATE, format: "parquet" };
  const headers = { "content-type": "application/json" };
  return { method: "POST", path: "/api", headers, body: orderHistory({ apikey: key, params }) };
}

async function shareFileOf(service: Service, { key }: TestAccount): Promise<Asked> {
  const { url, shareId, password } = await shareOf(service, key);
  const path = `${new URL(url).pathname}${TRADEDATE}/${TRADEDATE}_orders.parquet`;
  return { method: "GET", path, headers: basic(shareId, password) };
}

interface Streamed {
  status: number;
  bytes: Buffer;
  /** Whether as many bytes arrived as announced and the connection did not break. */
  isWhole: boolean;
}

/** Sends one request. Calls `onBytes` after every piece with the number of bytes received so far. */
function stream(service: Service, asked: Asked, onBytes?: (bytes: number) => void): Promise<Streamed> {
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    let [status, bytes] = [0, 0];
    const settle = (isWhole: boolean) => resolve({ status, bytes: Buffer.concat(pieces), isWhole });
    const outgoing = request(service.baseUrl + asked.path, { ...asked, agent: false }, (answer) => {
      status = answer.statusCode ?? 0;
      answer.on("data", (piece: Buffer) => {
        pieces.push(piece);
        bytes += piece.length;
        onBytes?.(bytes);
      });
      answer.on("error", () => undefined);
      answer.on("close", () => settle(answer.complete && bytes === Number(answer.headers["content-length"])));
    });
    outgoing.on("error", () => settle(false));
    outgoing.end(bodyBytes(asked.body));
  });
}

/** Reads the pages from `cursor` until the last one or until a request fails. Calls `onAsked` before each request. */
async function pageFrom(
  service: Service,
  { key }: TestAccount,
  cursor: string | null,
  onAsked: () => void,
): Promise<Page[]> {
  const pages: Page[] = [];
  for (let next = cursor; pages.length === 0 || next !== null; ) {
    onAsked();
    const params = { symbol: SMALL.symbol, tradedate: TRADEDATE, page_size: PAGE_SIZE, cursor: next };
    const answer = await service.post(orderHistory({ apikey: key, params })).catch(() => null);
    if (answer === null) return pages;
    const page = pageOf(answer);
    pages.push(page);
    next = page.next_cursor;
  }
  return pages;
}

async function used(service: Service, { key }: TestAccount) {
  const { requests, files, busy } = await quotaOf(service, key);
  return { requests: requests?.used ?? -1, files: files?.used ?? -1, busy };
}

/** Restarts with the clock before (`isEarly`) or after the deadline of the killed request, chosen at random. */
async function restart(): Promise<{ service: Service; isEarly: boolean }> {
  const isEarly = random.chance(0.5);
  const service = await killable.restart(isEarly ? 0 : PARQUET_BOUND_MS + 1_000);
  return { service, isEarly };
}

describe(`a Parquet file cut off by killing the runtime at ${MOMENTS} random moments`, () => {
  it("never looks complete, and the slot is free after its deadline", async () => {
    let [brokenOff, stillBusy] = [0, 0];
    for (let round = 0; round < MOMENTS; round++) {
      const holder = await account(killable.service, { plan: "flagship" });
      const at = random.integer(1, whole.file.length - 1);
      let killing: Promise<void> | undefined;
      const seen = await stream(killable.service, fileOf(holder), (bytes) => {
        if (bytes >= at) killing ??= killable.kill();
      });
      await killing;
      expect(seen.bytes.equals(whole.file.subarray(0, seen.bytes.length))).toBe(true);
      if (seen.bytes.length < whole.file.length) expect(seen.isWhole).toBe(false);

      const { service, isEarly } = await restart();
      const after = await used(service, holder);
      expect(after).toMatchObject({ requests: 1, files: 1 });
      if (!isEarly) expect(after.busy).toBe(false);
      const again = await service.post(
        orderHistory({ apikey: holder.key, params: { symbol: SMALL.symbol, tradedate: TRADEDATE } }),
      );
      expect(again.reason).toBe(after.busy ? "slot_busy" : null);
      if (isEarly && seen.bytes.length < whole.file.length - BUFFERS_BYTES) expect(after.busy).toBe(true);
      expect((await used(service, holder)).requests).toBe(after.busy ? 1 : 2);
      if (!seen.isWhole) brokenOff++;
      if (after.busy) stillBusy++;
    }
    console.log(`${brokenOff} of ${MOMENTS} files broke off, ${stillBusy} slots were still taken`);
    expect(brokenOff).toBeGreaterThan(0);
  });
});

describe(`paging interrupted by killing the runtime at ${MOMENTS} random moments`, () => {
  it("resumes after the received pages, returns the published rows, and is charged at most once per page", async () => {
    let cutShort = 0;
    for (let round = 0; round < MOMENTS; round++) {
      const holder = await account(killable.service, { plan: "flagship" });
      let asked = 0;
      const paging = pageFrom(killable.service, holder, null, () => asked++);
      await new Promise((resolve) => setTimeout(resolve, random.next() * whole.pagingMs));
      await killable.kill();
      const before = await paging;
      const { service, isEarly } = await restart();
      const after = await used(service, holder);
      expect(after.requests).toBeGreaterThanOrEqual(before.length);
      expect(after.requests).toBeLessThanOrEqual(asked);
      const isOver = before.at(-1)?.has_more === false;
      if (!isOver) cutShort++;
      if (isEarly && after.busy) continue;
      expect(after.busy).toBe(false);
      const rest = isOver
        ? []
        : await pageFrom(service, holder, before.at(-1)?.next_cursor ?? null, () => undefined);
      const items = [...before, ...rest].map((page) => page.items);
      expect(items).toEqual(whole.pages.map((page) => page.items));
      expect((await used(service, holder)).requests).toBe(after.requests + rest.length);
    }
    console.log(`${cutShort} of ${MOMENTS} runs ended early`);
    expect(cutShort).toBeGreaterThan(0);
  });
});

describe(`a share download cut off by killing the runtime at ${MOMENTS} random moments`, () => {
  it("resumes from the last received byte, and the result is identical to the pack", async () => {
    const holder = await account(killable.service, { plan: "flagship" });
    const asked = await shareFileOf(killable.service, holder);
    let brokenOff = 0;
    for (let round = 0; round < MOMENTS; round++) {
      const at = random.integer(1, whole.share.length - 1);
      let killing: Promise<void> | undefined;
      const seen = await stream(killable.service, asked, (bytes) => {
        if (bytes >= at) killing ??= killable.kill();
      });
      await killing;
      if (seen.bytes.length < whole.share.length) expect(seen.isWhole).toBe(false);
      const { service } = await restart();
      const range = { range: `bytes=${seen.bytes.length}-` };
      const rest = await stream(service, { ...asked, headers: { ...asked.headers, ...range } });
      expect(rest.status).toBe(seen.bytes.length < whole.share.length ? 206 : 416);
      const got = rest.status === 206 ? Buffer.concat([seen.bytes, rest.bytes]) : seen.bytes;
      expect(got.equals(pack)).toBe(true);
      if (!seen.isWhole) brokenOff++;
    }
    console.log(`${brokenOff} of ${MOMENTS} downloads broke off`);
    expect(brokenOff).toBeGreaterThan(0);
  });
});
