/** The findings of checks, as texts for operators. */

export interface Finding {
  /** The check's name. */
  check: string;
  /** `failed`: callers are affected now. `warning`: they may be later. `done`: the check repaired the problem. */
  level: "failed" | "warning" | "done";
  /** The subject, such as a day or an object's key. */
  subject: string;
  sentence: string;
  /** The advice; empty when no action is needed. */
  advice: string;
  /** `sentence` and `advice` in Chinese, for findings that the webhook sends. */
  zh?: { sentence: string; advice: string };
}

/** Returns a finding of the level `done`: the check has repaired what `sentence` describes. */
export function done(check: string, subject: string, sentence: string): Finding {
  return { check, level: "done", subject, sentence, advice: "" };
}

/** The maximum number of findings of one kind that are listed. A lost bucket would produce thousands. */
const TOLD = 10;

/** Returns the first `TOLD` of a long list of findings of one kind, and one that says how many more there are. */
export function abridged(findings: Finding[]): Finding[] {
  const last = findings[TOLD];
  if (last === undefined) return findings;
  const more = findings.length - TOLD;
  const zh = last.zh && { ...last.zh, sentence: `另有 ${more} 项同类问题，例如：${last.zh.sentence}` };
  return [
    ...findings.slice(0, TOLD),
    {
      ...last,
      subject: "",
      sentence: `${more} more findings of this kind, for example: ${last.sentence}`,
      ...(zh === undefined ? {} : { zh }),
    },
  ];
}
