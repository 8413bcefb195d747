/** The progress of a build. The stages overlap: one security is written while others are still being read. */

/** The stages in the order in which they end. */
export const BUILD_STAGES = ["read", "sort", "write", "verify"] as const;
export type BuildStage = (typeof BUILD_STAGES)[number];

/** The progress of each stage from 0 to 1; a stage that the build skips is absent. */
export type StageShares = Readonly<Partial<Record<BuildStage, number>>>;

export class BuildProgress {
  private readonly shares: Partial<Record<BuildStage, number>> = {};
  private readonly onProgress: (shares: StageShares) => void;

  constructor(stages: readonly BuildStage[], onProgress: (shares: StageShares) => void) {
    for (const stage of stages) this.shares[stage] = 0;
    this.onProgress = onProgress;
  }

  /** Reports that `done` of `total` units of a stage are complete. With a `total` of 0, the stage is complete. */
  report(stage: BuildStage, done: number, total: number): void {
    const share = total === 0 ? 1 : Math.min(1, done / total);
    // The reported progress never decreases.
    this.shares[stage] = Math.max(share, this.shares[stage] ?? 0);
    this.onProgress({ ...this.shares });
  }
}
