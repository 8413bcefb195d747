/** The refusals of admin requests as tagged values, and the function that maps each to a status and a message. */

import type { Result } from "../base/result.ts";
import { beijingTimestamp } from "../calendar/beijing.ts";
import type { DatasetDay } from "../catalog/days.ts";
import type { Damage, Withdrawal } from "../catalog/decisions.ts";
import type { Comparison, Loss } from "../catalog/plausibility.ts";
import type { Upload } from "../catalog/uploads.ts";
import { datasetFlag, dayName } from "../datasets/day-name.ts";
import { DATASETS } from "../datasets/registry.ts";
import type { TokenScope } from "../entitlement/operators.ts";

/** The answer to a request, or the reason for its refusal. */
export type Answered<Value> = Result<Value, AdminRefusal>;

/** Messages of refusals with the status 409: the request contradicts the present state, which may have changed. */
const CONFLICTS = {
  account_taken: ({ accountId }: { accountId: string }) => `Account ${accountId} already exists.`,
  token_name_taken: ({ name }: { name: string }) =>
    `The name ${name} is reserved or was used before; choose a different one.`,
  /** `what` names the subscriptions or the key that changed after they were read. */
  changed_meanwhile: ({ what }: { what: string }) =>
    `Someone else has changed ${what} in the meantime; check the change and try again.`,
  subscription_taken: ({ plan }: { plan: string }) =>
    `The account already has a ${plan} plan with the same start.`,
  /** Another publisher was the first to open or serve an upload of the same target. */
  other_publisher: ({ called }: { called: string }) =>
    `Another publisher began or finished publishing ${called} first; check its state before publishing again.`,
  upload_ended: endedSentence,
  /** R2 no longer has the upload; it discards incomplete ones after 7 days. */
  upload_lost: () => "R2 no longer has this upload; publish again.",
  /** The file's bytes have arrived, but the upload was never completed, so they have not been checked. */
  file_unchecked: ({ name }: { name: string }) =>
    `The upload of ${name} was not completed; run \`edgetape files add\` with the same file again.`,
  /** An operator withdrew this content; `again` is the command that serves it nevertheless. */
  content_withdrawn: ({ called, again, ...decision }: { called: string; again: string } & Withdrawal) =>
    `Revision ${decision.revision} of ${called} has the same content and was withdrawn ${decided(decision)}. This content is not served. To serve it nevertheless, run \`${again}\`.`,
  /** The target is withdrawn, and the publisher did not set `force` to serve different content. */
  target_withdrawn: ({ called, ...decision }: { called: string } & Withdrawal) =>
    `Revision ${decision.revision} of ${called} was withdrawn ${decided(decision)}. Different content does not replace it without force. If the new content is right, run the command again with --force.`,
  /** Several revisions of the file can be published; the operator must name one. */
  revision_unclear: ({ name, waiting }: { name: string; waiting: { revision: number; state: string }[] }) =>
    `${name} has several revisions that could be published: ${waiting.map(({ revision, state }) => `${revision} (${state})`).join(", ")}. Check one of them and name it with --revision.`,
  /** The file has no such revision, or a newer one was published. */
  file_changed: ({ name, revision, newest }: { name: string; revision: number; newest: number }) =>
    `Revision ${revision} of ${name} can no longer be published, because revision ${newest} is newer. Check that revision and try again.`,
  /** The builder's file is refused, because an operator's revision exists. */
  operators_file: ({ name, revision, state }: { name: string; revision: number; state: string }) =>
    `Revision ${revision} of ${name} was added by an operator (${state}), and a file made from quotes does not replace it. To replace it, add another file with \`edgetape files add\`.`,
  /** The day has changed since the operator read it; `actor` made the latest change. */
  day_changed: ({ day, revision, actor }: { day: DatasetDay; revision: number; actor: string }) =>
    `${calledOf(day)} has changed since you read it: it is now at revision ${revision}, last changed by ${actor}. Check the day and try again.`,
  /** A restore would destroy the content of these tables. */
  not_empty: ({ holds }: { holds: string[] }) =>
    `This deployment is not empty (${holds.join(", ")}). A forced restore replaces its data with the backup.`,
};

