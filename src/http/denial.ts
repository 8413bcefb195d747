/**
 * Every reason for which `/api` refuses a request: the union of the modules' denials. A denial holds facts only;
 * `outcome.ts` assigns codes and statuses, and the `messages-*.ts` files contain the messages.
 */
import type { AccessDenial, EntitlementDenial, UseDenial } from "../entitlement/caller-denial.ts";
import type { DayDenial, QueryDenial } from "../orders/query/query-denial.ts";

/** The members that every request body must have (contract 1.2). */
export type RequiredMember = "apiname" | "apikey" | "params";

/** What the body contains instead of the required members. */
export interface MembersFound {
  /** Required members whose value has a wrong type. */
  wrong: readonly RequiredMember[];
  /** A parameter that is at the top level and belongs inside the absent `params`; null when there is none. */
  flat: string | null;
}

/** The refusals before an operation handles the request. */
export type EnvelopeDenial =
  | { reason: "envelope_invalid"; problem: "not_utf8" | "not_json" | "not_object" }
  | { reason: "envelope_invalid"; problem: "header_length"; name: string }
  | ({ reason: "envelope_invalid"; problem: "members"; members: readonly RequiredMember[] } & MembersFound)
  | { reason: "body_too_large"; limitBytes: number }
  | { reason: "method_not_allowed"; method: string }
  | { reason: "not_found"; path: string }
  | { reason: "apiname_unknown"; apiname: string; nearest: string | null; known: readonly string[] };

/** The plan's window overlaps the year, but no file of the overlap is published. */
export type ShareDenial = { reason: "nothing_published"; dataType: string; year: number };

/**
 * The service itself failed. The denial has no internal details. `unread` is true when the account's unread responses
 * leave too little of the memory that one account may use (contract 2.6).
 */
export type Fault = { reason: "unavailable"; unread?: boolean };

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
