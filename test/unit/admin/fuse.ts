/** Stores that fail from a chosen call onwards, as if the operator's machine, the worker or the platform stopped. */
import type { Env } from "../../../src/env.ts";
import { testEnv } from "./operator.ts";

/** Thrown by the failing call and all later calls. */
class Killed extends Error {}

/** When a store call fails: before it reaches the store, or after its effect and before its answer. */
export type Moment = "before" | "after";

export interface Fuse {
  calls: number;
  /** The number of the first store call that fails, counted from 1. If 0, no call fails. */
  at: number;
  moment: Moment;
}

/** Counts a call of D1 or R2, and fails call number `fuse.at` and all later ones. */
async function burn<T>(fuse: Fuse, call: () => Promise<T>): Promise<T> {
  fuse.calls++;
  if (fuse.at > 0 && fuse.calls > fuse.at) throw new Killed();
  if (fuse.calls !== fuse.at) return call();
  if (fuse.moment === "after") await call();
  throw new Killed();
}

/** Returns a proxy of `target`. Its methods named in `io` fail as `fuse` says; those in `makes` return such proxies. */
function fused<T extends object>(target: T, fuse: Fuse, io: string[], makes: string[]): T {
  return new Proxy(target, {
    get(object, name) {
      const value: unknown = Reflect.get(object, name);
      if (typeof value !== "function") return value;
      if (io.includes(String(name))) {
        return (...given: unknown[]) => burn(fuse, () => Reflect.apply(value, object, given.map(unwrapped)));
      }
      if (!makes.includes(String(name))) return value.bind(object);
      return (...given: unknown[]) => {
        const made: object = Reflect.apply(value, object, given);
        return remember(fused(made, fuse, io, makes), made);
      };
    },
  });
}

const originals = new WeakMap<object, object>();

function remember<T extends object>(proxy: T, original: object): T {
  originals.set(proxy, original);
  return proxy;
}

/** Unwraps statements, because D1's `batch` does not accept proxies. */
function unwrapped(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unwrapped);
  return typeof value === "object" && value !== null ? (originals.get(value) ?? value) : value;
}

const IO = ["first", "all", "run", "raw", "batch", "head", "get", "put", "delete", "createMultipartUpload"];
const UPLOAD_IO = ["uploadPart", "complete", "abort"];

/** Returns the deployment's bindings. `fuse` decides which of their store calls fail. */
export function bindingsOn(fuse: Fuse): Env {
  return {
    ...testEnv,
    DB: fused(testEnv.DB, fuse, IO, ["prepare", "bind"]),
    PACKS: fused(testEnv.PACKS, fuse, [...IO, ...UPLOAD_IO], ["resumeMultipartUpload"]),
  };
}
