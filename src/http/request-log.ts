/**
 * One structured line per request, for the operator who was woken up. It carries facts only: no key,
 * password or token ever enters it, because nothing that holds one is a member of `RequestFacts`.
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
  /** Of a share: what it is of, and its id, which opens nothing without the password. */
  dataType: string;
  year: number;
  shareId: string;
  rows: number;
  bytes: number;
  r2Operations: number;
  r2Bytes: number;
  /** What went wrong inside, for faults only: the exception's text. */
  fault: string;
  /** How the body ended: read whole, the client went away, or broken by us. */
  ended: "whole" | "client_gone" | "client_slow" | "fault";
  credited: boolean;
  /** Of a request to a share's drive: the share's id, the path inside it, the hash of the caller's address. */
  share: string;
  file: string;
  address: string;
}

/**
 * `busy` is a second request on a taken slot, or one download too many: the service is well. `fault` is an outage. An alarm
 * watches the second and never the first, although both are code 503.
 */
type Kind = "served" | "refused" | "busy" | "fault";

export interface RequestLog {
  readonly requestId: string;
  /** Adds facts; a later fact of the same name wins. */
  note(facts: Partial<RequestFacts>): void;
  /**
   * Runs one I/O stage and adds its milliseconds. Only I/O is timed: the platform's clock stands still
   * between I/O, so computing always reads 0.
   */
  stage<T>(name: string, run: () => Promise<T>): Promise<T>;
  /** Writes the line, once, and not while the log is held open. */
  write(): void;
  /** Keeps the line back until a body that is still being sent has ended; the result lets it go. */
  holdOpen(): () => void;
}

/** Opens the log of one request. `writeLine` receives the finished line. */
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

function kindOf({ code, reason, status }: Partial<RequestFacts>): Kind {
  if (reason === "slot_busy" || reason === "downloads_busy") return "busy";
  if (code === 503 || (status ?? 0) >= 500) return "fault";
  return (code ?? 200) === 200 && (status ?? 0) < 400 ? "served" : "refused";
}
