/** The jobs of one thread: the builds of one dataset after the other, then the quality check of the day. */
import type { CheckedSecurity, CheckedSlice } from "./check-slice.ts";
import { type DatasetBuild, type Work, Workbench, type WorkResult } from "./work.ts";

export type Job = { build: DatasetBuild; work: Work } | { check: CheckedSlice };

export class ThreadJobs {
  private readonly number: number;
  private bench: Workbench | undefined;

  /** `number` is the thread's. */
  constructor(number: number) {
    this.number = number;
  }

  async do(job: Job): Promise<WorkResult | CheckedSecurity[]> {
    if ("work" in job) {
      if (this.bench?.build.folder !== job.build.folder) {
        this.close();
        this.bench = new Workbench(job.build, this.number);
      }
      return this.bench.do(job.work);
    }
    // All builds have ended, so the memory of their rows is free for the check.
    this.close();
    // Threads of small days do not check, and need not load the code.
    const { checkSlice } = await import("./check-slice.ts");
    return checkSlice(job.check);
  }

  /** Closes the spill files; those of a thread are closed when it ends. */
  close(): void {
    this.bench?.close();
    this.bench = undefined;
  }
}
