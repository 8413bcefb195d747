/** The findings of checks, as texts for operators. */
import * as z from "zod";

export const findingSchema = z.strictObject({
  /** The check's name. */
  check: z.string(),
  /** `failed`: callers are affected now. `warning`: they may be later. `done`: the check repaired the problem. */
  level: z.enum(["failed", "warning", "done"]),
  /** The subject, such as a day or an object's key. */
  subject: z.string(),
  sentence: z.string(),
  /** The advice; empty when no action is needed. */
  advice: z.string(),
  /** `sentence` and `advice` in Chinese, for findings that the webhook sends. */
  zh: z.strictObject({ sentence: z.string(), advice: z.string() }).exactOptional(),
});
export type Finding = z.infer<typeof findingSchema>;

type Texts = readonly [sentence: string, advice: string];

/** Returns a finding with its sentence and advice, also in Chinese if the webhook sends it. */
export function finding(
  check: string,
  level: Finding["level"],
  subject: string,
  { en, zh }: { en: Texts; zh?: Texts },
): Finding {
  const [sentence, advice] = en;
  const found = { check, level, subject, sentence, advice };
  return zh === undefined ? found : { ...found, zh: { sentence: zh[0], advice: zh[1] } };
}

/** Returns a finding of the level `done`: the check has repaired what `sentence` describes. */
export function done(check: string, subject: string, sentence: string): Finding {
  return finding(check, "done", subject, { en: [sentence, ""] });
}

/** The maximum number of findings of one kind that are listed. A lost bucket would produce thousands. */
const TOLD = 10;

/** Returns the first `TOLD` of a long list of findings of one kind, and one that says how many more there are. */
export function abridged(findings: Finding[]): Finding[] {
  const last = findings[TOLD];
  if (last === undefined) return findings;
  const more = findings.length - TOLD;
  const sentence = `${more} more findings of this kind, for example: ${last.sentence}`;
  const zh = last.zh && { ...last.zh, sentence: `另有 ${more} 项同类问题，例如：${last.zh.sentence}` };
  return [...findings.slice(0, TOLD), { ...last, subject: "", sentence, ...(zh && { zh }) }];
}
