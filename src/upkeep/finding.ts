/** What a check found, as a text for an operator who has something else to do. */

export interface Finding {
  /** The check's name. */
  check: string;
  /** `failed`: callers notice it. `warning`: they will. `done`: it was put right just now. */
  level: "failed" | "warning" | "done";
  /** What it is about: a day, an object's key. */
  subject: string;
  sentence: string;
  /** What to do; empty when there is nothing to do. */
  advice: string;
  /** The same in Chinese, of what the webhook is told. */
  zh?: { sentence: string; advice: string };
}

/** So many findings of one kind are told by themselves: a bucket that is gone would fill pages. */
const TOLD = 10;

/** `findings` of one kind, all of a few, else the first ones and how many more there are. */
export function abridged(findings: Finding[]): Finding[] {
  const last = findings[TOLD];
  if (last === undefined) return findings;
  const more = findings.length - TOLD;
  const zh = last.zh && { ...last.zh, sentence: `另有 ${more} 项同类问题：${last.zh.sentence}` };
  return [
    ...findings.slice(0, TOLD),
    {
      ...last,
      subject: "",
      sentence: `${more} more of the kind: ${last.sentence}`,
      ...(zh === undefined ? {} : { zh }),
    },
  ];
}
