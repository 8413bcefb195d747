/**
 * Writes one structured log line per request. `RequestFacts` has no member for a key, password or token, so none can
 * appear in a line.
 */
import type { Language } from "../base/language.ts";
import type { Env } from "../env.ts";

/** The context of a request: its bindings, and the log and language that the first middleware sets. */
export type AppEnv = { Bindings: Env; Variables: { log: RequestLog; language: Language } };

export interface RequestFacts {
  accountId: string;
  /** The operation by its `apiname`, or the route's name. */
  interface: string;
  /** Outcome code of contract 1.4; absent outside `/api`. */
  code: number;
  /** HTTP status. */
  status: number;
  reason: string;
  symbol: string;
  tradedate: string;
  /** For `file_download`: the data type, year and id of the share. The id is useless without the password. */
  dataType: string;
  year: number;
  shareId: string;
  rows: number;
  bytes: number;
  r2Operations: number;
  r2Bytes: number;
  /** The text of the exception; for faults only. */
  fault: string;
  /** How the body ended: sent whole, aborted by the client, read too slowly, or broken by a fault. */
  ended: "whole" | "client_gone" | "client_slow" | "fault";
  credited: boolean;
  /**
   * Why no memory was reserved for the answer: the isolate's memory is used up, or the account holds as much as one
   * account may (contract 2.6).
   */
  lacking: "memory" | "memory_of_account";
  /** For a request to a share's drive: the share's id, the path inside it and the hash of the caller's address. */
  share: string;
  file: string;
  address: string;
}

/**
 * `busy`: the service is healthy, but a limit is reached: the slot is taken, too many downloads run or too many answers
 * are unread. `fault`: an outage. Both return 503, but alarms watch `fault` only.
 */
type Kind = "served" | "refused" | "busy" | "fault";

export type RequestLog = ReturnType<typeof openRequestLog>;

/** Which lines are written, and where. */
export interface RequestLogOptions {
  /**
   * Returns the share of successful requests to log, from 0 to 1. It is called when a successful request has ended.
   * Without `successShare`, all of them are logged.
   */
  successShare?: () => number;
  /** Returns a uniform random number from 0 (inclusive) to 1 (exclusive). */
  random?: () => number;
  writeLine?: (line: string) => void;
}

/**
 * Opens the log of one request. Refusals, faults, incomplete bodies and operators' requests are always written. A line
 * that represents several successes gives their number as `standsFor`.
 */
export function openRequestLog(
  requestId: string,
  {
    successShare = () => 1,
    random = Math.random,
    writeLine = (line) => console.log(line),
  }: RequestLogOptions = {},
) {
  const facts: Partial<RequestFacts> = {};
  const stageMs: Record<string, number> = {};
  let written = false;
  let heldOpen = false;

  /** Writes the line unless the log is held open. Later calls have no effect. */
  const write = (): void => {
    if (written || heldOpen) return;
    written = true;
    const kind = kindOf(facts);
    const share = isSuccess(kind, facts) ? successShare() : 1;
    if (share < 1 && random() >= share) return;
    const sampled = share < 1 ? { standsFor: 1 / share } : {};
    writeLine(JSON.stringify({ event: "request", requestId, kind, ...facts, ...sampled, stageMs }));
  };
  return {
    requestId,
    /** Adds facts. A later value of a fact replaces the earlier one. */
    note: (more: Partial<RequestFacts>) => void Object.assign(facts, more),
    /**
     * Runs one I/O stage and adds its milliseconds to the line. Only I/O can be timed: the platform's clock does not
     * advance during computation.
     */
    async stage<T>(name: string, run: () => Promise<T>): Promise<T> {
      const startedMs = Date.now();
      try {
        return await run();
      } finally {
        stageMs[name] = (stageMs[name] ?? 0) + Date.now() - startedMs;
      }
    },
    write,
    /** Holds the log open while a body is sent. Returns the function to call at its end, which writes the line. */
    holdOpen() {
      heldOpen = true;
      return () => {
        heldOpen = false;
        write();
      };
    },
  };
}

function isSuccess(kind: Kind, { ended = "whole", interface: name, fault }: Partial<RequestFacts>): boolean {
  return kind === "served" && ended === "whole" && name !== "admin" && fault === undefined;
}

function kindOf({ code, reason, status, lacking }: Partial<RequestFacts>): Kind {
  if (reason === "slot_busy" || reason === "downloads_busy" || lacking === "memory_of_account") return "busy";
  if (code === 503 || (status ?? 0) >= 500) return "fault";
  return (code ?? 200) === 200 && (status ?? 0) < 400 ? "served" : "refused";
}
