/** Serves `gate-worker.ts` over HTTP under workerd, the runtime that also runs the whole service in tests. */
import type { BodyEnd } from "../../src/gate/hold-body.ts";
import type { GateState } from "../../src/gate/protocol.ts";
import { startService } from "./service.ts";
import { type OpenAnswer, openAnswer } from "./slow-client.ts";

export interface TakeOptions {
  account: string;
  /** How the request ends, one of the endings of `gate-worker.ts`. */
  how?: string;
  id?: string;
  bytes?: number;
  bound?: number;
}

/**
 * The repeated task. `slot` takes and frees a slot for a single request. `paging` does so while paging. `writes` writes
 * a plain row twice.
 */
export type GateRounds = "slot" | "paging" | "writes";

export interface GateService extends AsyncDisposable {
  /** Takes the slot; the test decides when the answer is read. */
  open(options: TakeOptions): Promise<OpenAnswer>;
  state(account: string): Promise<GateState>;
  /** Returns how the request `id` ended according to the worker, or `null` while it runs. */
  end(id: string): Promise<(Omit<BodyEnd, "error"> & { error: string | null }) | null>;
  /** Runs the task `what` `rounds` times in sequence on each of `objects` objects; the objects run concurrently. */
  rounds(what: GateRounds, objects: number, rounds: number): Promise<void>;
}

/** Starts the service. Dispose of it in `afterAll`, or declare it with `await using`. */
export async function startGateService(): Promise<GateService> {
  const service = await startService({ entry: "test/support/gate-worker.ts" });
  const ask = async (path: string) => (await fetch(service.baseUrl + path, { method: "POST" })).text();
  return {
    open: (options) => {
      const query = Object.entries(options).map(([name, value]) => [name, String(value)]);
      return openAnswer(`${service.baseUrl}/take?${new URLSearchParams(query)}`);
    },
    state: async (account) => JSON.parse(await ask(`/state?account=${account}`)),
    end: async (id) => JSON.parse(await ask(`/end?id=${id}`)),
    rounds: async (what, objects, rounds) => {
      const said = await ask(`/rounds?what=${what}&objects=${objects}&rounds=${rounds}`);
      if (said !== "done") throw new Error(said);
    },
    [Symbol.asyncDispose]: () => service.stop(),
  };
}
