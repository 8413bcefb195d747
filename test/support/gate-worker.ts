/**
 * A small worker around the gate. `POST /take?account=…&how=…` takes the slot and ends the request as `how` says. The
 * whole service cannot produce these endings on command. `POST /rounds` is for the bench.
 */
import { MemoryBudget } from "../../src/base/memory.ts";
import { Gate as ServedGate } from "../../src/gate/gate-object.ts";
import { type BodyEnd, type BodyPump, holdBody } from "../../src/gate/hold-body.ts";
import type { AcquireRequest, RequestOutcome } from "../../src/gate/protocol.ts";
import { takeSlot } from "../../src/gate/slot.ts";

// The service's configuration names its Durable Object classes, so every worker that uses it must export them. The
// class `Gate` below replaces the service's class of the same name.
export * from "../../src/worker.ts";

/** The real gate with a method that kills it, as a deployment or a move to another machine does. */
export class Gate extends ServedGate {
  restart(): void {
    this.ctx.abort("restarted by the test");
  }

  /** Writes a row with the smallest possible call; the bench compares the gate with it. */
  writeRow(): void {
    this.ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS bare (one INTEGER PRIMARY KEY, n INTEGER)");
    this.ctx.storage.sql.exec("INSERT INTO bare VALUES (1, 1) ON CONFLICT DO UPDATE SET n = n + 1");
  }
}

interface TestEnv {
  GATE: DurableObjectNamespace<Gate>;
}

/** How the requests of this isolate ended, by request id. */
const ends = new Map<string, Omit<BodyEnd, "error"> & { error: string | null }>();

const PIECE_BYTES = 64 * 1024;

/** A budget without a limit, because these tests do not limit the memory of bodies. */
const boundless = new MemoryBudget(Number.POSITIVE_INFINITY);

/** Returns a pump of `sizeBytes` bytes that fails as `how` says after about half of the bytes. */
function pumpOf(how: string, sizeBytes: number, restart: () => Promise<void>): BodyPump {
  return async (writer, beforeLastBytes) => {
    for (let at = 0; at < sizeBytes - 4; at += PIECE_BYTES) {
      await writer.write(new Uint8Array(Math.min(PIECE_BYTES, sizeBytes - 4 - at)).fill(1));
      if (at < sizeBytes / 2 || at + PIECE_BYTES < sizeBytes / 2) continue;
      if (how === "pump-throws") throw new Error("a read failed");
      if (how === "pump-hangs") await new Promise(() => undefined);
      if (how === "pump-short") return;
      if (how === "pump-restarts") await restart();
    }
    await beforeLastBytes();
    await writer.write(new Uint8Array(how === "pump-long" ? 5 : 4).fill(2));
  };
}

async function take(request: Request, env: TestEnv, ctx: ExecutionContext): Promise<Response> {
  const query = new URL(request.url).searchParams;
  const accountId = query.get("account") ?? "";
  const how = query.get("how") ?? "ready";
  const sizeBytes = Number(query.get("bytes") ?? 100_000);
  const ask: AcquireRequest = {
    requestId: query.get("id") ?? crypto.randomUUID(),
    boundMs: Number(query.get("bound") ?? 60_000),
    kind: how === "ready" ? "json" : "parquet",
    limits: { requests: null, files: null },
  };
  const namespace = env.GATE as unknown as DurableObjectNamespace<ServedGate>;
  const place = { namespace, locationHint: "apac" as const, ctx };
  const taken = await takeSlot(place, { accountId, interface: "test", request: ask, signal: request.signal });
  if (!taken.ok) {
    return Response.json(taken.refusal, { status: taken.refusal.reason === "slot_busy" ? 503 : 429 });
  }
  const slot = taken.value;

  if (how === "throws") throw new Error("thrown while the slot is held");
  if (how === "hangs") await new Promise(() => undefined);
  const restart = () =>
    env.GATE.getByName(`${accountId}:test`)
      .restart()
      .catch(() => undefined);
  if (how === "ready-restarts") await restart();
  const outcome: RequestOutcome = {
    atMs: Date.now(),
    requestId: ask.requestId,
    code: 200,
    reason: "",
    symbol: "600519",
    tradedate: "20261127",
    rows: 1,
  };
  const onEnd = (end: BodyEnd) => {
    ends.set(ask.requestId, { ...end, error: end.error === undefined ? null : String(end.error) });
  };
  const asked = { bytes: sizeBytes, parts: [], waitMs: 0, holdMs: 600_000, signal: request.signal };
  const reserved = await boundless.reserve(asked);
  if (!reserved.ok) throw new Error(reserved.refusal);
  const memory = reserved.value;
  const body = how.startsWith("ready")
    ? [new Uint8Array(sizeBytes).fill(3)]
    : { sizeBytes, pump: pumpOf(how, sizeBytes, restart) };
  return new Response(holdBody(slot, body, { ctx, signal: request.signal, outcome, memory, onEnd }));
}

/**
 * Runs a task on many objects concurrently, and repeats it `rounds` times on each object. The task `writes` writes a
 * plain row twice. Every other task takes the slot and frees it; `paging` frees it with more pages to follow.
 */
async function rounds(url: URL, env: TestEnv, ctx: ExecutionContext): Promise<void> {
  const query = url.searchParams;
  const what = query.get("what");
  const namespace = env.GATE as unknown as DurableObjectNamespace<ServedGate>;
  const place = { namespace, locationHint: "apac" as const, ctx };
  const { signal } = new AbortController();
  const one = async (accountId: string) => {
    for (let round = 0; round < Number(query.get("rounds")); round++) {
      if (what === "writes") {
        await env.GATE.getByName(`${accountId}:test`).writeRow();
        await env.GATE.getByName(`${accountId}:test`).writeRow();
        continue;
      }
      const limits = { requests: null, files: null };
      const request: AcquireRequest = {
        requestId: crypto.randomUUID(),
        boundMs: 60_000,
        kind: "json",
        limits,
      };
      const slot = await takeSlot(place, { accountId, interface: "test", request, signal });
      if (!slot.ok) throw new Error(slot.refusal.reason);
      if (!(await slot.value.release({ credit: false, hasMore: what === "paging" })))
        throw new Error("the release was not confirmed");
    }
  };
  await Promise.all(Array.from({ length: Number(query.get("objects")) }, (_, n) => one(`warm-${n}`)));
}

export default {
  async fetch(request, env, ctx) {
    const url = new URL(request.url);
    const gate = env.GATE.getByName(`${url.searchParams.get("account")}:test`);
    if (url.pathname === "/take") return take(request, env, ctx);
    if (url.pathname === "/rounds") return rounds(url, env, ctx).then(() => new Response("done"));
    if (url.pathname === "/state") return Response.json(await gate.state());
    if (url.pathname === "/end") return Response.json(ends.get(url.searchParams.get("id") ?? "") ?? null);
    return new Response(null, { status: 404 });
  },
} satisfies ExportedHandler<TestEnv>;
