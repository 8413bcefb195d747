/** Unwraps results for comparison in tests. */
import type { Result } from "../../src/base/result.ts";

/** Returns the value or the refusal of `result`. */
export function bare<Value, Refusal>(result: Result<Value, Refusal>): Value | Refusal {
  return result.ok ? result.value : result.refusal;
}

/** Returns a function that calls `step` and unwraps its result. */
export function baring<Given extends unknown[], Value, Refusal>(
  step: (...given: Given) => Result<Value, Refusal>,
): (...given: Given) => Value | Refusal {
  return (...given) => bare(step(...given));
}

/** Returns a function that calls the asynchronous `step` and unwraps its result. */
export function baringLater<Given extends unknown[], Value, Refusal>(
  step: (...given: Given) => Promise<Result<Value, Refusal>>,
): (...given: Given) => Promise<Value | Refusal> {
  return async (...given) => bare(await step(...given));
}
