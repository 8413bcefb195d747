/** What a step that may refuse gives: `ok` tells the two apart, whatever members value and refusal have. */
export type Result<Value, Refusal> = { ok: true; value: Value } | Refused<Refusal>;

/** A refusal on its way to the caller: every step that meets one returns it as it is. */
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
