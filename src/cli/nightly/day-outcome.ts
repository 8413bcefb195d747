/** What became of a day's delivery, and what a killed run must remember of it. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import type { BeijingDate } from "../../calendar/beijing.ts";
import { LEFT_OUT_WORDS, type LeftOutReason } from "../../pack-builder/delivery/source-file.ts";
import { writeWhole } from "../write-whole.ts";

const fileOutcomeSchema = z.object({
  dataType: z.string(),
  name: z.string(),
  revision: z.number().nullable(),
  /** Why it is not offered, as a sentence; null when it is. */
  problem: z.string().nullable(),
});

const leftOutSchema = z.object({
  path: z.string(),
  reason: z.enum(Object.keys(LEFT_OUT_WORDS) as [LeftOutReason, ...LeftOutReason[]]),
});

const outcomeSchema = z.object({
  tradedate: z.string(),
  /** `unchanged`: this very content was served already. */
  state: z.enum(["published", "unchanged", "failed"]),
  /** Why the orders are not served, as a sentence; null when they are. */
  problem: z.string().nullable(),
  /** The same in Chinese, where it has Chinese words. */
  problemZh: z.string().nullable().default(null),
  /** Not served because an operator has withdrawn the day. */
  decided: z.boolean().optional(),
  revision: z.number().nullable(),
  rows: z.number(),
  securities: z.number(),
  sizeBytes: z.number(),
  degraded: z.boolean(),
  /** Lines that could not be rows, and where they are kept. */
  brokenRows: z.number(),
  quarantine: z.string().nullable(),
  /** Files of the delivery that may hold orders and were not read. */
  leftOut: z.array(leftOutSchema).default([]),
  files: z.array(fileOutcomeSchema),
  /** From the delivery to its end, in this run. */
  seconds: z.number(),
});
export type DayOutcome = z.infer<typeof outcomeSchema>;
export type FileOutcome = z.infer<typeof fileOutcomeSchema>;

const builtSchema = z.object({
  path: z.string(),
  buildId: z.string(),
  degraded: z.boolean(),
  brokenRows: z.number(),
  quarantine: z.string().nullable(),
  leftOut: z.array(leftOutSchema).default([]),
});
export type Built = z.infer<typeof builtSchema>;

const memorySchema = z.object({
  /** Of the delivery this is about: another delivery of the day begins anew. */
  fingerprint: z.string(),
  /** The pack that is built and verified. */
  built: builtSchema.nullable(),
  outcome: outcomeSchema.nullable(),
  /** Events that the webhook has taken. */
  told: z.array(z.string()),
});
export type DayMemory = z.infer<typeof memorySchema>;

/** Whether everything of the day is where it belongs. */
export function isWell({ state, files }: DayOutcome): boolean {
  return state !== "failed" && files.every(({ problem }) => problem === null);
}

/** What `workFolder` remembers of `tradedate`; nothing when the delivery was another one. */
export function recallDay(workFolder: string, tradedate: BeijingDate, fingerprint: string): DayMemory {
  const fresh = { fingerprint, built: null, outcome: null, told: [] };
  const path = memoryPath(workFolder, tradedate);
  if (!existsSync(path)) return fresh;
  try {
    const memory = memorySchema.parse(JSON.parse(readFileSync(path, "utf8")));
    return memory.fingerprint === fingerprint ? memory : fresh;
  } catch {
    return fresh;
  }
}

/** Writes it down in one step. */
export function rememberDay(workFolder: string, tradedate: BeijingDate, memory: DayMemory): void {
  writeWhole(memoryPath(workFolder, tradedate), `${JSON.stringify(memory, null, 2)}\n`);
}

function memoryPath(workFolder: string, tradedate: BeijingDate): string {
  return join(workFolder, "days", `${tradedate}.json`);
}
