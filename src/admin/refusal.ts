/** The refusals of admin requests as tagged values, and the function that maps each to a status and a message. */

import type { Result } from "../base/result.ts";
import { beijingTimestamp } from "../calendar/beijing.ts";
import type { DatasetDay } from "../catalog/days.ts";
import type { Damage, Withdrawal } from "../catalog/decisions.ts";
import type { Comparison, Loss } from "../catalog/plausibility.ts";
import { datasetFlag, dayName } from "../datasets/day-name.ts";
import { DATASETS } from "../datasets/registry.ts";
import type { TokenScope } from "../entitlement/operators.ts";
import type { SealProblem } from "./backup-routes.ts";

/** The answer to a request, or the reason for its refusal. */
export type Answered<Value> = Result<Value, AdminRefusal>;

export type AdminRefusal =
  | { reason: "token_wrong" }
  | { reason: "scope_lacking"; scope: TokenScope; needed: TokenScope[] }
  | { reason: "body_too_large"; maxBytes: number }
  /** `place` is the path of the wrong value inside `what`. The value is never quoted; it may contain a key. */
  | { reason: "malformed"; what: string; place: string; problem: string }
  | { reason: "absent"; what: string }
  | { reason: "account_taken"; accountId: string }
  | { reason: "token_name_taken"; name: string }
  /** `what` names the subscriptions or the key that changed after they were read. */
  | { reason: "changed_meanwhile"; what: string }
  | { reason: "subscription_taken"; plan: string }
  | { reason: "weekend_open"; day: string; more: number }
  | { reason: "not_later"; plan: string; end: string }
  | { reason: "key_over"; keyId: string }
  /** Another publisher was the first to open or serve an upload of the same target. */
  | { reason: "other_publisher"; called: string }
  | { reason: "upload_ended"; state: "replaced" | "abandoned" | "refused" | "served"; note: string }
  /** R2 no longer has the upload; it discards incomplete ones after 7 days. */
  | { reason: "upload_lost" }
  | { reason: "part_number"; n: string; partCount: number }
  | { reason: "part_size"; n: number; sizeBytes: number }
  | { reason: "part_hash_absent" }
  | { reason: "part_hash"; n: number }
  | { reason: "parts_missing"; missing: number[] }
  /** `problem` is a clause that says what is wrong with the name. */
  | { reason: "file_name"; problem: string }
  /** The file's bytes have arrived, but the upload was never completed, so they have not been checked. */
  | { reason: "file_unchecked"; name: string }
  | { reason: "day_of_other_year"; day: string; year: number }
  | { reason: "content_wrong"; called: string; problem: string }
  /** The day is much smaller or larger than the days around it; it is not served unless forced. */
  | ({ reason: "implausible"; day: DatasetDay } & Comparison)
  /** The builder's quality check failed; the day is not served unless forced. `summary` is a clause. */
  | { reason: "quality_failed"; day: DatasetDay; summary: string }
  /** In this pack, every security has the same number of rows and the same last time as on the day `of`. */
  | { reason: "day_repeated"; day: DatasetDay; of: string }
  /** The pack has less content than the revision that it would replace; it is not served unless forced. */
  | ({ reason: "shrunk"; day: DatasetDay } & Loss)
  /** An operator withdrew this content; `again` is the command that serves it nevertheless. */
  | ({ reason: "content_withdrawn"; called: string; again: string } & Withdrawal)
  /** The target is withdrawn, and the publisher did not set `force` to serve different content. */
  | ({ reason: "target_withdrawn"; called: string } & Withdrawal)
  /** A block of this pack failed its checksum earlier. */
  | ({ reason: "pack_damaged"; day: DatasetDay; called: string } & Damage)
  /** Several revisions of the file can be published; the operator must name one. */
  | { reason: "revision_unclear"; name: string; waiting: { revision: number; state: string }[] }
  /** The file has no such revision, or a newer one was published. */
  | { reason: "file_changed"; name: string; revision: number; newest: number }
  /** The builder's file is refused, because an operator's revision exists. */
  | { reason: "operators_file"; name: string; revision: number; state: string }
  /** The day has changed since the operator read it; `actor` made the latest change. */
  | { reason: "day_changed"; day: DatasetDay; revision: number; actor: string }
  | { reason: "nothing_to_restore"; day: DatasetDay }
  /** The object or the index rows of the revision are no longer stored. */
  | { reason: "revision_gone"; day: DatasetDay; revision: number }
  /** The catalog has this object, as a pack of a day or an unserved upload. `isLoaded`: the day is loaded. */
  | { reason: "pack_known"; day: DatasetDay; objectKey: string; isLoaded: boolean }
  | { reason: "pack_sum_unknown"; objectKey: string }
  /** A restore would destroy the content of these tables. */
  | { reason: "not_empty"; holds: string[] }
  /** `problem` is a clause. */
  | { reason: "backup_unfit"; problem: string }
  | { reason: "backup_unauthenticated"; problem: SealProblem; what: string }
  | { reason: "restore_incomplete"; missing: number };

