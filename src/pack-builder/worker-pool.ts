/** Runs work in worker threads, one piece at a time each, and returns results in order. */
import { join } from "node:path";
import { Worker as Thread } from "node:worker_threads";
import {
  type ChunkOfLines,
  type ChunkReport,
  type FileExtent,
  type SectionResult,
  type SpillResult,
  type Work,
  Workbench,
  type WorkerSettings,
} from "./work.ts";

const ENDED = "a worker thread ended before its work";

type Answer = { result: unknown } | { error: unknown };

export class WorkerPool {
  readonly threads: number;
  private readonly idle: Thread[] = [];
  private readonly waiting: ((thread: Thread) => void)[] = [];
  private readonly all: Thread[];
  /** An ended thread never answers, so its pending work is rejected. */
  private ended = false;
  /** Does the work without threads. */
  private readonly own: Workbench | undefined;

  /**
   * Starts `threads` workers with these `settings`. With 0 the calling thread does the work, which is faster for a few
   * small files.
   */
  constructor(threads: number, settings: Omit<WorkerSettings, "number">) {
    this.threads = threads;
    if (threads === 0) this.own = new Workbench({ ...settings, number: 0 });
    this.all = Array.from({ length: threads }, (_, number) => {
      const workerData: WorkerSettings = { ...settings, number };
      return new Thread(join(import.meta.dirname, "worker-thread.ts"), { workerData });
    });
    this.idle.push(...this.all);
    for (const thread of this.all) {
      thread.once("exit", () => {
        this.ended = true;
      });
    }
  }

  sectionOfChunk(chunk: ChunkOfLines, key: number): Promise<SectionResult & { report: ChunkReport }> {
    return this.run({ kind: "section-of-chunk", chunk, key });
  }

  spillChunk(chunk: ChunkOfLines): Promise<SpillResult & { report: ChunkReport }> {
    return this.run({ kind: "spill-chunk", chunk });
  }

  sectionOfSpill(key: number, extents: FileExtent[]): Promise<SectionResult> {
    return this.run({ kind: "section-of-spill", key, extents });
  }

  async close(): Promise<void> {
    this.own?.close();
    await Promise.all(this.all.map((thread) => thread.terminate()));
  }

  private async run<T>(work: Work): Promise<T> {
    if (this.own !== undefined) return this.own.do(work) as T;
    const thread = this.idle.pop() ?? (await new Promise<Thread>((resolve) => this.waiting.push(resolve)));
    try {
      if (this.ended) throw new Error(ENDED);
      // Only the methods above call this, each with the result type of its work.
      return (await answerOf(thread, work)) as T;
    } finally {
      const next = this.waiting.shift();
      if (next === undefined) this.idle.push(thread);
      else next(thread);
    }
  }
}

function answerOf(thread: Thread, work: Work): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const settle = (end: () => void) => {
      thread.off("message", onMessage);
      thread.off("error", onError);
      thread.off("exit", onExit);
      end();
    };
    const onMessage = (answer: Answer) =>
      settle(() => ("error" in answer ? reject(answer.error) : resolve(answer.result)));
    const onError = (error: unknown) => settle(() => reject(error));
    const onExit = () => settle(() => reject(new Error(ENDED)));
    thread.on("message", onMessage);
    thread.on("error", onError);
    thread.on("exit", onExit);
    thread.postMessage(work, "chunk" in work ? [work.chunk.bytes.buffer] : []);
  });
}

/**
 * Starts the work that `starts` yields, at most `ahead` pieces concurrently, and yields the results in the order of
 * their start. After an error it waits for running work and then throws.
 */
export async function* inOrder<T>(
  starts: AsyncIterable<() => Promise<T>> | Iterable<() => Promise<T>>,
  ahead: number,
): AsyncGenerator<T> {
  const running: Promise<T>[] = [];
  try {
    for await (const start of starts) {
      const piece = start();
      // A failure is thrown when its result is due; until then it must not count as unhandled.
      piece.catch(() => {});
      running.push(piece);
      const first = running.length >= ahead ? running.shift() : undefined;
      if (first !== undefined) yield await first;
    }
    for (let next = running.shift(); next !== undefined; next = running.shift()) yield await next;
  } finally {
    await Promise.allSettled(running);
  }
}
