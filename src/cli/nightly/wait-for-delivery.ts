/** Waits for a day's delivery: nothing, then something that grows, then something that is whole and at rest. */
import type { Words } from "../../admin/wire.ts";
import { type Delivery, isEmpty } from "./drop-folder.ts";

/** Instants are Unix milliseconds. */
export interface Patience {
  /** How long nothing may change before the delivery counts as at rest. */
  stableMs: number;
  /** Between two looks. */
  pollMs: number;
  /** When somebody should be told that it is late. */
  byMs: number;
  /** When to give up what is at rest and not complete. */
  untilMs: number;
}

export interface Clock {
  nowMs(): number;
  wait(ms: number): Promise<void>;
}

/** `problem` is why it is not complete, as sentences without their end. */
export type Arrival =
  | { state: "complete"; delivery: Delivery }
  | { state: "half"; delivery: Delivery; problem: Words }
  | { state: "nothing" };

export interface Waiting {
  look(): Promise<Delivery>;
  /** Why a delivery at rest is not complete, or null. */
  problemOf(delivery: Delivery): Promise<Words | null>;
  /** Hears why it is not complete, whenever that changes. */
  onWaiting(problem: Words): void;
  /** Hears once, at `byMs`, that it is not complete. */
  onLate(arrival: Arrival): Promise<void>;
}

/**
 * Waits until the delivery is complete and at rest, or until `untilMs` has passed and nothing more happens: what
 * still grows then is waited for.
 */
export async function waitForDelivery(
  { look, problemOf, onWaiting, onLate }: Waiting,
  { stableMs, pollMs, byMs, untilMs }: Patience,
  clock: Clock,
): Promise<Arrival> {
  let mark: string | null = null;
  let changedMs = 0;
  let said: string | null = null;
  let isTold = false;
  for (;;) {
    const delivery = await look();
    const nowMs = clock.nowMs();
    if (mark !== delivery.mark) {
      // What was at rest before the first look need not rest again; later changes count from when they are seen.
      changedMs = mark === null ? Math.min(delivery.changedMs, nowMs) : nowMs;
      mark = delivery.mark;
    }
    const atRest = nowMs - changedMs >= stableMs;
    const arrival = await judged(delivery, atRest, problemOf);
    if (arrival.state === "complete") return arrival;
    if (arrival.state === "half" && arrival.problem.en !== said) {
      said = arrival.problem.en;
      onWaiting(arrival.problem);
    }
    if (nowMs >= untilMs && (arrival.state === "nothing" || atRest)) return arrival;
    if (nowMs >= byMs && !isTold) {
      isTold = true;
      await onLate(arrival);
    }
    await clock.wait(pollMs);
  }
}

async function judged(
  delivery: Delivery,
  atRest: boolean,
  problemOf: Waiting["problemOf"],
): Promise<Arrival> {
  if (isEmpty(delivery)) return { state: "nothing" };
  const problem = atRest ? await problemOf(delivery) : { zh: "还在传输中", en: "it is still arriving" };
  return problem === null ? { state: "complete", delivery } : { state: "half", delivery, problem };
}