type AdminStatus = 400 | 401 | 403 | 404 | 409 | 413 | 422;

/** The HTTP statuses of refusals; 422 for a reason that is not listed. */
const STATUS: Partial<Record<AdminRefusal["reason"], AdminStatus>> = {
  token_wrong: 401,
  scope_lacking: 403,
  body_too_large: 413,
  malformed: 400,
  absent: 404,
  account_taken: 409,
  token_name_taken: 409,
  changed_meanwhile: 409,
  subscription_taken: 409,
  other_publisher: 409,
  upload_ended: 409,
  upload_lost: 409,
  file_unchecked: 409,
  content_withdrawn: 409,
  target_withdrawn: 409,
  revision_unclear: 409,
  file_changed: 409,
  operators_file: 409,
  day_changed: 409,
  not_empty: 409,
};

/** Returns the HTTP status and the message of a refusal. */
export function describeRefusal(refusal: AdminRefusal): { status: AdminStatus; error: string } {
  return { status: STATUS[refusal.reason] ?? 422, error: sentenceOf(refusal) };
}

function sentenceOf(refusal: AdminRefusal): string {
  switch (refusal.reason) {
    case "token_wrong":
      return "The request needs the header Authorization: Bearer with a valid operator token.";
    case "scope_lacking":
      return `This token has the scope ${refusal.scope}; the request needs the scope ${refusal.needed.join(" or ")}. Create a token that has it with \`edgetape token issue <name> --scope ${refusal.needed[0]}\`.`;
    case "body_too_large":
      return `The body is larger than ${refusal.maxBytes} bytes.`;
    case "malformed": {
      const place = refusal.place === "" ? "" : ` at ${refusal.place}`;
      return `${refusal.what}${place}: ${refusal.problem}.`;
    }
    case "absent":
      return `There is no ${refusal.what}.`;
    case "account_taken":
      return `Account ${refusal.accountId} already exists.`;
    case "token_name_taken":
      return `The name ${refusal.name} is reserved or was used before; choose a different one.`;
    case "changed_meanwhile":
      return `Someone else has changed ${refusal.what} in the meantime; check the change and try again.`;
    case "subscription_taken":
      return `The account already has a ${refusal.plan} plan with the same start.`;
    case "weekend_open":
      return `${refusal.day}${refusal.more === 0 ? " is" : ` and ${refusal.more} more are`} on a weekend, when the exchanges do not trade. Nothing was changed. If the exchanges do trade then, run the command again with --force.`;
    case "not_later":
      return `The ${refusal.plan} plan already lasts until ${refusal.end}; the new end must be later.`;
    case "key_over":
      return `Key ${refusal.keyId} is no longer valid; create a new one.`;
    case "other_publisher":
      return `Another publisher began or finished publishing ${refusal.called} first; check its state before publishing again.`;
    case "upload_ended":
      return endedSentence(refusal.state, refusal.note);
    case "upload_lost":
      return "R2 no longer has this upload; publish again.";
    case "part_number":
      return `There is no part ${refusal.n}: the upload has parts 1 to ${refusal.partCount}.`;
    case "part_size":
      return `Part ${refusal.n} must be exactly ${refusal.sizeBytes} bytes long.`;
    case "part_hash_absent":
      return "X-Content-SHA256 must contain the part's SHA-256 as 64 hex digits.";
    case "part_hash":
      return `The SHA-256 of part ${refusal.n} differs from the one in X-Content-SHA256; send the part again.`;
    case "parts_missing":
      return `These parts have not arrived yet: ${listed(refusal.missing)}; send them first.`;
    case "file_name":
      return `The file cannot have this name: ${refusal.problem}.`;
    case "file_unchecked":
      return `The upload of ${refusal.name} was not completed; run \`edgetape files add\` with the same file again.`;
    case "day_of_other_year":
      return `The day ${refusal.day} is not in the year ${refusal.year}.`;
    case "content_wrong":
      return `${refusal.called} was refused: ${refusal.problem}. Nothing was changed.`;
    case "implausible":
      return implausibleSentence(refusal.day, refusal);
    case "quality_failed":
      return `The quality check of ${calledOf(refusal.day)} ${refusal.summary}; the day is not served. \`edgetape day quality ${refusal.day.tradedate}\` prints the sheet. If the data is right nevertheless, run the command again with --force.`;
    case "day_repeated":
      return `${calledOf(refusal.day)} has exactly as many ${DATASETS[refusal.day.dataset].rows} per security as ${refusal.of}, with the same last times, so it is probably the same delivery under another date. It is not served. If the data is right nevertheless, run the command again with --force.`;
    case "shrunk":
      return shrunkSentence(refusal.day, refusal);
    case "content_withdrawn":
      return `Revision ${refusal.revision} of ${refusal.called} has the same content and was withdrawn ${decided(refusal)}. This content is not served. To serve it nevertheless, run \`${refusal.again}\`.`;
    case "target_withdrawn":
      return `Revision ${refusal.revision} of ${refusal.called} was withdrawn ${decided(refusal)}. Different content does not replace it without force. If the new content is right, run the command again with --force.`;
    case "pack_damaged":
      return `${refusal.called} of ${calledOf(refusal.day)} was found damaged at ${instant(refusal.atMs)} (${refusal.note}) and is not served again. Publish the day from its pack, rebuild it, or restore another revision.`;
    case "revision_unclear": {
      const waiting = refusal.waiting.map(({ revision, state }) => `${revision} (${state})`).join(", ");
      return `${refusal.name} has several revisions that could be published: ${waiting}. Check one of them and name it with --revision.`;
    }
    case "file_changed":
      return `Revision ${refusal.revision} of ${refusal.name} can no longer be published, because revision ${refusal.newest} is newer. Check that revision and try again.`;
    case "operators_file":
      return `Revision ${refusal.revision} of ${refusal.name} was added by an operator (${refusal.state}), and a file made from quotes does not replace it. To replace it, add another file with \`edgetape files add\`.`;
    case "day_changed":
      return `${calledOf(refusal.day)} has changed since you read it: it is now at revision ${refusal.revision}, last changed by ${refusal.actor}. Check the day and try again.`;
    case "nothing_to_restore":
      return `${calledOf(refusal.day)} has no older content that can be restored: all of it is withdrawn or damaged, or there is none. To restore a withdrawn revision, name it with --to. To serve the current content again, run \`edgetape day publish ${refusal.day.tradedate}${datasetFlag(refusal.day.dataset)}\`.`;
    case "revision_gone":
      return `The content of ${calledOf(refusal.day)}, revision ${refusal.revision}, is no longer stored; publish it from its pack.`;
    case "pack_known":
      return refusal.isLoaded
        ? `${refusal.objectKey} is already in the catalog; \`edgetape day restore ${refusal.day.tradedate}${datasetFlag(refusal.day.dataset)}\` serves earlier content of the day.`
        : `${refusal.objectKey} is in the catalog, but was missing when the backup was restored; restore the backup again, or publish ${calledOf(refusal.day)} from its pack.`;
    case "pack_sum_unknown":
      return `${refusal.objectKey} has no stored SHA-256. Give it with --sha256; the pack's build report contains it.`;
    case "not_empty":
      return `This deployment is not empty (${refusal.holds.join(", ")}). A forced restore replaces its data with the backup.`;
    case "backup_unfit":
      return `This service cannot restore the backup: ${refusal.problem}.`;
    case "backup_unauthenticated":
      return unauthenticatedSentence(refusal.problem, refusal.what);
    case "restore_incomplete":
      return `${refusal.missing} chunks of the backup have not arrived yet.`;
  }
}

