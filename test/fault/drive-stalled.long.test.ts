/** Tests downloads whose clients do not read: they use bounded memory and do not lock other clients out. */
import { createHash } from "node:crypto";
import { type IncomingMessage, request } from "node:http";
import { beforeEach, describe, expect, it } from "vitest";
import { basic, onDrive, shareOf, type TestShare, tradesFile } from "../support/drive.ts";
import { publishFiles } from "../support/files.ts";
import { call } from "../support/http-client.ts";
import { account, loadWeekdays, sha256 } from "../support/operator.ts";
import { randomBytes } from "../support/random.ts";
import { newestRuntime } from "../support/runtime-process.ts";
import { testService } from "../support/test-service.ts";

const LARGE = "20260310/20260310_trades.zip";
const SMALL = "20260311/20260311_trades.zip";
const LARGE_BYTES = 87_000_000;
/** The size of the small file, which is larger than the sockets can buffer. */
const SMALL_BYTES = 8_000_000;
const MOST_OF_SHARE = 48;

const service = await testService();
await loadWeekdays(service, "20260101", "20261231");
const large = randomBytes(1, LARGE_BYTES);
await publishFiles(
  service,
  tradesFile("20260310", large),
  tradesFile("20260311", large.subarray(0, SMALL_BYTES)),
);
let share: TestShare;
beforeEach(async () => {
  const { key } = await account(service, { plan: "flagship" });
  share = await shareOf(service, key);
});

interface Stalled {
  answer: IncomingMessage;
  leave(): void;
}

/** Requests a file and reads only the answer's head. */
function stall(path: string): Promise<Stalled> {
  return new Promise((resolve, reject) => {
    const headers = basic(share.shareId, share.password);
    const outgoing = request(share.url + path, { agent: false, headers }, (answer) => {
      answer.on("error", () => undefined);
      resolve({ answer, leave: () => outgoing.destroy() });
    });
    outgoing.on("error", reject);
    outgoing.end();
  });
}

const stalls = (count: number, path: string) => Promise.all(Array.from({ length: count }, () => stall(path)));

async function sumOf(answer: IncomingMessage): Promise<string> {
  const hash = createHash("sha256");
  for await (const piece of answer) hash.update(piece as Buffer);
  return hash.digest("hex");
}

describe("downloads whose clients do not read", () => {
  it("use bounded memory, do not delay other clients, and are complete when they are read later", async () => {
    const runtime = newestRuntime();
    const before = runtime?.memoryBytes() ?? 0;
    const clients = await stalls(16, LARGE);
    expect(clients.map(({ answer }) => answer.statusCode)).toEqual(Array(16).fill(200));
    for (const path of ["/health", "/nothing"]) {
      const answer = await call(service.baseUrl + path, { method: "GET" });
      expect(answer.status).toBe(path === "/health" ? 200 : 404);
    }
    const grownMb = ((runtime?.memoryBytes() ?? 0) - before) / 1e6;
    console.log(`16 stalled downloads of 87 MB: ${grownMb.toFixed(0)} MB`);
    expect(grownMb).toBeLessThan(600);
    const [first, ...others] = clients;
    if (first === undefined) throw new Error("no client");
    expect(await sumOf(first.answer)).toBe(sha256(large));
    for (const { leave } of others) leave();
  });

  it("are limited to 48 per share: the next is refused with Retry-After until one ends", async () => {
    const clients = await stalls(MOST_OF_SHARE, SMALL);
    expect(clients.map(({ answer }) => answer.statusCode)).toEqual(Array(MOST_OF_SHARE).fill(200));
    const refused = await onDrive(share, SMALL);
    expect([refused.status, refused.reason, refused.headers["retry-after"]]).toEqual([
      503,
      "downloads_busy",
      "5",
    ]);
    const id = String(refused.headers["x-request-id"]);
    await expect
      .poll(() => service.logs.find((line) => line.includes(id)) ?? "", { timeout: 60_000 })
      .toContain('"kind":"busy"');
    // Requests that download no file are still served.
    expect((await onDrive(share, SMALL, { method: "HEAD" })).status).toBe(200);
    expect((await onDrive(share, "manifest.json")).status).toBe(200);
    clients[0]?.leave();
    await expect
      .poll(async () => (await onDrive(share, SMALL)).status, { timeout: 60_000, interval: 100 })
      .toBe(200);
    for (const { leave } of clients) leave();
  });
});
