/**
 * Measures the cost of the drive: a range of a share's file, compared with a worker that only reads the same range from
 * R2.
 */
import { createCipheriv } from "node:crypto";
import { basic, shareOf, tradesFile } from "../support/drive.ts";
import { publishFiles } from "../support/files.ts";
import { account } from "../support/operator.ts";
import { type Service, startService } from "../support/service.ts";
import { type BenchRow, figure, timeInterleaved } from "./bench-row.ts";

const MEGABYTE = 1_000_000;
const SIZE = 200 * MEGABYTE;
const DAY = "20260311";
/** A large range shows the throughput, a small one the cost of every request. */
const LARGE = 64 * MEGABYTE;
const SMALL = 64 * 1024;
const LARGE_ROUNDS = 9;
const SMALL_ROUNDS = 60;
/** A way that has taken longer than this in total reads no further range. */
const BUDGET_MS = 10_000;

/**
 * Returns the figures of ranges read from R2 alone and of ranges read through the drive. Both are measured alternately,
 * with ranges from all parts of the file.
 */
export async function benchShare(): Promise<BenchRow[]> {
  await using service = await startService({ entry: "test/bench/bare-read-worker.ts" });
  const bytes = createCipheriv("aes-128-ctr", Buffer.alloc(16, 1), Buffer.alloc(16)).update(
    Buffer.alloc(SIZE),
  );
  const file = tradesFile(DAY, bytes);
  await publishFiles(service, file);
  const ways = await waysTo(service, `${DAY}/${file.name}`);
  const large = await timeRanges(ways, LARGE, LARGE_ROUNDS);
  const small = await timeRanges(ways, SMALL, SMALL_ROUNDS);
  const perSecond = (ms: number) => LARGE / MEGABYTE / (ms / 1000);
  return [
    figure("64 MB range, R2 alone", perSecond(large.bareMs), "MB/s"),
    figure("64 MB range, through the drive", perSecond(large.driveMs), "MB/s", [
      perSecond(large.bareMs),
      "R2 alone",
    ]),
    figure("64 kB range, R2 alone", small.bareMs, "ms"),
    figure("64 kB range, through the drive", small.driveMs, "ms", [small.bareMs, "R2 alone"]),
  ];
}

/** Fetches a range of the file, either from R2 alone or through the drive. */
type Way = (offset: number, length: number) => Promise<Response>;

async function waysTo(service: Service, path: string): Promise<Record<"bare" | "drive", Way>> {
  const { key } = await account(service, { plan: "flagship" });
  const { url, shareId, password } = await shareOf(service, key);
  const db = await service.mf.getD1Database("DB");
  const stored = await db.prepare("SELECT object_key FROM day_files").first<{ object_key: string }>();
  const objectKey = encodeURIComponent(stored?.object_key ?? "");
  const credentials = basic(shareId, password);
  return {
    bare: (offset, length) =>
      fetch(`${service.baseUrl}/bare?key=${objectKey}&offset=${offset}&length=${length}`),
    drive: (offset, length) =>
      fetch(url + path, { headers: { ...credentials, range: `bytes=${offset}-${offset + length - 1}` } }),
  };
}

/** Returns the median milliseconds for ranges of `length` bytes, from R2 alone and through the drive. */
async function timeRanges({ bare, drive }: Record<"bare" | "drive", Way>, length: number, rounds: number) {
  const taskOf = (way: Way) => {
    let round = 0;
    return () => readAll(way(Math.floor(((SIZE - length) * round++) / (rounds + 1)), length), length);
  };
  const tasks = new Map([
    ["bare", taskOf(bare)],
    ["drive", taskOf(drive)],
  ]);
  for (const warmUp of tasks.values()) await warmUp();
  const times = await timeInterleaved(tasks, rounds, BUDGET_MS);
  return { bareMs: times.get("bare") ?? Number.NaN, driveMs: times.get("drive") ?? Number.NaN };
}

/** Reads all `length` bytes. Throws when a different number of bytes arrives. */
async function readAll(asked: Promise<Response>, length: number): Promise<void> {
  const response = await asked;
  let left = length;
  for await (const chunk of response.body ?? []) left -= (chunk as Uint8Array).length;
  if (response.status !== 206 || left !== 0)
    throw new Error(`HTTP ${response.status}, ${left} bytes missing`);
}