function unauthenticatedSentence(problem: SealProblem, what: string): string {
  switch (problem) {
    case "unsealed":
      return `${what} is not sealed: a version without seals or a deployment without BACKUP_SECRET wrote it. If you trust it, restore it with --unauthenticated.`;
    case "no_secret":
      return `${what} is sealed with a version of BACKUP_SECRET that this deployment does not have. Restore that version, or, if the secret is lost and you trust the backup, restore it with --unauthenticated.`;
    case "edited":
      return `${what} differs from what the service wrote: it was edited, combined from several backups, or sealed with a different BACKUP_SECRET. Nothing was changed. If you trust it nevertheless, restore it with --unauthenticated.`;
  }
}

function endedSentence(state: "replaced" | "abandoned" | "refused" | "served", note: string): string {
  switch (state) {
    case "replaced":
    case "abandoned":
      return note === ""
        ? "Another publisher began a different upload of the same day or file; this upload has ended."
        : `This upload has ended: ${note}. Check the day or file before publishing again.`;
    case "refused":
      return `This upload was refused before: ${note}.`;
    case "served":
      return "This upload is complete and accepts no more parts.";
  }
}

/** Returns who withdrew the content, when and why, as a phrase. */
function decided({ actor, atMs, note }: Withdrawal): string {
  return `by ${actor} at ${instant(atMs)}${note === "" ? "" : ` (${note})`}`;
}

