/** The progress of a build. The stages overlap: a security is written while others are still read. */

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

  /** Reports that `done` of `total` parts of a stage are done; a stage without parts is done. */
  report(stage: BuildStage, done: number, total: number): void {
    const share = total === 0 ? 1 : Math.min(1, done / total);
    // Sizes are estimates where text is decoded, so a share is never decreased.
    this.shares[stage] = Math.max(share, this.shares[stage] ?? 0);
    this.onProgress({ ...this.shares });
  }
}
