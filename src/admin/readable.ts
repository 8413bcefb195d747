/** The properties of answers: instants as RFC 3339 in Beijing time instead of Unix milliseconds, and the dataset. */
import { beijingTimestamp } from "../calendar/beijing.ts";
import type { DatasetName } from "../datasets/registry.ts";

/** Matches the names of properties that hold instants. Other names that end in `Ms` hold durations. */
const INSTANT = /^(at|start|end|until)Ms$|AtMs$/;
type InstantName = "atMs" | "startMs" | "endMs" | "untilMs" | `${string}AtMs`;

/** The type that `readable` returns: every instant is text, and the name of its property has no `Ms`. */
export type Readable<Value> = Value extends string | number | boolean | null | undefined
  ? Value
  : Value extends readonly (infer Each)[]
    ? Readable<Each>[]
    : {
        [Name in keyof Value as Name extends InstantName & `${infer Short}Ms`
          ? Short
          : Name]: Name extends InstantName ? string | Extract<Value[Name], null> : Readable<Value[Name]>;
      };

/**
 * Returns a copy of `value` in which every instant, at any depth, is RFC 3339 text in Beijing time or null. The names
 * of these properties lose `Ms`: `endMs` becomes `end`. Durations keep their names and stay in milliseconds.
 *
 * @example readable({ keyId: "key_1", revokedAtMs: null }) // { keyId: "key_1", revokedAt: null }
 */
export function readable<Value>(value: Value): Readable<Value> {
  return converted(value) as Readable<Value>;
}

function converted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(converted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (!INSTANT.test(name) || !(typeof member === "number" || member === null))
        return [name, converted(member)];
      return [name.slice(0, -2), member === null ? null : beijingTimestamp(member)];
    }),
  );
}

/**
 * Returns an object with the `dataset` property of an answer. For orders the object is empty, because earlier versions
 * of the CLI refuse the property.
 */
export function nameOf(dataset: DatasetName): { dataset?: DatasetName } {
  return dataset === "orders" ? {} : { dataset };
}
