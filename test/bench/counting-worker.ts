/** The service with its stores counted: `GET /counts` tells the operations since it was last asked. */
import type { Env } from "../../src/env.ts";
import worker from "../../src/worker.ts";

export { Gate } from "../../src/gate/gate-object.ts";
export { Guard } from "../../src/shares/guard-object.ts";

/** Round trips and bytes by store. A D1 batch is one round trip; a lease's release is a gate call of its own. */
export interface Counts {
  d1: number;
  gate: number;
  r2: number;
}

const counts: Counts = { d1: 0, gate: 0, r2: 0 };

export default {
  async fetch(request: Request, env: Env, ctx: ExecutionContext): Promise<Response> {
    if (new URL(request.url).pathname === "/counts") {
      const told = { ...counts };
      Object.assign(counts, { d1: 0, gate: 0, r2: 0 });
      return Response.json(told);
    }
    return worker.fetch(request, counted(env), ctx);
  },
};

/** The same bindings for the whole life of the isolate, so that settings are parsed once. */
let wrapped: Env | undefined;

function counted(env: Env): Env {
  wrapped ??= {
    ...env,
    DB: counting(env.DB, "d1", ["batch"], {
      prepare: (sql: string) => countedStatement(env.DB.prepare(sql)),
    }),
    PACKS: counting(env.PACKS, "r2", ["get", "head", "put"]),
    GATE: counting(env.GATE, "gate", ["getByName"]),
  };
  return wrapped;
}

const bare = new WeakMap<object, D1PreparedStatement>();

function countedStatement(statement: D1PreparedStatement): D1PreparedStatement {
  const proxy = counting(statement, "d1", ["first", "run", "all", "raw"], {
    bind: (...values: unknown[]) => countedStatement(statement.bind(...values)),
  });
  bare.set(proxy, statement);
  return proxy;
}

/** `target` with calls of `methods` counted under `store`, and some methods replaced. */
function counting<T extends object>(target: T, store: keyof Counts, methods: string[], replaced = {}): T {
  return new Proxy(target, {
    get(_, name) {
      if (name in replaced) return Reflect.get(replaced, name);
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return (...args: unknown[]) => {
        if (methods.includes(String(name))) counts[store]++;
        // A batch must be given the platform's own statements.
        const own = args.map((arg) => (Array.isArray(arg) ? arg.map((each) => bare.get(each) ?? each) : arg));
        return Reflect.apply(member, target, own);
      };
    },
  });
}