/** Returns the time of a decision as text. `atMs` is 0 if an earlier version did not record the time. */
function instant(atMs: number): string {
  return atMs === 0 ? "an unknown time" : beijingTimestamp(atMs);
}

function shrunkSentence(day: DatasetDay, { revision, markets, securities, lost, fewer }: Loss): string {
  const facts: string[] = [];
  for (const { market, rows, before } of markets)
    facts.push(`${market} has ${rows} ${DATASETS[day.dataset].rows} instead of ${before}`);
  const named = securities.map(({ code, rows, before }) =>
    rows === 0 ? `${code} is missing` : `${code} has ${rows} instead of ${before}`,
  );
  if (lost > 0) facts.push(lost === 1 ? "1 security is missing" : `${lost} securities are missing`);
  if (fewer > 0) {
    const have = fewer === 1 ? "1 security has" : `${fewer} securities have`;
    facts.push(`${have} at least 10 % fewer ${DATASETS[day.dataset].rows}`);
  }
  return `${calledOf(day)} has less content than revision ${revision}, which it would replace, and is not served: ${facts.join("; ")} (${named.join(", ")}${lost + fewer > securities.length ? ", …" : ""}). If this is right, run the command again with --force.`;
}

function listed(numbers: number[]): string {
  const shown = numbers.slice(0, 10).join(", ");
  return numbers.length > 10 ? `${shown} and ${numbers.length - 10} more` : shown;
}

function implausibleSentence(day: DatasetDay, { days, markets }: Comparison): string {
  const odd = markets.filter(({ plausible }) => !plausible);
  const isLarger = odd.some(
    ({ rows, medianRows, securities, medianSecurities }) =>
      rows > medianRows || (rows === medianRows && securities > medianSecurities),
  );
  const isSmaller = odd.some(({ rows, medianRows }) => rows < medianRows);
  const how =
    isLarger && isSmaller ? "not as large as usual" : `${isLarger ? "larger" : "smaller"} than usual`;
  const counts = odd.map(
    ({ market, rows, medianRows, securities, medianSecurities }) =>
      `${market} has ${rows} ${DATASETS[day.dataset].rows} of ${securities} securities; the usual numbers are ${medianRows} of ${medianSecurities}`,
  );
  return `${calledOf(day)} is ${how} and is not served: ${counts.join("; ")} (median of ${days} loaded days). If this is right, run the command again with --force.`;
}

/** Returns the day's name for messages, such as `20260312` or `20260312 (trades)`. */
export function calledOf({ dataset, tradedate }: DatasetDay): string {
  return dayName(tradedate, dataset);
}
