/**
 * Reads pages with 200 accounts at the same time for `--seconds` (default 20), and compares each page with the
 * published rows. The clients run on the same machine as workerd. The figures are therefore compared with the figures
 * for a fixed body of the same size, which the same runtime serves to the same clients.
 */
import { account } from "../support/operator.ts";
import { newestRuntime } from "../support/runtime-process.ts";
import { startService } from "../support/service.ts";
import { type BenchOptions, type BenchRow, figure } from "./bench-row.ts";
import { agentFor, fixedBody, pageText, readAll, type Texts } from "./load-readers.ts";
import { prepareRefusals } from "./load-refusals.ts";
import { MemoryWatch } from "./memory-watch.ts";
import { LARGEST, publishSampleDay, sampleTexts } from "./sample-day.ts";

const ACCOUNTS = 200;
/** The number of different securities that the accounts read. */
const SECURITIES = 4;
const WARM_UP_MS = 5_000;
/** How long refusals are measured while the load runs. */
const BESIDE_MS = 15_000;

const MIB = 2 ** 20;

/**
 * Measures the load and returns the figures. Throws when a row is wrong, when a page is refused, or when a slot is
 * still held at the end.
 */
export async function benchLoad({ loadSeconds }: BenchOptions): Promise<BenchRow[]> {
  await using service = await startService({
    entry: "test/bench/load-worker.ts",
    settings: { DAY_CACHE_MS: "10000" },
  });
  await publishSampleDay(service);
  const texts: Texts = sampleTexts(SECURITIES, { least: 3_000, most: 30_000 });
  const made = Array.from({ length: ACCOUNTS }, () => account(service, { plan: "flagship" }));
  const keys = (await Promise.all(made)).map(({ key }) => key);

  const runtime = newestRuntime();
  await readAll(service, keys, texts, WARM_UP_MS);
  const memory = new MemoryWatch(runtime);
  const cpuBefore = runtime?.cpuMs() ?? 0;
  const load = await readAll(service, keys, texts, loadSeconds * 1_000);
  const cpuMs = ((runtime?.cpuMs() ?? 0) - cpuBefore) / load.ms.length;
  const memoryRows = memory.end("memory of the runtime");
  // Each account sends one more request, which would be refused if its slot were still held.
  const agent = agentFor(ACCOUNTS);
  await Promise.all(keys.map((key) => pageText(service, key, { symbol: LARGEST, page_size: 1 }, agent)));
  agent.destroy();

  const refusals = await prepareRefusals(service, LARGEST);
  const alone = await refusals.quiet();
  const beside = await refusals.beside(readAll(service, keys, texts, BESIDE_MS));
  await refusals.end();
  const fixed = await fixedBody(Math.round(load.bytes / load.ms.length), ACCOUNTS, loadSeconds * 1_000);

  const perSecond = (count: number) => count / loadSeconds;
  const against = "a fixed body of the same size";
  const latency = (share: number) =>
    figure(`page, p${100 * share}`, quantile(load.ms, share), "ms", [quantile(fixed.ms, share), against]);
  const pages = perSecond(load.ms.length);
  return [
    figure(`pages, ${ACCOUNTS} accounts for ${loadSeconds} s`, pages, "/s", [
      perSecond(fixed.ms.length),
      against,
    ]),
    figure("whole days compared; no wrong row, no busy slot", load.wholeReads, ""),
    figure("pages that took the service too long (503, asked again)", load.givenUp, ""),
    figure("rows", perSecond(load.rows), "/s"),
    figure("bytes of bodies", perSecond(load.bytes) / MIB, "MiB/s"),
    ...[0.5, 0.95, 0.99].map(latency),
    figure("processor time a page, stores' simulators included", cpuMs, "ms"),
    ...memoryRows,
    ...fixed.memory,
    ...alone,
    ...beside,
  ];
}

function quantile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}
