/**
 * 200 accounts walk at once, each page compared with the rows that were published, under workerd itself; for
 * `--seconds` (20). The clients run on the same machine, so the fixed body of the same size, served by the same
 * kind of runtime to the same clients, is what the figures are to be held against.
 */
import { day, type Row, randomSecurity } from "../support/builders.ts";
import { account, publish } from "../support/operator.ts";
import { randomFrom } from "../support/random.ts";
import { newestRuntime, type RuntimeProcess } from "../support/runtime-process.ts";
import { startService } from "../support/service.ts";
import type { BenchOptions, BenchRow } from "./bench-row.ts";
import { prepareRefusals } from "./load-refusals.ts";
import { agentFor, fixedBody, pageText, type Texts, TRADEDATE, walkAll } from "./load-walks.ts";

const ACCOUNTS = 200;
const SYMBOLS = ["000001", "300750", "600519", "688001"];
const WARM_UP_MS = 5_000;
/** For how long refusals are measured beside the load. */
const BESIDE_MS = 15_000;

const MIB = 2 ** 20;

/** Throws at the first wrong row, at the first page that is refused, and when a slot is not free at the end. */
export async function benchLoad({ loadSeconds }: BenchOptions): Promise<BenchRow[]> {
  const random = randomFrom(20260311);
  const test = day({
    tradedate: TRADEDATE,
    securities: SYMBOLS.map((symbol, place) =>
      randomSecurity(random, { symbol, rows: 3_000 + 2_777 * place }),
    ),
  });
  await using service = await startService({ entry: "test/bench/load-worker.ts" });
  await publish(service, test);
  const texts: Texts = new Map(SYMBOLS.map((symbol) => [symbol, textOf(test.rowsOf(symbol))]));
  const made = Array.from({ length: ACCOUNTS }, () => account(service, { plan: "flagship" }));
  const keys = (await Promise.all(made)).map(({ key }) => key);

  const runtime = newestRuntime();
  await walkAll(service, keys, texts, WARM_UP_MS);
  const memory = new MemoryWatch(runtime);
  const cpuBefore = runtime?.cpuMs() ?? 0;
  const load = await walkAll(service, keys, texts, loadSeconds * 1_000);
  const cpuMs = ((runtime?.cpuMs() ?? 0) - cpuBefore) / load.ms.length;
  const memoryRows = memory.end();
  // Every slot is free: nobody is told that it is busy.
  const agent = agentFor(ACCOUNTS);
  await Promise.all(keys.map((key) => pageText(service, key, { symbol: "000001", page_size: 1 }, agent)));
  agent.destroy();

  const refusals = await prepareRefusals(service, SYMBOLS.at(-1) ?? "");
  const alone = await refusals.quiet();
  const beside = await refusals.beside(walkAll(service, keys, texts, BESIDE_MS));
  await refusals.end();
  const fixed = await fixedBody(Math.round(load.bytes / load.ms.length), ACCOUNTS, loadSeconds * 1_000);

  const perSecond = (count: number) => count / loadSeconds;
  const against = "a fixed body of the same size";
  const latency = (share: number): BenchRow => {
    const [value, rival] = [quantile(load.ms, share), quantile(fixed, share)];
    return { name: `page, p${100 * share}`, value, unit: "ms", ratio: value / rival, against };
  };
  return [
    {
      name: `pages, ${ACCOUNTS} accounts for ${loadSeconds} s`,
      value: perSecond(load.ms.length),
      unit: "/s",
      ratio: load.ms.length / fixed.length,
      against,
    },
    { name: "whole walks compared; no wrong row, no busy slot", value: load.walks, unit: "" },
    { name: "pages that took the service too long (503, asked again)", value: load.givenUp, unit: "" },
    { name: "rows", value: perSecond(load.rows), unit: "/s" },
    { name: "bytes of bodies", value: perSecond(load.bytes) / MIB, unit: "MiB/s" },
    ...[0.5, 0.95, 0.99].map(latency),
    { name: "processor time a page, stores' simulators included", value: cpuMs, unit: "ms" },
    ...memoryRows,
    ...alone,
    ...beside,
  ];
}

/** The resident memory of the runtime, looked at every second. */
class MemoryWatch {
  readonly #samples: number[] = [];
  readonly #look: () => void;
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(runtime: RuntimeProcess | null) {
    this.#look = () => {
      if (runtime !== null) this.#samples.push(runtime.memoryBytes() / MIB);
    };
    this.#look();
    this.#timer = setInterval(this.#look, 1_000);
  }

  /** What it was after each fifth of the time, and its slope in the first and in the second half. */
  end(): BenchRow[] {
    clearInterval(this.#timer);
    this.#look();
    const all = this.#samples;
    if (all.length < 5) return [];
    const at = (share: number) => all[Math.round(share * (all.length - 1))] ?? Number.NaN;
    const half = all.length >> 1;
    const row = (name: string, value: number): BenchRow => ({ name, value, unit: "MiB" });
    return [
      ...[0, 0.2, 0.4, 0.6, 0.8, 1].map((share) =>
        row(`memory of the runtime, ${100 * share} % through`, at(share)),
      ),
      { name: "its slope in the first half", value: slopeOf(all.slice(0, half)), unit: "MiB/min" },
      { name: "its slope in the second half", value: slopeOf(all.slice(half)), unit: "MiB/min" },
    ];
  }
}

/** By least squares: how much samples of a second each grow in a minute. */
function slopeOf(samples: readonly number[]): number {
  const middle = (samples.length - 1) / 2;
  const mean = samples.reduce((sum, value) => sum + value, 0) / samples.length;
  const moments = samples.map(
    (value, second) => [(second - middle) * (value - mean), (second - middle) ** 2] as const,
  );
  return (
    (60 * moments.reduce((sum, [both]) => sum + both, 0)) /
    moments.reduce((sum, [, square]) => sum + square, 0)
  );
}

/** The rows as JSON without the outer brackets. */
function textOf(rows: Row[]): string {
  return JSON.stringify(rows).slice(1, -1);
}

function quantile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}
