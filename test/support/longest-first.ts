/**
 * The order of the test files: the longest first, because a long file that begins last runs alone. Vitest knows the
 * durations of the previous run only in a checkout whose tests have run before. In a fresh checkout it orders the files
 * by size.
 */
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The ends of the paths of files that take long or wait for a clock, the longest file first. */
const LONGEST = [
  "fault/client-paging.proof.test.ts",
  "fault/killed-streaming.long.test.ts",
  "property/decisions.proof.test.ts",
  "interop/cli-killed.long.test.ts",
  "unit/pack-builder/planted-faults.long.test.ts",
  "fault/mutated-packs.proof.test.ts",
  "interop/console-browser.long.test.ts",
  "property/row-accounting.proof.test.ts",
  "fault/hostile.proof.test.ts",
  "fault/corruption.proof.test.ts",
  "fault/killed-publishing.long.test.ts",
  "fault/gate-http.proof.test.ts",
  "interop/nightly.long.test.ts",
  "interop/migrations.long.test.ts",
  "interop/backup.long.test.ts",
  "fault/killed-migrating.long.test.ts",
  "interop/docs-pages.long.test.ts",
  "interop/drive-resume.long.test.ts",
  "property/paging.proof.test.ts",
  "fault/slow-readers.long.test.ts",
  "fault/python-proofs.long.test.ts",
  "fault/stores.long.test.ts",
  "conformance/within-30-seconds.test.ts",
  "conformance/real-deliveries.proof.test.ts",
  "interop/announced.long.test.ts",
];

/** Returns the file's position in `LONGEST`, or the length of `LONGEST` for a file that it does not list. */
function rankOf({ moduleId }: TestSpecification): number {
  const rank = LONGEST.findIndex((path) => moduleId.endsWith(path));
  return rank === -1 ? LONGEST.length : rank;
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    // The files of a project stay together, because they share processes.
    const projects = Map.groupBy(sorted, ({ project }) => project.name);
    return [...projects.values()].flatMap((each) => each.toSorted((a, b) => rankOf(a) - rankOf(b)));
  }
}
