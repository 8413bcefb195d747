/**
 * Pages with the Python or the TypeScript client. The task and the result are plain values, the same for both clients.
 */
import { Client, EdgetapeError, QuotaUsed } from "../../src/client/typescript/index.ts";
import type { DatasetName, FieldName, TradeFieldName } from "../../src/client/typescript/types.ts";
import type { Row } from "./builders.ts";
import { type PythonScript, startPython } from "./python.ts";

/** The rows to read, and how to read them. An argument that is null counts as absent. */
export interface PagingTask {
  key: string;
  urls: readonly string[];
  /** Orders by default. */
  dataset?: DatasetName;
  symbol: string;
  date: string;
  start: string | null;
  end: string | null;
  /** Columns of the dataset. */
  fields: readonly string[] | null;
  pageSize: number;
  /** All rows at once, row by row, or page by page. */
  how: "list" | "iterate" | "pages";
  /** How often the call is made; once by default. */
  attempts?: number;
}

/** The result of a failed attempt. */
export interface PagingFailure {
  error: string;
  code: number | null;
  reason: string | null;
  requestId: string | null;
  message: string;
  /** Rows that the iterator returned before the failure. */
  handed: Row[];
  /** Only when the quota is used up: the milliseconds until it is reset, or the time of the reset. */
  resetsInMs?: number;
  resetsAt?: string;
}

export interface PagingResult {
  attempts: ({ rows: Row[] } | PagingFailure)[];
  /** Names of the columns, if the client returns them. */
  fields: string[] | null;
  restarts: number;
  /** How often the client reported a rebuild. */
  told: number;
}

/** The datasets that both clients page through. */
export const PAGED: readonly DatasetName[] = ["orders", "trades"];

export type Pager = (task: PagingTask) => Promise<PagingResult>;

/** Starts a Python process that pages on request. */
export function startPythonPager(): { page: Pager; stop: () => void } {
  const script: PythonScript = startPython("test/support/python_paging.py");
  return { page: (task) => script.ask<PagingResult>(task), stop: script.stop };
}

/** Reads the pages of `task` with a new TypeScript client. */
export async function pageInTypeScript(task: PagingTask): Promise<PagingResult> {
  const { key, urls, symbol, date, start, end, fields, pageSize, how, attempts = 1 } = task;
  let told = 0;
  const client = new Client({ key, baseUrls: urls, timeoutMs: 5_000 });
  const query = {
    ...{ symbol, date, pageSize },
    ...(start === null ? {} : { start }),
    ...(end === null ? {} : { end }),
    onRebuild: () => void told++,
  };
  const asked = fields === null ? {} : { fields };
  // The columns belong to the task's dataset, which the compiler cannot infer.
  const ticks =
    task.dataset === "trades"
      ? client.trades({ ...query, ...(asked as { fields?: TradeFieldName[] }) })
      : client.orders({ ...query, ...(asked as { fields?: FieldName[] }) });
  const made: PagingResult["attempts"] = [];
  let names: string[] | null = null;
  for (let attempt = 0; attempt < attempts; attempt++) {
    const handed: Row[] = [];
    const take = (row: object) => {
      names ??= Object.keys(row);
      handed.push(Object.values(row));
    };
    try {
      if (how === "list") for (const row of await ticks.toArray()) take(row);
      else if (how === "pages") for await (const page of ticks.pages()) handed.push(...page.items);
      else for await (const row of ticks) take(row);
      made.push({ rows: handed });
    } catch (error) {
      if (!(error instanceof EdgetapeError)) throw error;
      const { name, code, reason, requestId, message } = error;
      const failure = { error: name, code, reason, requestId, message, handed };
      const resetsInMs = error instanceof QuotaUsed ? error.resetsAt.getTime() - Date.now() : undefined;
      made.push(resetsInMs === undefined ? failure : { ...failure, resetsInMs });
    }
  }
  return { attempts: made, fields: names, restarts: ticks.restarts, told };
}
