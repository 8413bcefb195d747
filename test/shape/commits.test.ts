/** Checks the subjects of commits: `type(scope): imperative summary` in at most 72 characters. */
import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";

/**
 * The last commit before this check existed. If the history lacks it (a shallow clone), only the newest commit is read.
 */
const BASE = "faf345912e47305540d33d3b90f4cc3d9c9b6656";
const SUBJECT =
  /^(?:feat|fix|docs|test|refactor|perf|build|chore|ci|style|revert)(?:\([\w./, -]+\))?: [a-z]\S*(?: |$)/;

const git = (...args: string[]) =>
  execFileSync("git", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });

function subjects(): string[] {
  const hasBase = (() => {
    try {
      git("merge-base", "--is-ancestor", BASE, "HEAD");
      return true;
    } catch {
      return false;
    }
  })();
  const range = hasBase ? [`${BASE}..HEAD`] : ["-1"];
  return git("log", "--no-merges", "--format=%s", ...range)
    .split("\n")
    .filter((line) => line !== "");
}

/** Returns what is wrong with a subject; null for a valid one. */
function fault(subject: string): string | null {
  if (subject.length > 72) return `${subject.length} characters, at most 72`;
  if (!SUBJECT.test(subject)) return "write type(scope): summary";
  if (subject.endsWith(".")) return "leave out the full stop";
  const verb = /: (\S+)/.exec(subject)?.[1] ?? "";
  // "adds", "added" and "adding" are not imperatives; "press", "need" and "bring" are.
  if (/[^su]s$|ied$|(?<!e|f|n|sh|sp)ed$|(?<!r)ing$/.test(verb)) return `write the imperative, not ${verb}`;
  return null;
}

describe("commit subjects", () => {
  it("name type, scope and the change, in at most 72 characters", () => {
    const wrong = subjects().map((subject) => ({ subject, fault: fault(subject) }));
    expect(wrong.filter((each) => each.fault !== null)).toEqual([]);
  });

  it("that break a rule are refused with the reason", () => {
    expect(fault("feat(cli): serve the demo's newest day first")).toBeNull();
    expect(fault("Serve the newest day first")).toBe("write type(scope): summary");
    expect(fault("fix(gate): releases the slot")).toBe("write the imperative, not releases");
    expect(fault("fix(gate): released the slot")).toBe("write the imperative, not released");
    expect(fault(`fix: ${"x".repeat(70)}`)).toBe("75 characters, at most 72");
  });
});
