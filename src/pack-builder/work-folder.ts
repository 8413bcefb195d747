/**
 * The private folder of one build, so two builds into one output folder never share a file. Temporary files have
 * numbers as names, so equal names in the delivery cannot collide. The folder is removed when the build ends or a
 * signal ends the process. After a kill, the next build into the same output folder removes it.
 */
import { rmSync } from "node:fs";
import { lstat, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, join } from "node:path";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** A build takes minutes, so a folder older than this is abandoned, even if another machine made it. */
const ABANDONED_MS = 2 * 86_400_000;
const NAME = /^\d{8}\.work-(.*)-(\d+)-[^-]*$/;

/** Returns whether the file or folder at `place` has the name of a work folder. */
export function isWorkFolder(place: string): boolean {
  return NAME.test(basename(place));
}

export class WorkFolder {
  /** The path of the folder. */
  readonly path: string;
  private readonly aborted = new AbortController();
  private readonly running = new Set<Promise<unknown>>();
  private count = 0;

  private constructor(path: string) {
    this.path = path;
    for (const signal of SIGNALS) process.on(signal, this.onSignal);
  }

  /**
   * Creates a folder in `outFolder` (created if absent) for the day `tradedate` and removes the folders of killed
   * builds.
   */
  static async create(outFolder: string, tradedate: string): Promise<WorkFolder> {
    await mkdir(outFolder, { recursive: true });
    await removeAbandoned(outFolder);
    const prefix = `${tradedate}.work-${hostname().replaceAll(/[^\w.]/g, "_")}-${process.pid}-`;
    return new WorkFolder(await mkdtemp(join(outFolder, prefix)));
  }

  /** Aborts when a signal ends the process. */
  get signal(): AbortSignal {
    return this.aborted.signal;
  }

  /** Returns a path that does not exist yet, for a file or folder. Its name is the next number followed by `ending`. */
  next(ending = ""): string {
    this.count += 1;
    return join(this.path, `${this.count}${ending}`);
  }

  /**
   * Waits for `work`, which writes to the folder and must end when `signal` aborts. The folder is not removed before
   * `work` has ended.
   */
  async during<T>(work: Promise<T>): Promise<T> {
    this.running.add(work);
    try {
      return await work;
    } finally {
      this.running.delete(work);
      // The signal is about to end the process, so this call never returns and no error is reported.
      if (this.signal.aborted) await new Promise(() => undefined);
    }
  }

  async close(): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
    this.unhook();
  }

  private unhook(): void {
    for (const signal of SIGNALS) process.off(signal, this.onSignal);
  }

  private readonly onSignal = (signal: NodeJS.Signals): void => {
    if (this.signal.aborted) return;
    this.aborted.abort();
    void Promise.allSettled(this.running).then(() => {
      // The removal is attempted several times, because worker threads can still add a file.
      rmSync(this.path, { recursive: true, force: true, maxRetries: 5 });
      this.unhook();
      process.kill(process.pid, signal);
    });
  };
}

async function removeAbandoned(outFolder: string): Promise<void> {
  for (const name of await readdir(outFolder)) {
    const [, host, pid] = NAME.exec(name) ?? [];
    if (host === undefined) continue;
    const place = join(outFolder, name);
    const isOurs = host === hostname().replaceAll(/[^\w.]/g, "_");
    if ((isOurs && !isRunning(Number(pid))) || (await ageMs(place)) > ABANDONED_MS) {
      await rm(place, { recursive: true, force: true });
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

async function ageMs(place: string): Promise<number> {
  const status = await lstat(place).catch(() => null);
  return status === null ? 0 : Date.now() - status.mtimeMs;
}
