/**
 * What is deployed: the worker's size as the platform counts it (gzip; 10 MB at most), because every fresh isolate
 * loads it, and how long a fresh runtime takes from its start to its first answer (the platform gives a worker one
 * second to start).
 */
import { gzipSync } from "node:zlib";
import { bundledWorker } from "../support/bundle.ts";
import { call } from "../support/http-client.ts";
import { startService } from "../support/service.ts";
import type { BenchRow } from "./bench-row.ts";

/** Throws when the bundle is larger than it has any reason to be. */
const MOST_GZIP_BYTES = 500_000;

/** Size and start of the worker that `wrangler deploy` would upload. */
export async function benchBundle(): Promise<BenchRow[]> {
  const { source } = await bundledWorker();
  const gzipBytes = gzipSync(source).length;
  if (gzipBytes > MOST_GZIP_BYTES) throw new Error(`the worker takes ${gzipBytes} bytes, gzipped`);
  const beganMs = performance.now();
  await using service = await startService();
  const startedMs = performance.now();
  await call(service.baseUrl, { method: "GET" });
  return [
    { name: "worker bundle, gzip", value: gzipBytes / 1024, unit: "KiB" },
    { name: "from nothing: runtime, worker, stores, schema", value: startedMs - beganMs, unit: "ms" },
    {
      name: "first answer of a fresh runtime",
      value: performance.now() - startedMs,
      unit: "ms",
    },
  ];
}
