/**
 * Every reason for which `/api` does not serve a request: the union of the modules' denials. Facts only;
 * `outcome.ts` gives them codes and statuses, the `messages-*.ts` files their messages.
 */
import type { AccessDenial, EntitlementDenial, UseDenial } from "../entitlement/caller-denial.ts";
import type { DayDenial, QueryDenial } from "../orders/query/query-denial.ts";

/** Members that every request must have (contract 1.2). */
export type RequiredMember = "apiname" | "apikey" | "params";

/** What stands in the body instead of the `members` that are not as they must be. */
export interface MembersFound {
  /** Those of them that are there, with a value of another type. */
  wrong: readonly RequiredMember[];
  /** A parameter beside `apiname` that belongs into the absent `params`; null: none. */
  flat: string | null;
}

/** What is wrong with the request before any operation looks at it. */
export type EnvelopeDenial =
  | { reason: "envelope_invalid"; problem: "not_utf8" | "not_json" | "not_object" }
  | { reason: "envelope_invalid"; problem: "header_length"; name: string }
  | ({ reason: "envelope_invalid"; problem: "members"; members: readonly RequiredMember[] } & MembersFound)
  | { reason: "body_too_large"; limitBytes: number }
  | { reason: "method_not_allowed"; method: string }
  | { reason: "not_found"; path: string }
  | { reason: "apiname_unknown"; apiname: string; nearest: string | null; known: readonly string[] };

/** The plan's window meets the year, but no file of it is published. */
export type ShareDenial = { reason: "nothing_published"; dataType: string; year: number };

/** The service itself failed: nothing of the inside is told. */
export type Fault = { reason: "unavailable" };

export type Denial =
  | EnvelopeDenial
  | AccessDenial
  | EntitlementDenial
  | QueryDenial
  | DayDenial
  | ShareDenial
  | UseDenial
  | Fault;

export type Reason = Denial["reason"];
