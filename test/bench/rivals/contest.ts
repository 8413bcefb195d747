/** Gives every contestant the same task, compares its result with edgetape's, and only then measures the time. */
import { type BenchRow, timeInterleaved } from "../bench-row.ts";
import { digestOf } from "./duckdb.ts";
import type { Floor } from "./floors.ts";
import type { Rival, RowsAsk } from "./rival.ts";

/** If the first answer takes longer than this, the request is not repeated, and this one time is the result. */
const SLOW_MS = 5_000;

/** Measures the rivals on the data of one day. The first rival is edgetape; the others are compared with it. */
export class Contest {
  private readonly rivals: readonly Rival[];
  private readonly rounds: number;

  constructor(rivals: readonly Rival[], rounds: number) {
    this.rivals = rivals;
    this.rounds = rounds;
  }

  /**
   * Returns the times for `ask`, and the minimum costs for the JSON text that all contestants returned. Throws when a
   * contestant returned a different text.
   */
  async rows(ask: RowsAsk, floors: (json: string) => Promise<Floor[]>): Promise<BenchRow[]> {
    let ours: string | undefined;
    const tasks = this.rivals.map(({ name, rows }) => ({ name, task: () => rows(ask) }));
    const check = async (name: string, answer: unknown) => {
      const json = textOf(answer as string | Uint8Array);
      ours ??= json;
      if (json !== ours) throw new Error(`${name}: its rows of "${ask.what}" differ from ours`);
    };
    const slowMs = await firstTime(tasks, check);
    return this.column(ask.what, [...tasks, ...(await floors(ours ?? ""))], slowMs);
  }

  /** Returns the times for writing the Parquet file to `path`. Throws when a file's rows or their order differ. */
  async files(symbol: string, path: string, floors: readonly Floor[]): Promise<BenchRow[]> {
    let ours: string | undefined;
    const tasks = this.rivals.flatMap(({ name, parquet }) =>
      parquet === undefined ? [] : [{ name, task: () => parquet(symbol, path) }],
    );
    const check = async (name: string) => {
      const found = await digestOf(path);
      ours ??= found;
      if (found !== ours) throw new Error(`${name}: the rows of its Parquet file differ from ours`);
    };
    const slowMs = await firstTime(tasks, check);
    return this.column("Parquet answer", [...tasks, ...floors], slowMs);
  }

  private async column(
    column: string,
    tasks: readonly Floor[],
    slowMs: ReadonlyMap<string, number>,
  ): Promise<BenchRow[]> {
    const quick = tasks.filter(({ name }) => !slowMs.has(name));
    const took = await timeInterleaved(new Map(quick.map(({ name, task }) => [name, task])), this.rounds);
    const timeOf = (name: string) => slowMs.get(name) ?? took.get(name) ?? Number.NaN;
    const first = tasks[0]?.name ?? "";
    return tasks.map(({ name }) => ({
      name,
      column,
      value: timeOf(name),
      unit: "ms",
      ...(name === first ? {} : { ratio: timeOf(name) / timeOf(first), against: first }),
    }));
  }
}

/** Runs each task once, which warms it up, and checks its answer. Returns the milliseconds of the slow tasks. */
async function firstTime(
  tasks: readonly Floor[],
  check: (name: string, answer: unknown) => Promise<void>,
): Promise<Map<string, number>> {
  const slowMs = new Map<string, number>();
  for (const { name, task } of tasks) {
    const beganMs = performance.now();
    const answer = await task();
    const took = performance.now() - beganMs;
    await check(name, answer);
    if (took > SLOW_MS) slowMs.set(name, took);
  }
  return slowMs;
}

/** Returns the text as `JSON.stringify` writes it, because some engines print 12 as 12.0, or 1e5 as 100000.0. */
function textOf(json: string | Uint8Array): string {
  return JSON.stringify(JSON.parse(typeof json === "string" ? json : new TextDecoder().decode(json)));
}
