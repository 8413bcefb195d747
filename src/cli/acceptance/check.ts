/** A check on a real deployment, its result, and the caller that makes its requests. */
import { performance } from "node:perf_hooks";
import { CommandFailure } from "../exit.ts";
import { ask, envelopeOf, headerOf, type OpenReply, open, type Probe, type Reply } from "./probe.ts";

export interface Outcome {
  result: "ok" | "failed" | "skipped";
  /** What the check observed, or why it failed or was skipped. */
  detail: string;
}

export interface Check {
  name: string;
  /** The expected property. */
  says: string;
  run(): Promise<Outcome>;
}

/** Runs a check. If the check throws, returns a failure with the error's message. */
export async function checked({ name, says, run }: Check) {
  const startedMs = performance.now();
  const outcome = await run().catch((error: Error) => failed(error.message));
  return { name, says, ...outcome, seconds: Math.round((performance.now() - startedMs) / 100) / 10 };
}

export type Checked = Awaited<ReturnType<typeof checked>>;

export const ok = (detail: string): Outcome => ({ result: "ok", detail });
export const failed = (detail: string): Outcome => ({ result: "failed", detail });
export const skipped = (detail: string): Outcome => ({ result: "skipped", detail });

/** The security whose pages and files are requested: by default the largest one of the newest day. */
export interface Target {
  tradedate: string;
  /** The code with its exchange, such as `300750.SZ`. */
  symbol: string;
  rows: number;
  /** The size of the security's Parquet file. */
  sizeBytes: number;
}

export class Caller {
  readonly baseUrl: string;
  private readonly apikey: string;

  constructor(baseUrl: string, apikey: string) {
    this.baseUrl = baseUrl.replace(/\/{1,9}$/, "");
    this.apikey = apikey;
  }

  /** Sends `POST /api` and reads the whole answer. */
  call(apiname: string, params: object): Promise<Reply> {
    return ask(`${this.baseUrl}/api`, this.probe(apiname, params));
  }

  /** Returns `data` of a successful answer; otherwise throws `CommandFailure` with the service's message. */
  async data<T>(apiname: string, params: object): Promise<T> {
    const { bytes, status } = await this.call(apiname, params);
    const envelope = envelopeOf(bytes);
    if (envelope?.code === 200) return envelope.data as T;
    throw new CommandFailure(`${apiname}: ${envelope?.message ?? `HTTP ${status}`}`);
  }

  /** Requests a page of 100 orders of the target; `params` adds or replaces parameters. */
  page({ tradedate, symbol }: Target, params: object = {}): Promise<Reply> {
    return this.call("level2_order_history", { symbol, tradedate, page_size: 100, ...params });
  }

  /** Requests the target's Parquet file and reads only the headers. Throws unless the status is 200. */
  async openFile({ tradedate, symbol }: Target, silentMs?: number): Promise<OpenReply> {
    const probe = this.probe("level2_order_history", { symbol, tradedate, format: "parquet" });
    const reply = await open(`${this.baseUrl}/api`, { ...probe, silentMs });
    if (reply.status !== 200) throw new Error(said(reply));
    return reply;
  }

  private probe(apiname: string, params: object): Probe {
    return { method: "POST", json: { apiname, apikey: this.apikey, params } };
  }
}

/** Returns the status, code and reason of an answer as text for a message. */
export function said({ status, headers, bytes }: Partial<Reply> & Pick<Reply, "status" | "headers">): string {
  const code = bytes === undefined ? undefined : envelopeOf(bytes)?.code;
  const reason = headerOf(headers, "x-reason");
  return [`HTTP ${status}`, code === undefined ? null : `code ${code}`, reason]
    .filter((part) => part !== null)
    .join(", ");
}

type StatusMonth = { month: string; days: { tradedate: string; state: string }[] };
type SymbolRow = [symbol: string, market: string, rows: number, sizeBytes: number, ...unknown[]];

/** Returns the named day and security, by default the newest served day and its largest security. */
export async function targetOf(
  caller: Caller,
  named: { date?: string | undefined; symbol?: string | undefined },
): Promise<Target> {
  const tradedate = named.date ?? (await newestDay(caller));
  const { items } = await caller.data<{ items: SymbolRow[] }>("data_symbols", { tradedate });
  const wanted = named.symbol?.toUpperCase();
  const fitting = items.filter(
    ([symbol, market]) => wanted === undefined || wanted === symbol || wanted === `${symbol}.${market}`,
  );
  const [largest] = fitting.toSorted(([, , , a], [, , , b]) => b - a);
  if (largest === undefined) throw new CommandFailure(`${tradedate} has no ${wanted ?? "security"}.`);
  const [symbol, market, rows, sizeBytes] = largest;
  return { tradedate, symbol: `${symbol}.${market}`, rows, sizeBytes };
}

async function newestDay(caller: Caller): Promise<string> {
  const { days, month } = await caller.data<StatusMonth>("data_status", {});
  const before = new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(4)) - 2, 1));
  const earlier = before.toISOString().slice(0, 7).replace("-", "");
  const { days: earlierDays } = await caller.data<StatusMonth>("data_status", { month: earlier });
  const newest = [...earlierDays, ...days].findLast(
    ({ state }) => state === "available" || state === "degraded",
  );
  if (newest !== undefined) return newest.tradedate;
  throw new CommandFailure("No day of this month or of the previous one is served; name a day with --date.");
}
