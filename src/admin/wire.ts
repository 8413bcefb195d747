/**
 * The bodies that the CLI and `/admin` exchange: each has one strict schema. The CLI imports this file, so it must not
 * import the worker's own types.
 *
 * Every route requires `Authorization: Bearer` with the secret `ADMIN_TOKEN` or with a named token whose scope permits
 * the route (`routes.ts`). A refusal is `{error: sentence, reason}` with one of these HTTP statuses: 400 (malformed
 * request), 401 (wrong token), 403 (missing scope), 404 (not found), 409 (conflict, often with another operator), 413
 * (body too large), 422 (valid request that is refused).
 *
 * Bodies and answers are named after their schemas: `NewKey` is `newKeySchema`. Routes below `/days`, `/changes` and
 * `/doctor/index`, and an account's `standing`, `credit` and `free`, accept `dataset=` in the query; the default is
 * orders.
 *
 * | route | body | answer |
 * |---|---|---|
 * | `GET /admin/days?month=YYYYMM` | | `DayList` |
 * | `GET /admin/days/datasets` | | `DatasetList` |
 * | `GET /admin/days/loaded` | | `LoadedDays` |
 * | `GET /admin/days/built-before?version=` | | `BuiltBefore` |
 * | `GET /admin/days/{date}` | | `DayDetail` |
 * | `POST /admin/days/{date}/withdraw` | `WithdrawDay` | `DayChanged` |
 * | `POST /admin/days/{date}/restore` | `RestoreDay` | `DayChanged` |
 * | `POST /admin/days/{date}/publish` | `PublishDay` | `DayChanged` |
 * | `GET /admin/days/adoptable` | | `AdoptableList` |
 * | `POST /admin/days/{date}/adopt` | `AdoptDay` | `Published` |
 * | `GET /admin/changes?after=&since=&limit=` | | `ChangeList` |
 * | `POST /admin/days/{date}/uploads` | `BeginUpload` | `UploadBegun` |
 * | `PUT /admin/days/{date}/uploads/{uploadId}/parts/{n}` | raw bytes, `X-Content-SHA256` | `StoredPart` |
 * | `POST /admin/days/{date}/uploads/{uploadId}/complete` | none | `Published` |
 * | `GET /admin/calendar?year=YYYY` | | `Calendar` |
 * | `PUT /admin/calendar` | `CalendarChange` | `CalendarChanged` |
 * | `GET /admin/accounts?search=&expiring=<ms>&after=&limit=` | | `AccountList` |
 * | `POST /admin/accounts` | `NewAccount` | `Account` (201) |
 * | `GET /admin/accounts/{id}` | | `Account` |
 * | `PUT /admin/accounts/{id}/contact` | `AccountContact` | `Account` |
 * | `POST /admin/accounts/{id}/keys` | `NewKey` | `IssuedKey` (201) |
 * | `POST /admin/accounts/{id}/invites` | `NewInvite` | `Invite` (201) |
 * | `PUT /admin/accounts/{id}/subscriptions` | `SubscriptionList` | `Account` |
 * | `POST /admin/accounts/{id}/subscriptions` | `AddSubscription` | `Account` |
 * | `POST /admin/accounts/{id}/subscriptions/extend` | `ExtendSubscription` | `Account` |
 * | `GET /admin/accounts/{id}/standing` | | `Standing` |
 * | `POST /admin/accounts/{id}/credit` | `Credit` | `Standing` |
 * | `POST /admin/accounts/{id}/free` | none | `Standing` |
 * | `PUT /admin/accounts/{id}/limits` | `OwnLimits` | `Account` |
 * | `POST /admin/accounts/{id}/disable`, `…/enable`, `…/sign-out` | none | `Account` |
 * | `POST /admin/keys/import` | `KeyImport` | `KeysImported` |
 * | `POST /admin/keys/{keyId}/roll` | `RollKey` | `RolledKey` (201) |
 * | `POST /admin/keys/{keyId}/revoke` | none | `KeySummary` |
 * | `GET /admin/plans`, `PUT /admin/plans` | `PlanList` | `PlanList` |
 * | `GET /admin/usage?month=YYYYMM` | | `UsageList` |
 * | `GET /admin/files/{type}?from=&to=` | | `FileList` |
 * | `POST /admin/files/{type}/{date}/{name}/uploads` | `BeginFileUpload` | `FileUploadBegun` |
 * | `PUT /admin/files/{type}/{date}/{name}/uploads/{uploadId}/parts/{n}` | raw bytes | `StoredPart` |
 * | `POST /admin/files/{type}/{date}/{name}/uploads/{uploadId}/complete` | none | `FileSummary` |
 * | `POST /admin/files/{type}/{date}/{name}/publish` | `PublishFile`, or none | `FileSummary` |
 * | `POST /admin/files/{type}/{date}/{name}/withdraw` | `WithdrawFile` | `FileSummary` |
 * | `GET /admin/external` | | `ExternalList` |
 * | `PUT /admin/external/{type}/{year}` | `ExternalShareInput` | `ExternalList` |
 * | `POST /admin/external/{type}/{year}/clear` | none | `ExternalList` |
 * | `GET /admin/shares?account={id}` | | `ShareList` |
 * | `GET /admin/shares?after=&limit=` | | `ShareList` |
 * | `POST /admin/shares/{shareId}/revoke` | none | `ShareSummary` |
 * | `GET /admin/shares/secret` | | `SecretVersions` |
 * | `POST /admin/shares/secret/rotate` | `RotateSecret` | `RotatedSecret` |
 * | `GET /admin/explain/{requestId}?account=` | | `ExplainedRequest` |
 * | `POST /admin/explain` | `Explain` | `Explanation` |
 * | `GET /admin/tokens` | | `TokenList` |
 * | `POST /admin/tokens` | `NewToken` | `IssuedToken` (201) |
 * | `POST /admin/tokens/{name}/revoke` | none | `TokenSummary` |
 * | `GET /admin/audit?subject=&actor=&kind=&action=&since=&before=&limit=` | | `AuditList` |
 * | `GET /admin/doctor` | | `DoctorReport` |
 * | `POST /admin/doctor/repair` | none | `FindingList` |
 * | `GET /admin/doctor/index/{date}` | | `IndexReport` |
 * | `POST /admin/doctor/index/{date}/repair` | none | `IndexReport` |
 * | `GET /admin/doctor/objects` | | `UnknownObjects` |
 * | `POST /admin/doctor/objects/delete` | `DeleteObjects` | `FindingList` |
 * | `POST /admin/doctor/scheduled` | `RunScheduled` | `ScheduledRun` |
 * | `GET /admin/backup` | | `BackupPlan` |
 * | `GET /admin/backup/{table}?backup=&after=` | | `BackupPage` |
 * | `POST /admin/restores` | `BeginRestore` | `RestoreState` |
 * | `PUT /admin/restores/{sha256}/chunks/{n}` | `RestoreChunk` | `RestoreState` |
 * | `POST /admin/restores/{sha256}/objects` | `RestoreObjects` | `RestoredObjects` |
 * | `POST /admin/restores/{sha256}/complete` | none | `RestoreState` |
 * | `POST /admin/restores/sweep` | none | `Swept` |
 */
import * as z from "zod";

export * from "../base/webhook.ts";
export * from "./wire-accounts.ts";
export * from "./wire-days.ts";
export * from "./wire-files.ts";
export * from "./wire-service.ts";

/** The body of every refused admin request. It never contains a key, a token or a password. */
export const adminErrorSchema = z.strictObject({
  error: z.string(),
  /** The machine-readable reason, for scripts to compare; absent when the service itself failed. */
  reason: z.string().optional(),
});
export type AdminError = z.infer<typeof adminErrorSchema>;