/** The message of each refusal, made from its facts. `AdminRefusal` is the type of these reasons and facts. */
const SENTENCES = {
  ...CONFLICTS,
  token_wrong: () => "The request needs the header Authorization: Bearer with a valid operator token.",
  scope_lacking: ({ scope, needed }: { scope: TokenScope; needed: TokenScope[] }) =>
    `This token has the scope ${scope}; the request needs the scope ${needed.join(" or ")}. Create a token that has it with \`edgetape token issue <name> --scope ${needed[0]}\`.`,
  body_too_large: ({ maxBytes }: { maxBytes: number }) => `The body is larger than ${maxBytes} bytes.`,
  /** `place` is the path of the wrong value inside `what`. The value is never quoted; it may contain a key. */
  malformed: ({ what, place, problem }: { what: string; place: string; problem: string }) =>
    `${what}${place === "" ? "" : ` at ${place}`}: ${problem}.`,
  absent: ({ what }: { what: string }) => `There is no ${what}.`,
  weekend_open: ({ day, more }: { day: string; more: number }) =>
    `${day}${more === 0 ? " is" : ` and ${more} more are`} on a weekend, when the exchanges do not trade. Nothing was changed. If the exchanges do trade then, run the command again with --force.`,
  not_later: ({ plan, end }: { plan: string; end: string }) =>
    `The ${plan} plan already lasts until ${end}; the new end must be later.`,
  key_over: ({ keyId }: { keyId: string }) => `Key ${keyId} is no longer valid; create a new one.`,
  part_number: ({ n, partCount }: { n: string; partCount: number }) =>
    `There is no part ${n}: the upload has parts 1 to ${partCount}.`,
  part_size: ({ n, sizeBytes }: { n: number; sizeBytes: number }) =>
    `Part ${n} must be exactly ${sizeBytes} bytes long.`,
  part_hash_absent: () => "X-Content-SHA256 must contain the part's SHA-256 as 64 hex digits.",
  part_hash: ({ n }: { n: number }) =>
    `The SHA-256 of part ${n} differs from the one in X-Content-SHA256; send the part again.`,
  parts_missing: ({ missing }: { missing: number[] }) =>
    `These parts have not arrived yet: ${listed(missing)}; send them first.`,
  /** `problem` is a clause that says what is wrong with the name. */
  file_name: ({ problem }: { problem: string }) => `The file cannot have this name: ${problem}.`,
  day_of_other_year: ({ day, year }: { day: string; year: number }) =>
    `The day ${day} is not in the year ${year}.`,
  content_wrong: ({ called, problem }: { called: string; problem: string }) =>
    `${called} was refused: ${problem}. Nothing was changed.`,
  /** The day is much smaller or larger than the days around it; it is not served unless forced. */
  implausible: implausibleSentence,
  /** The builder's quality check failed; the day is not served unless forced. `summary` is a clause. */
  quality_failed: ({ day, summary }: { day: DatasetDay; summary: string }) =>
    `The quality check of ${calledOf(day)} ${summary}; the day is not served. \`edgetape day quality ${day.tradedate}\` prints the sheet. If the data is right nevertheless, run the command again with --force.`,
  /** In this pack, every security has the same number of rows and the same last time as on the day `of`. */
  day_repeated: ({ day, of }: { day: DatasetDay; of: string }) =>
    `${calledOf(day)} has exactly as many ${DATASETS[day.dataset].rows} per security as ${of}, with the same last times, so it is probably the same delivery under another date. It is not served. If the data is right nevertheless, run the command again with --force.`,
  /** The pack has less content than the revision that it would replace; it is not served unless forced. */
  shrunk: shrunkSentence,
  /** A block of this pack failed its checksum earlier. */
  pack_damaged: ({ day, called, atMs, note }: { day: DatasetDay; called: string } & Damage) =>
    `${called} of ${calledOf(day)} was found damaged at ${instant(atMs)} (${note}) and is not served again. Publish the day from its pack, rebuild it, or restore another revision.`,
  nothing_to_restore: ({ day }: { day: DatasetDay }) =>
    `${calledOf(day)} has no older content that can be restored: all of it is withdrawn or damaged, or there is none. To restore a withdrawn revision, name it with --to. To serve the current content again, run \`edgetape day publish ${day.tradedate}${datasetFlag(day.dataset)}\`.`,
  /** The object or the index rows of the revision are no longer stored. */
  revision_gone: ({ day, revision }: { day: DatasetDay; revision: number }) =>
    `The content of ${calledOf(day)}, revision ${revision}, is no longer stored; publish it from its pack.`,
  /** The catalog has this object, as a pack of a day or an unserved upload. `isLoaded`: the day is loaded. */
  pack_known: ({ day, objectKey, isLoaded }: { day: DatasetDay; objectKey: string; isLoaded: boolean }) =>
    isLoaded
      ? `${objectKey} is already in the catalog; \`edgetape day restore ${day.tradedate}${datasetFlag(day.dataset)}\` serves earlier content of the day.`
      : `${objectKey} is in the catalog, but was missing when the backup was restored; restore the backup again, or publish ${calledOf(day)} from its pack.`,
  pack_sum_unknown: ({ objectKey }: { objectKey: string }) =>
    `${objectKey} has no stored SHA-256. Give it with --sha256; the pack's build report contains it.`,
  /** `problem` is a clause. */
  backup_unfit: ({ problem }: { problem: string }) => `This service cannot restore the backup: ${problem}.`,
  backup_unauthenticated: ({ problem, what }: { problem: SealProblem; what: string }) =>
    `${what} ${UNAUTHENTICATED[problem]}`,
  restore_incomplete: ({ missing }: { missing: number }) =>
    `${missing} chunks of the backup have not arrived yet.`,
};

