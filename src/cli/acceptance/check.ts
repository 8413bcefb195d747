/** One thing that only a real deployment can show, and how it went. */
import { performance } from "node:perf_hooks";

export interface Outcome {
  result: "ok" | "failed" | "skipped";
  /** What was seen, or why it could not be. */
  detail: string;
}

export interface Check {
  name: string;
  /** What must hold. */
  says: string;
  run(): Promise<Outcome>;
}

export interface Checked extends Outcome {
  name: string;
  says: string;
  seconds: number;
}

/** Runs a check; what it throws is a failure with the error's sentence. */
export async function checked({ name, says, run }: Check): Promise<Checked> {
  const startedMs = performance.now();
  const outcome = await run().catch((error: unknown) =>
    failed(error instanceof Error ? error.message : String(error)),
  );
  return { name, says, ...outcome, seconds: Math.round((performance.now() - startedMs) / 100) / 10 };
}

export function ok(detail: string): Outcome {
  return { result: "ok", detail };
}

export function failed(detail: string): Outcome {
  return { result: "failed", detail };
}

export function skipped(detail: string): Outcome {
  return { result: "skipped", detail };
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
