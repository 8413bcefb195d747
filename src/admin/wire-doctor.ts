/** Admin bodies about the health of a deployment. */
import * as z from "zod";

/** Something an operator should know: see `operations/scheduled/finding.ts`. */
export const findingSchema = z.strictObject({
  check: z.string(),
  level: z.enum(["failed", "warning", "done"]),
  subject: z.string(),
  sentence: z.string(),
  advice: z.string(),
});
export type Finding = z.infer<typeof findingSchema>;

/** Runs the scheduled task now; with `tell` its findings go to the webhook as they do on its own times. */
export const runScheduledSchema = z.strictObject({ tell: z.boolean().default(false) });

export const scheduledRunSchema = z.strictObject({
  findings: z.array(findingSchema),
  /** Whether the webhook took them; null when there was nothing to tell, or nobody. */
  told: z.boolean().nullable(),
});
export type ScheduledRun = z.infer<typeof scheduledRunSchema>;