type Reason = keyof typeof SENTENCES;

/** A refusal: its reason and the facts that its message contains. */
export type AdminRefusal = {
  [Each in Reason]: (typeof SENTENCES)[Each] extends (facts: infer Facts) => string
    ? { reason: Each } & Facts
    : never;
}[Reason];

type AdminStatus = 400 | 401 | 403 | 404 | 409 | 413 | 422;

/** The HTTP statuses of other refusals; 422 for a reason that is not listed. */
const STATUS: Partial<Record<Reason, AdminStatus>> = {
  token_wrong: 401,
  scope_lacking: 403,
  body_too_large: 413,
  malformed: 400,
  absent: 404,
};

/** Returns the HTTP status and the message of a refusal. */
export function describeRefusal(refusal: AdminRefusal): { status: AdminStatus; error: string } {
  const { reason } = refusal;
  const sentence: (facts: never) => string = SENTENCES[reason];
  const status = reason in CONFLICTS ? 409 : (STATUS[reason] ?? 422);
  return { status, error: sentence(refusal as never) };
}

/** What is wrong with the seal of a backup or of one of its pages, as a sentence after its name. */
const UNAUTHENTICATED = {
  unsealed:
    "is not sealed: a version without seals or a deployment without BACKUP_SECRET wrote it. If you trust it, restore it with --unauthenticated.",
  no_secret:
    "is sealed with a version of BACKUP_SECRET that this deployment does not have. Restore that version, or, if the secret is lost and you trust the backup, restore it with --unauthenticated.",
  edited:
    "differs from what the service wrote: it was edited, combined from several backups, or sealed with a different BACKUP_SECRET. Nothing was changed. If you trust it nevertheless, restore it with --unauthenticated.",
};

/** Why a seal is invalid. */
export type SealProblem = keyof typeof UNAUTHENTICATED;

function endedSentence({ upload }: { upload: Pick<Upload, "state" | "stateNote"> }): string {
  const { state, stateNote } = upload;
  if (state === "refused") return `This upload was refused before: ${stateNote}.`;
  const isReplaced = state === "replaced" || state === "abandoned";
  if (!isReplaced) return "This upload is complete and accepts no more parts.";
  return stateNote === ""
    ? "Another publisher began a different upload of the same day or file; this upload has ended."
    : `This upload has ended: ${stateNote}. Check the day or file before publishing again.`;
}

/** Returns who withdrew the content, when and why, as a phrase. */
function decided({ actor, atMs, note }: Withdrawal): string {
  return `by ${actor} at ${instant(atMs)}${note === "" ? "" : ` (${note})`}`;
}

/** Returns the time of a decision as text. `atMs` is 0 if an earlier version did not record the time. */
function instant(atMs: number): string {
  return atMs === 0 ? "an unknown time" : beijingTimestamp(atMs);
}

function shrunkSentence({ day, ...loss }: { day: DatasetDay } & Loss): string {
  const { revision, markets, securities, lost, fewer } = loss;
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

function implausibleSentence({ day, days, markets }: { day: DatasetDay } & Comparison): string {
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
