/** `gate-worker.ts` served under workerd like the whole service, reached over HTTP. */
import type { BodyEnd } from "../../src/gate/hold-body.ts";
import type { GateState } from "../../src/gate/protocol.ts";
import { startService } from "./service.ts";
import { type OpenAnswer, openAnswer } from "./slow-client.ts";

export interface TakeOptions {
  account: string;
  /** The ending, one of `gate-worker.ts`. */
  how?: string;
  id?: string;
  bytes?: number;
  bound?: number;
}

/**
 * Take and free a slot for a caller that is done or that pages on, with an object of the former version, or write a
 * bare row twice.
 */
export type GateRounds = "slot" | "paging" | "former" | "writes";

export interface GateService extends AsyncDisposable {
  /** Takes the slot; the answer is read when the test says so. */
  open(options: TakeOptions): Promise<OpenAnswer>;
  state(account: string): Promise<GateState>;
  /** How the request `id` ended by the worker's own account, or `null` while it runs. */
  end(id: string): Promise<(Omit<BodyEnd, "error"> & { error: string | null }) | null>;
  /** `rounds` times on each of `objects` objects at once. */
  rounds(what: GateRounds, objects: number, rounds: number): Promise<void>;
}

/** Starts it; dispose of it in `afterAll`, or declare it with `await using`. */
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
