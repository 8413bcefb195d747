/**
 * `file_download` (contract 8): the share of one year's daily files. Runs steps 5 to 7 of contract 2.1; takes no slot
 * and uses no quota.
 */
import * as z from "zod";
import { ok, type Result, refused } from "../base/result.ts";
import { type BeijingDate, beijingDate, beijingTimestamp } from "../calendar/beijing.ts";
import { type ExternalShare, externalShareOf, externalShareStatement } from "../catalog/external-shares.ts";
import { type Coverage, catalogRevisionOf, catalogRevisionStatement, coverageOf } from "../catalog/files.ts";
import { newestShareOf, newestShareStatement } from "../catalog/shares.ts";
import { DATA_TYPES, type DataType, FIRST_YEAR } from "../entitlement/data-types.ts";
import { entitleShare, type ShareGrant } from "../entitlement/entitle.ts";
import { PLANS } from "../entitlement/plans.ts";
import { publicBaseOf } from "../env.ts";
import type { Denial } from "../http/denial.ts";
import { succeed } from "../http/respond.ts";
import type { OnUnknown, Problem } from "../orders/query/parameters.ts";
import { givenParameters, lazily, readParameters, wholeNumberParameter } from "../orders/query/parameters.ts";
import { invalid, type QueryDenial } from "../orders/query/query-denial.ts";
import { cachedCoverage, shareEndMs, shareFor } from "../shares/identity.ts";
import { openPassword, passwordOf } from "../shares/secrets.ts";
import type { Call, Operation, Step } from "./operation.ts";
import type { ShareResult } from "./wire.ts";

const ACCEPTED_TYPES = DATA_TYPES.join(", ");

/** The parameters of a share. The valid years depend on the type and on today. */
export const shareParameters = lazily(() => {
  const year = wholeNumberParameter({ from: Math.min(...Object.values(FIRST_YEAR)), to: 9999 });
  return {
    data_type: {
      schema: z.enum(DATA_TYPES).meta({ description: "auction_tick (from 2022) or level2 (from 2017)." }),
      problemOf: (): Problem => ["value_unknown", ACCEPTED_TYPES],
    },
    year: { ...year, schema: year.schema.meta({ description: "At most the current year in Beijing." }) },
  };
});

interface ShareQuery {
  dataType: DataType;
  /** A year from the first year of the data type to the current year in Beijing, both inclusive. */
  year: number;
  /** Unknown parameters that the deployment accepted. */
  unknownParameters: string[];
}

/**
 * Parses the parameters of a share; `today` is the Beijing day. Refuses unknown names first, then an absent or unknown
 * type, then an invalid year or one outside the type's range, naming what is accepted.
 */
function parseShareQuery(
  params: Readonly<Record<string, unknown>>,
  today: BeijingDate,
  onUnknown: OnUnknown,
): Result<ShareQuery, QueryDenial> {
  const parameters = shareParameters();
  const found = givenParameters(params, Object.keys(parameters), onUnknown);
  if (!found.ok) return found;
  const { given, unknown } = found.value;
  const type = readParameters(parameters, ["data_type"], given);
  if (!type.ok) return refused({ ...type.refusal, accepted: ACCEPTED_TYPES });
  const { data_type: dataType } = type.value;
  const [from, to] = [FIRST_YEAR[dataType], Number(today.slice(0, 4))];
  const accepted = `${from}-${to}`;
  const asked = readParameters(parameters, ["year"], given);
  if (!asked.ok) return refused({ ...asked.refusal, accepted });
  const { year } = asked.value;
  if (year < from || year > to) {
    return refused({ ...invalid("year", "out_of_range", given.get("year")), accepted });
  }
  return ok({ dataType, year, unknownParameters: unknown });
}

export const fileDownload: Operation = {
  apiname: "file_download",
  prepare({ params }, { settings, nowMs }) {
    const asked = parseShareQuery(params, beijingDate(nowMs), settings.UNKNOWN_PARAMETERS);
    if (!asked.ok) return asked;
    const query = asked.value;
    // The reads depend on the account and its plan, so nothing can be read together with the key.
    return ok({ reads: [], run: (call) => run(call, query), explain: (call) => explainShare(call, query) });
  },
};

async function run(call: Call, query: ShareQuery): Promise<Response> {
  const { principal, nowMs, log, requestId } = call;
  const { dataType, year, unknownParameters } = query;
  log.note({ dataType, year });

  // Step 6 (contract 2.1): checks the plan and its window.
  const granted = entitleShare(principal, { service: dataType, year }, nowMs);
  if (!granted.ok) return call.refuse(granted.refusal, { unknownParameters });
  const grant = granted.value;

  // Step 7: checks whether a file is published. An external share shows all its files, so the plan must include the
  // whole year.
  const known = await readKnown(call, query);
  const hasWholeYear = PLANS[grant.plan][dataType].kind === "all";
  const share =
    known.external !== null && hasWholeYear
      ? await externalShare(call, query, known.external)
      : await ownShare(call, query, grant, known);
  if (!share.ok) return call.refuse(share.refusal, { unknownParameters });
  log.note({ code: 200 });
  return succeed({ code: 200, message: "success", data: share.value }, { requestId, unknownParameters });
}

