/**
 * Runs work in worker threads. The same threads serve all datasets of a delivery and the quality check, because a new
 * thread must load and compile the code again.
 */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker as Thread } from "node:worker_threads";
import type { SecurityReport } from "../quality/sheet.ts";
import type { CheckedSlice } from "./check-slice.ts";
import type { Expected, VerifyDenial } from "./verify/verify-pack.ts";
import {
  type ChunkOfLines,
  type ChunkReport,
  type DatasetBuild,
  type FileExtent,
  type Job,
  type SectionResult,
  type SpillResult,
  ThreadJobs,
  type Work,
} from "./work.ts";

/**
 * The folder in which the command caches compiled code. Node does not enable the cache in threads, and without it a
 * thread compiles for 0.3 s.
 */
const COMPILED = join(tmpdir(), "node-compile-cache");

/**
 * The memory for a thread's new objects. By default, a thread of a machine with much memory collects up to 100 MB of
 * them before it frees any, and is not faster.
 */
const YOUNG_MIB = 16;

const ENDED = "a worker thread ended before it finished its work";

type Answer = { progress: number } | { result: unknown } | { error: unknown };

export class WorkerPool {
  private readonly idle: Thread[] = [];
  private readonly waiting: ((thread: Thread) => void)[] = [];
  private readonly all: Thread[] = [];
  /** The maximum number of threads; 0 when the calling thread does the work. */
  readonly threads: number;
  /** The error with which a thread ended. That thread never answers again, so all later work is rejected. */
  private failure: unknown;
  private readonly onExit = () => {
    this.failure ??= new Error(ENDED);
  };
  /** Does the work in the calling thread when there are no worker threads. */
  private readonly own: ThreadJobs | undefined;

  /**
   * Creates a pool of up to `threads` threads. A thread starts when there is work for it, unless `start` was called.
   * With 0 threads, the calling thread does the work, which is faster for a few small files.
   */
  constructor(threads: number) {
    this.threads = threads;
    if (threads === 0) this.own = new ThreadJobs(0);
  }

  /** Starts all threads, so that they load their code while the caller prepares the work. */
  start(): void {
    while (this.all.length < this.threads) this.idle.push(this.started());
  }

  /** Returns the interface of this pool for the build of one dataset. */
  ofDataset(build: DatasetBuild) {
    // The cast is safe, because each function declares the result type of its work.
    const run = (work: Work) => this.run({ build, work }) as Promise<never>;
    type Reported = { report: ChunkReport };
    return {
      threads: this.threads,
      sectionOfChunk: (chunk: ChunkOfLines, key: number): Promise<SectionResult & Reported> =>
        run({ kind: "section-of-chunk", chunk, key }),
      spillChunk: (chunk: ChunkOfLines): Promise<SpillResult & Reported> =>
        run({ kind: "spill-chunk", chunk }),
      sectionOfSpill: (key: number, extents: FileExtent[]): Promise<SectionResult> =>
        run({ kind: "section-of-spill", key, extents }),
      /** Verifies the built pack as `verifyPack` does. Returns `null`, or why the pack is refused. */
      verify: (path: string, { onProgress, ...expected }: Expected): Promise<VerifyDenial | null> =>
        this.run({ verify: { path, expected } }, onProgress) as Promise<never>,
      renew: () => this.renew(),
    };
  }

  /** Runs every check on the securities of a slice. Throws `PackFormatError` for a pack that cannot be decoded. */
  checkSlice(slice: CheckedSlice): Promise<SecurityReport[]> {
    return this.run({ check: slice }) as Promise<SecurityReport[]>;
  }

  /**
   * Replaces all threads by new ones, which frees the memory that work has left in them. The new threads must compile
   * their code again. No work may be running.
   */
  private async renew(): Promise<void> {
    this.idle.length = 0;
    const former = this.all.splice(0);
    for (const thread of former) thread.off("exit", this.onExit);
    this.start();
    await Promise.all(former.map((thread) => thread.terminate()));
  }

  async close(): Promise<void> {
    this.own?.close();
    await Promise.all(this.all.map((thread) => thread.terminate()));
  }

  private async run(job: Job, onProgress = (_share: number) => {}): Promise<unknown> {
    if (this.own !== undefined) return this.own.do(job, onProgress);
    const thread =
      this.idle.pop() ??
      (this.all.length < this.threads
        ? this.started()
        : await new Promise<Thread>((resolve) => this.waiting.push(resolve)));
    try {
      if (this.failure !== undefined) throw this.failure;
      return await answerOf(thread, job, onProgress);
    } finally {
      const next = this.waiting.shift();
      if (next === undefined) this.idle.push(thread);
      else next(thread);
    }
  }

  private started(): Thread {
    const thread = new Thread(join(import.meta.dirname, "worker-thread.ts"), {
      workerData: this.all.length,
      env: { NODE_COMPILE_CACHE: COMPILED, ...process.env },
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MIB },
    });
    // Without a listener, an error of an idle thread would end the process.
    thread.on("error", (error) => {
      this.failure ??= error;
    });
    thread.on("exit", this.onExit);
    this.all.push(thread);
    return thread;
  }
}

/** A worker pool's interface for the build of one dataset. */
export type DatasetPool = ReturnType<WorkerPool["ofDataset"]>;

function answerOf(thread: Thread, job: Job, onProgress: (share: number) => void): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const settle = (end: () => void) => {
      thread.off("message", onMessage);
      thread.off("error", onError);
      thread.off("exit", onExit);
      end();
    };
    const onMessage = (answer: Answer) => {
      if ("progress" in answer) onProgress(answer.progress);
      else settle(() => ("error" in answer ? reject(answer.error) : resolve(answer.result)));
    };
    const onError = (error: unknown) => settle(() => reject(error));
    const onExit = () => settle(() => reject(new Error(ENDED)));
    thread.on("message", onMessage);
    thread.on("error", onError);
    thread.on("exit", onExit);
    thread.postMessage(job, "work" in job && "chunk" in job.work ? [job.work.chunk.bytes.buffer] : []);
  });
}

/**
 * Starts the work that `starts` yields, at most `ahead` pieces concurrently, and yields the results in the order in
 * which the work was started. After an error, waits for running work and then throws.
 */
export async function* inOrder<T>(
  starts: AsyncIterable<() => Promise<T>> | Iterable<() => Promise<T>>,
  ahead: number,
): AsyncGenerator<T> {
  const running: Promise<T>[] = [];
  try {
    for await (const start of starts) {
      const piece = start();
      // A failure is thrown when the result is awaited; until then it must not count as unhandled.
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
