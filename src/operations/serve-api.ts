/** `POST /api`: the order of checks and charging (contract 2.1): steps 1 to 5, then an operation's `run`. */
import { checkRate, type Identified, identify } from "../access/identify.ts";
import { inTime } from "../base/in-time.ts";
import { type Language, preferredLanguage } from "../base/language.ts";
import { ok, type Result, refused } from "../base/result.ts";
import type { Principal } from "../entitlement/principal.ts";
import { nowMs } from "../env.ts";
import type { Denial } from "../http/denial.ts";
import { type Envelope, parseEnvelope, readBody } from "../http/envelope.ts";
import { type AnswerFormat, outcomeOf } from "../http/outcome.ts";
import { maskWarning, withoutKey } from "../http/own-key.ts";
import { refuse } from "../http/respond.ts";
import { wantsParquet } from "../orders/query/history-query.ts";
import { nearestName } from "../orders/query/nearest-name.ts";
import { excerptOf } from "../orders/query/query-denial.ts";
import { keepRefusal, type RefusedCaller } from "./keep-refusal.ts";
import { type Call, firstByteMs, type Operation, type Scope } from "./operation.ts";
import { OPERATIONS, PARAMS_OPTIONAL } from "./registry.ts";

/**
 * How long after the first-byte deadline `serveApi` stops waiting for the answer. It waits longer than the
 * deadline, so that a late operation can still release what it holds and send its own refusal.
 */
const LATE_MS = 1_000;

/**
 * Serves or refuses one request. Throws only on a fault. The console passes the signed-in `holder`. Step 3 then
 * checks no key; all other steps are the same, and the request uses the same slot and quota.
 */
export async function serveApi(request: Request, opened: Scope, holder?: Principal): Promise<Response> {
  const decoded = await readBody(request);
  // The body can take long to arrive. The key and the plan must be valid when it has arrived, and the first-byte
  // deadline counts from then.
  const scope: Scope = { ...opened, nowMs: nowMs(opened.settings) };
  const asked: Asked = {
    caller: { accountId: null, keyId: null, interface: null, symbol: null, tradedate: null },
    language: preferredLanguage(request.headers.get("Accept-Language")),
    format: decoded.ok && wantsParquet(decoded.value) ? "parquet" : "json",
    apikey: "",
    holder,
  };
  const refuseWith = refuser(scope, asked);
  if (!decoded.ok) return refuseWith(decoded.refusal);
  const parsed = parseEnvelope(decoded.value, PARAMS_OPTIONAL);
  if (!parsed.ok) return refuseWith(parsed.refusal);
  asked.apikey = parsed.value.apikey;
  try {
    const answer = serveEnvelope(parsed.value, scope, asked, refuseWith);
    // When a store does not respond in time, the late work continues after the response, because it may hold a slot
    // that must be released and a charge that must be credited.
    scope.ctx.waitUntil(answer.catch(() => undefined));
    const response = await inTime(answer, firstByteMs(scope) + LATE_MS);
    maskWarning(response.headers, asked.apikey);
    return response;
  } catch (fault) {
    keepRefusal(scope, { reason: "unavailable" }, asked.caller);
    throw fault;
  }
}

const NO_KEY = refused({ reason: "key_unknown", empty: true } as const);

/** What is known about a request and determines how a refusal of it is answered and stored. */
interface Asked {
  /** The caller, if identified, for stored refusals. */
  caller: RefusedCaller;
  language: Language;
  format: AnswerFormat;
  /** The key that the request sent. No refusal contains it. */
  apikey: string;
  holder: Principal | undefined;
}

async function serveEnvelope(
  envelope: Envelope,
  scope: Scope,
  asked: Asked,
  refuseWith: Call["refuse"],
): Promise<Response> {
  const { env, settings, log, ctx } = scope;
  const named = operationNamed(envelope.apiname);
  if (!named.ok) return refuseWith(named.refusal);
  const operation = named.value;
  log.note({ interface: operation.apiname });
  asked.caller.interface = operation.apiname;

  // Invalid parameters are refused only at step 5 (contract 2.1). Parsing them here allows one D1 call to read both an
  // uncached key and the day.
  const prepared = operation.prepare(envelope, scope);
  const { reads, about = {} } = prepared.ok ? prepared.value : { reads: [] };
  Object.assign(asked.caller, about);

  const identified = await log.stage("d1", () => identifyCaller(envelope, scope, reads, asked.holder));
  const { caller, alongside, noteUse } = identified;
  if (!caller.ok) return refuseWith(caller.refusal);
  const principal = caller.value;
  const { accountId, keyId } = principal;
  log.note({ accountId });
  Object.assign(asked.caller, { accountId, keyId });
  if (noteUse !== null) ctx.waitUntil(noteUse());

  const tooOften = await checkRate(env.RATE, settings.RATE_LIMIT, accountId);
  if (tooOften !== null) return refuseWith(tooOften);

  if (!prepared.ok) return refuseWith(prepared.refusal);

  return prepared.value.run({
    ...scope,
    principal,
    read: () => log.stage("d1", alongside),
    refuse: refuseWith,
  });
}

function identifyCaller(
  { apikey }: Envelope,
  { env, nowMs }: Scope,
  reads: D1PreparedStatement[],
  holder: Principal | undefined,
): Promise<Identified> {
  const known = holder !== undefined ? ok(holder) : apikey.trim() === "" ? NO_KEY : null;
  if (known === null) return identify(env.DB, apikey, nowMs, reads);
  const alongside = () => (reads.length === 0 ? Promise.resolve([]) : env.DB.batch(reads));
  return Promise.resolve({ caller: known, alongside, noteUse: null });
}

/** Returns the operation of this name, or `apiname_unknown` with the nearest name. */
export function operationNamed(apiname: string): Result<Operation, Denial> {
  const operation = OPERATIONS.get(apiname);
  if (operation !== undefined) return ok(operation);
  const known = [...OPERATIONS.keys()];
  const nearest = nearestName(apiname, known);
  return refused({ reason: "apiname_unknown", apiname: excerptOf(apiname), nearest, known });
}

/** Returns the function that refuses the request. */
function refuser(scope: Scope, asked: Asked): Call["refuse"] {
  const { requestId, log } = scope;
  return (found, facts = {}) => {
    const denial = withoutKey(found, asked.apikey);
    log.note({ code: outcomeOf(denial).code, reason: denial.reason });
    keepRefusal(scope, denial, asked.caller);
    return refuse(denial, { requestId, language: asked.language, format: asked.format }, facts);
  };
}
