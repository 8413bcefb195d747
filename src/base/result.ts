/** The result of a step that may refuse. `ok` distinguishes a value from a refusal. */
export type Result<Value, Refusal> = { ok: true; value: Value } | Refused<Refusal>;

/** A refusal. A step that receives one returns it unchanged. */
export interface Refused<Refusal> {
  ok: false;
  refusal: Refusal;
}

/** Returns `value` as a result. */
export function ok<Value>(value: Value): { ok: true; value: Value } {
  return { ok: true, value };
}

/** Returns `refusal` as a result. */
export function refused<Refusal>(refusal: Refusal): Refused<Refusal> {
  return { ok: false, refusal };
}
