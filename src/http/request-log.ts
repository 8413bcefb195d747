/**
 * Writes one structured log line per request. `RequestFacts` has no member for a key, password or token, so none can
 * appear in it.
 */

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
  /** Of a share: its data type and its id, which is useless without the password. */
  dataType: string;
  year: number;
  shareId: string;
  rows: number;
  bytes: number;
  r2Operations: number;
  r2Bytes: number;
  /** What went wrong inside, for faults only: the exception's text. */
  fault: string;
  /** How the body ended: sent whole, aborted by the client, too slowly read, or broken by a fault. */
  ended: "whole" | "client_gone" | "client_slow" | "fault";
  credited: boolean;
  /** Why no memory was reserved for the answer: the isolate's is taken, or the account holds its part (contract 2.6). */
  lacking: "memory" | "memory_of_account";
  /** Of a request to a share's drive: the share's id, the path inside it and the hash of the caller's address. */
  share: string;
  file: string;
  address: string;
}

/**
 * `busy` is a concurrent request on a taken slot, one download or one unread answer too many, while the service is
 * healthy; `fault` is an outage. Alarms watch `fault` only, although both are code 503.
 */
type Kind = "served" | "refused" | "busy" | "fault";

export interface RequestLog {
  readonly requestId: string;
  /** Adds facts; a later fact of the same name wins. */
  note(facts: Partial<RequestFacts>): void;
  /**
   * Runs one I/O stage and adds its milliseconds. Only I/O can be timed: the platform's clock does not advance during
   * computation.
   */
  stage<T>(name: string, run: () => Promise<T>): Promise<T>;
  /** Writes the line once, and not while the log is held open. */
  write(): void;
  /** Delays the line until a body that is being sent has ended; call the returned function then. */
  holdOpen(): () => void;
}

/** Opens the log of one request. `writeLine` receives the line. */
export function openRequestLog(
  requestId: string,
  writeLine: (line: string) => void = (line) => console.log(line),
): RequestLog {
  const facts: Partial<RequestFacts> = {};
  const stageMs: Record<string, number> = {};
  let written = false;
  let heldOpen = false;

  const write = () => {
    if (written || heldOpen) return;
    written = true;
    writeLine(JSON.stringify({ event: "request", requestId, kind: kindOf(facts), ...facts, stageMs }));
  };
  return {
    requestId,
    note: (more) => void Object.assign(facts, more),
    async stage(name, run) {
      const startedMs = Date.now();
      try {
        return await run();
      } finally {
        stageMs[name] = (stageMs[name] ?? 0) + Date.now() - startedMs;
      }
    },
    write,
    holdOpen() {
      heldOpen = true;
      return () => {
        heldOpen = false;
        write();
      };
    },
  };
}

function kindOf({ code, reason, status, lacking }: Partial<RequestFacts>): Kind {
  if (reason === "slot_busy" || reason === "downloads_busy" || lacking === "memory_of_account") return "busy";
  if (code === 503 || (status ?? 0) >= 500) return "fault";
  return (code ?? 200) === 200 && (status ?? 0) < 400 ? "served" : "refused";
}
