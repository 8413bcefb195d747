/** A service whose runtime can be killed outright and started again on what it left on the disk. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newestRuntime } from "./runtime-process.ts";
import { type Service, type ServiceOptions, startService } from "./service.ts";
import { proofSize } from "./tier.ts";

/** Random moments of each kind at which something is killed. */
export const MOMENTS = proofSize(20);

export interface Killable extends AsyncDisposable {
  /** The service that runs now: another one after each restart. */
  readonly service: Service;
  /** Kills the runtime with everything in it: worker, objects, database and bucket. Its clients see a broken line. */
  kill(): Promise<void>;
  /** Starts it on the same state, `laterMs` after the kill by the service's clock. */
  restart(laterMs: number): Promise<Service>;
}

/** Starts it on a fresh state, or on that of `folder`, which is then left there. */
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
