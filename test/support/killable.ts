/** A service whose runtime can be killed and restarted on its stored state. */
import { newestRuntime } from "./runtime-process.ts";
import { type Service, type ServiceOptions, startService } from "./service.ts";
import { proofSize } from "./tier.ts";

/** Number of random moments at which a run of each kind is killed. */
export const MOMENTS = proofSize(20);

export interface Killable extends AsyncDisposable {
  /** The running service; a new one after each restart. */
  readonly service: Service;
  /**
   * Kills the runtime, which contains the worker, the objects, the database and the bucket. Connections of clients
   * break.
   */
  kill(): Promise<void>;
  /** Restarts the service with the same state, `laterMs` after the kill by the service's clock. */
  restart(laterMs: number): Promise<Service>;
}

/** Starts the service with the state in the folder `persistDir`, which is not removed afterwards. */
export async function startKillable(persistDir: string, options: ServiceOptions = {}): Promise<Killable> {
  let service = await startService({ ...options, persistDir });
  let runtime = newestRuntime();
  let killedAtMs = 0;
  return {
    get service() {
      return service;
    },
    async kill() {
      if (runtime === null) throw new Error("the runtime's process was not found");
      await runtime.kill();
      killedAtMs = service.nowMs();
      await service.stop();
    },
    async restart(laterMs) {
      service = await startService({
        ...options,
        persistDir,
        // The state keeps the migrations that it had before the kill.
        migrations: null,
        nowAt: new Date(killedAtMs + laterMs).toISOString(),
      });
      runtime = newestRuntime();
      return service;
    },
    [Symbol.asyncDispose]: () => service.stop(),
  };
}
