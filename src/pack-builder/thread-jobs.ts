/** Runs the jobs of one thread: first the builds, one dataset at a time, then the quality check of the day. */
import type { CheckedSecurity, CheckedSlice } from "./check-slice.ts";
import { type DatasetBuild, type Work, Workbench, type WorkResult } from "./work.ts";

export type Job = { build: DatasetBuild; work: Work } | { check: CheckedSlice };

export class ThreadJobs {
  private readonly number: number;
  private bench: Workbench | undefined;

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
    // All builds have ended. Closing the last workbench frees the memory of its rows for the check.
    this.close();
    // The check is imported only when it runs. On a small day, no worker thread runs it.
    const { checkSlice } = await import("./check-slice.ts");
    return checkSlice(job.check);
  }

  /** Closes the spill files. A worker thread's spill files are also closed when the thread ends. */
  close(): void {
    this.bench?.close();
    this.bench = undefined;
  }
}