/** Returns what the catalog has about the account's share, read in one batch. */
async function readKnown({ env, log, principal }: Call, query: ShareQuery) {
  const { accountId } = principal;
  const [revision, external, newest] = await log.stage("d1", () =>
    env.DB.batch([
      catalogRevisionStatement(env.DB),
      externalShareStatement(env.DB, query),
      newestShareStatement(env.DB, { accountId, ...query }),
    ]),
  );
  return {
    catalogRevision: catalogRevisionOf(revision),
    external: externalShareOf(external),
    newest: newestShareOf(newest),
  };
}

async function externalShare(
  { settings, nowMs }: Call,
  query: ShareQuery,
  external: ExternalShare,
): Promise<Result<ShareResult, Denial>> {
  const { link } = external;
  if (link === null || link.expiresAtMs <= nowMs) return ok(shareResult(query, external, null));
  const password = await openPassword(settings.SHARE_SECRET, query, link);
  return ok(shareResult(query, external, { url: link.url, password, endMs: link.expiresAtMs }));
}

async function ownShare(
  { env, settings, ctx, origin, log, nowMs, principal }: Call,
  query: ShareQuery,
  grant: ShareGrant,
  known: Awaited<ReturnType<typeof readKnown>>,
): Promise<Result<ShareResult, Denial>> {
  const { dataType, year } = query;
  const { firstDay, lastDay, ...sums } = await log.stage("coverage", () =>
    cachedCoverage(
      { db: env.DB, catalogRevision: known.catalogRevision, origin, ctx },
      { dataType, from: grant.from, to: grant.to },
    ),
  );
  if (firstDay === null || lastDay === null) return refused({ reason: "nothing_published", dataType, year });

  const owner = { accountId: principal.accountId, dataType, year };
  const { SHARE_SECRET: secrets } = settings;
  // `publicBaseOf` throws if PUBLIC_BASE_URL is missing in production, so it is called before a share is created.
  const base = publicBaseOf(settings, origin);
  const at = { nowMs, planEndMs: grant.endMs, secrets };
  const share = await log.stage("d1", () => shareFor(env.DB, owner, known.newest, at));
  const password = passwordOf(secrets, share);
  if (password === null) throw new Error(`a new share needs version ${share.secretVersion} of SHARE_SECRET`);
  log.note({ shareId: share.shareId });
  const url = `${base}/s/${share.shareId}/`;
  const endMs = shareEndMs(share, grant.endMs);
  return ok(shareResult(query, { ...sums, firstDay, lastDay }, { url, password, endMs }));
}

/** The `retry_after` of an external share that is not ready. An operator needs minutes to days to create one. */
const PREPARING_RETRY_SECONDS = 600;

/** The URL and the password of a share, and when it expires (Unix milliseconds, exclusive). */
interface ShareAccess {
  url: string;
  password: string;
  endMs: number;
}

type CoveredDays = Pick<Coverage, "fileCount" | "sizeBytes"> & Record<"firstDay" | "lastDay", BeijingDate>;

/**
 * Returns the answer for a share: the eleven fields of contract 8.1 in order. `access` is null for an external share
 * whose link is not registered yet or has expired.
 */
function shareResult(
  { dataType, year }: ShareQuery,
  covered: CoveredDays,
  access: ShareAccess | null,
): ShareResult {
  return {
    status: access === null ? "preparing" : "ready",
    data_type: dataType,
    year,
    start_date: covered.firstDay,
    end_date: covered.lastDay,
    file_count: covered.fileCount,
    size_bytes: covered.sizeBytes,
    url: access?.url ?? "",
    password: access?.password ?? "",
    expires_at: access === null ? "" : beijingTimestamp(access.endMs),
    retry_after: access === null ? PREPARING_RETRY_SECONDS : 0,
  };
}

/** Evaluates steps 6 and 7 of contract 2.1 up to the first refusal, without creating a share. */
async function explainShare(call: Call, { dataType, year }: ShareQuery): Promise<Step[]> {
  const { principal, nowMs, env } = call;
  const grant = entitleShare(principal, { service: dataType, year }, nowMs);
  if (!grant.ok) return [{ step: 6, about: "plan and window", denial: grant.refusal, detail: "" }];
  const { from, to, plan } = grant.value;
  const covers = `the ${plan} plan covers ${from} to ${to} of ${year}`;
  const { fileCount, sizeBytes } = await coverageOf(env.DB, { dataType, from, to });
  const denial = fileCount === 0 ? ({ reason: "nothing_published", dataType, year } as const) : null;
  return [
    { step: 6, about: "plan and window", denial: null, detail: covers },
    { step: 7, about: "data", denial, detail: `${fileCount} published files, ${sizeBytes} bytes in total` },
  ];
}
