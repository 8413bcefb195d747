/** A service whose runtime can be killed and restarted on its stored state. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
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

/** Starts the service with an empty state, or with the state in `folder`, which is not removed afterwards. */
export async function startKillable(options: ServiceOptions = {}, folder?: string): Promise<Killable> {
  const persistDir = folder ?? (await mkdtemp(join(tmpdir(), "edgetape-killable-")));
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
    async [Symbol.asyncDispose]() {
      await service.stop();
      if (folder === undefined) await rm(persistDir, { recursive: true, force: true });
    },
  };
}
