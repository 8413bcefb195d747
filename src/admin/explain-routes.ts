/**
 * `/admin/explain`. `GET` explains the outcome of a past request, with a text for the customer. `POST` evaluates how a
 * request would be answered now, by the steps of contract 2.1.
 */

import type * as z from "zod";
import { identify } from "../access/identify.ts";
import type { Bilingual } from "../base/language.ts";
import { newRequestId } from "../base/request-id.ts";
import { ok, type Result, refused } from "../base/result.ts";
import { beijingTimestamp } from "../calendar/beijing.ts";
import { recentlyActive } from "../catalog/accounts.ts";
import { findKey, principalOfAccount } from "../catalog/keys.ts";
import { findRefusal, type Refusal } from "../catalog/refusals.ts";
import type { AccessDenial } from "../entitlement/caller-denial.ts";
import type { Principal } from "../entitlement/principal.ts";
import { nowMs, settingsOf } from "../env.ts";
import type { GrantSummary, RequestOutcome } from "../gate/protocol.ts";
import type { Denial } from "../http/denial.ts";
import { type Envelope, parseEnvelope, readBody } from "../http/envelope.ts";
import { type AnswerFormat, outcomeOf } from "../http/outcome.ts";
import { openRequestLog } from "../http/request-log.ts";
import { accountGate, COUNTED_INTERFACES } from "../operations/account-info.ts";
import type { Call, Prepared, Scope, Step } from "../operations/operation.ts";
import { PARAMS_OPTIONAL } from "../operations/registry.ts";
import { operationNamed } from "../operations/serve-api.ts";
import { wantsParquet } from "../orders/query/history-query.ts";
import { type AdminContext, bodyOf, type Routes, reading } from "./context.ts";
import type { Answered } from "./refusal.ts";
import * as wire from "./wire.ts";

/**
 * When no account is named, only the gates of accounts that were active within this time are searched, at most
 * `MAX_ASKED` accounts. The most recently active ones come first.
 */
const ACTIVE_MS = 3 * 86_400_000;
const MAX_ASKED = 400;
/** Number of accounts whose gates are queried concurrently. */
const AT_ONCE = 10;

/** What a gate has stored about a request that it accepted. There is one gate for each account and interface. */
interface Accepted {
  accountId: string;
  apiname: string;
  grant: GrantSummary;
  /** The request's outcome; null if the worker has not reported it. */
  outcome: RequestOutcome | null;
  inProgress: boolean;
}

/**
 * Explains a past request. Searches the stored refusals first, and then the gates of the account that `?account=` or
 * the refusal names. If there is no refusal and no account is named, searches the gates of recently active accounts.
 */
async function explainId(c: AdminContext): Promise<Answered<wire.ExplainedRequest>> {
  const requestId = (c.req.param("requestId") ?? "").trim().toLowerCase();
  const refusal = await findRefusal(c.env.DB, requestId);
  const account = c.req.query("account") ?? refusal?.accountId ?? null;
  // A refused request without a known account has most likely not reached a gate, so no gate is searched.
  const accepted = refusal !== null && account === null ? null : await findAccepted(c, requestId, account);
  if (refusal !== null) return ok(kept(requestId, refusal, accepted));
  return ok(accepted === null ? unknown(requestId) : ended(requestId, accepted));
}

async function findAccepted(
  c: AdminContext,
  requestId: string,
  account: string | null,
): Promise<Accepted | null> {
  const settings = settingsOf(c.env);
  const since = nowMs(settings) - ACTIVE_MS;
  const accounts = account === null ? await recentlyActive(c.env.DB, since, MAX_ASKED) : [account];
  for (let at = 0; at < accounts.length; at += AT_ONCE) {
    const asked = accounts.slice(at, at + AT_ONCE).flatMap((accountId) =>
      COUNTED_INTERFACES.map(async (apiname): Promise<Accepted | null> => {
        const { grants = [], last, holder } = await accountGate(c.env, settings, accountId, apiname).state();
        const grant = grants.find((each) => each.requestId === requestId);
        const outcome = last.find((each) => each.requestId === requestId) ?? null;
        const inProgress = holder?.requestId === requestId;
        return grant === undefined ? null : { accountId, apiname, grant, outcome, inProgress };
      }),
    );
    const found = (await Promise.all(asked)).find((each) => each !== null);
    if (found !== undefined) return found;
  }
  return null;
}

const COUNTED: Bilingual = { zh: "已计入当日额度。", en: "The request counts against the day's quota." };
const NOT_COUNTED: Bilingual = { zh: "未计入额度。", en: "The request was not counted." };
const CREDITED: Bilingual = { zh: "已计的次数已退回。", en: "The request was counted, then credited." };
const IN_PROGRESS: Bilingual = { zh: "仍在处理中。", en: "is still in progress." };
const UNFINISHED: Bilingual = {
  zh: "已受理，但没有正常结束（例如连接中断）。",
  en: "was accepted but did not end normally (for example, the connection broke).",
};

const NOT_RECORDED = { at: null, code: null, reason: null };

function kept(requestId: string, refusal: Refusal, accepted: Accepted | null): wire.ExplainedRequest {
  const { accountId, keyId, interface: asked, atMs } = refusal;
  const { code, reason, message } = outcomeOf(JSON.parse(refusal.denial) as Denial);
  const charged = accepted?.grant.charged ?? false;
  const ending = accepted === null ? NOT_COUNTED : charged ? COUNTED : CREDITED;
  const at = beijingTimestamp(atMs);
  const text = {
    zh: `请求 ${requestId}（北京时间 ${at}，接口 ${asked ?? "未识别"}）返回 ${code}（${reason}）：${message.zh}${ending.zh}`,
    en: `Request ${requestId} (${at}, Beijing time, operation ${asked ?? "not recognised"}) was answered with ${code} (${reason}): ${message.en} ${ending.en}`,
  };
  return { requestId, state: "refused", accountId, keyId, interface: asked, at, code, reason, charged, text };
}

function ended(
  requestId: string,
  { accountId, apiname, grant, outcome, inProgress }: Accepted,
): wire.ExplainedRequest {
  const { day, charged } = grant;
  const about = { requestId, accountId, keyId: null, interface: apiname, charged };
  const counted = charged ? COUNTED : CREDITED;
  if (outcome === null) {
    const what = inProgress ? IN_PROGRESS : UNFINISHED;
    const text = {
      zh: `请求 ${requestId}（${day}）${what.zh}${counted.zh}`,
      en: `Request ${requestId} (${day}) ${what.en} ${counted.en}`,
    };
    return { ...NOT_RECORDED, ...about, state: inProgress ? "in_progress" : "unfinished", text };
  }
  const { atMs, code, reason, symbol, tradedate, rows } = outcome;
  const at = beijingTimestamp(atMs);
  const text = {
    zh: `请求 ${requestId}（北京时间 ${at}）返回 ${code}（${reason}）：${symbol}，${tradedate}，${rows} 行。${counted.zh}`,
    en: `Request ${requestId} (${at}, Beijing time) was answered with ${code} (${reason}): ${symbol}, ${tradedate}, ${rows} rows. ${counted.en}`,
  };
  return { ...about, state: code === 200 ? "served" : "refused", at, code, reason, text };
}

function unknown(requestId: string): wire.ExplainedRequest {
  const caller = { accountId: null, keyId: null, interface: null };
  const text = {
    zh: `没有找到请求 ${requestId} 的记录：编号有误，或记录已过期。`,
    en: `Request ${requestId} is unknown: the id is wrong, or the request is older than 14 days.`,
  };
  return { requestId, state: "unknown", ...caller, ...NOT_RECORDED, charged: false, text };
}

/**
 * Names the caller for whom the request is evaluated, by a key, a key id or an account. If all are absent, the key in
 * the request is used.
 */
type Asker = Pick<z.output<typeof wire.explainSchema>, "key" | "keyId" | "account">;

/** Evaluates the request in the body as if it were made now, without counting or changing anything. */
const explainRequest = reading([bodyOf(wire.explainSchema)], async (c, { request, ...asker }) => {
  const judged = new Judged();
  const decoded = await readBody(new Request("https://explain/", { method: "POST", body: request }));
  if (!decoded.ok) return ok(judged.end(judged.refuse(1, "body", decoded.refusal), "json"));
  const format: AnswerFormat = wantsParquet(decoded.value) ? "parquet" : "json";
  // When the caller is named separately, the request need not contain a key.
  const named = { ...decoded.value, ...stoodIn(decoded.value.apikey, asker) };
  const envelope = parseEnvelope(named, PARAMS_OPTIONAL);
  if (!envelope.ok) return ok(judged.end(judged.refuse(1, "body", envelope.refusal), format));
  judged.pass(1, "body", "a JSON object with apiname, apikey and params");
  return ok(judged.end(await judge(c, envelope.value, asker, judged), format));
});

function stoodIn(apikey: unknown, { key, keyId, account }: Asker): { apikey?: string } {
  if (key !== undefined) return { apikey: key };
  return apikey === undefined && (keyId ?? account) !== undefined ? { apikey: "" } : {};
}

/** Evaluates a request from step 2 on, and records each step in `judged`. Returns the first refusal, or null. */
async function judge(
  c: AdminContext,
  envelope: Envelope,
  asker: Asker,
  judged: Judged,
): Promise<Denial | null> {
  const named = operationNamed(envelope.apiname);
  if (!named.ok) return judged.refuse(2, "apiname", named.refusal);
  const operation = named.value;
  judged.pass(2, "apiname", operation.apiname);

  const scope = scopeOf(c);
  const found = await principalFor(c, envelope, asker, scope.nowMs);
  if (!found.ok) return judged.refuse(3, "key", found.refusal);
  const principal = found.value;
  judged.asker = principal;
  judged.pass(3, "key", `account ${principal.accountId}${principal.keyId ? `, key ${principal.keyId}` : ""}`);
  const detail = "checking the rate would count a request";
  judged.steps.push({ step: 4, about: "rate", result: "not_judged", detail });

  const prepared = operation.prepare(envelope, scope);
  if (!prepared.ok) return judged.refuse(5, "params", prepared.refusal);
  judged.pass(5, "params", JSON.stringify(envelope.params));
  for (const { step, about, denial, detail } of await stepsOf(prepared.value, { ...scope, principal })) {
    if (denial !== null) return judged.refuse(step, about, denial, detail);
    judged.pass(step, about, detail);
  }
  return null;
}

/**
 * Returns the steps from the operation's `explain`. An operation without `explain` only reads, so it is run, and its
 * refusal becomes a step.
 */
async function stepsOf(prepared: Prepared, scope: Scope & { principal: Principal }): Promise<Step[]> {
  let denial: Denial | null = null;
  const call: Call = {
    ...scope,
    read: () => scope.env.DB.batch(prepared.reads),
    refuse: (refusal) => {
      denial = refusal;
      return new Response();
    },
  };
  if (prepared.explain !== undefined) return prepared.explain(call);
  await prepared.run(call);
  const detail = denial === null ? "nothing is counted" : "";
  return [{ step: 6, about: "plan and window", denial, detail }];
}

function scopeOf(c: AdminContext): Scope {
  const settings = settingsOf(c.env);
  const requestId = newRequestId();
  return {
    env: c.env,
    settings,
    ctx: { waitUntil: () => undefined },
    requestId,
    origin: new URL(c.req.url).origin,
    nowMs: nowMs(settings),
    signal: new AbortController().signal,
    log: openRequestLog(requestId, { writeLine: () => undefined }),
  };
}

async function principalFor(
  { env }: AdminContext,
  { apikey }: Envelope,
  { keyId, account }: Asker,
  at: number,
): Promise<Result<Principal, AccessDenial>> {
  if (keyId === undefined && account === undefined) return (await identify(env.DB, apikey, at, [])).caller;
  const key = keyId === undefined ? null : await findKey(env.DB, keyId);
  if (keyId !== undefined && key === null) return refused({ reason: "key_unknown" });
  const ended = [key?.revokedAtMs, key?.expiresAtMs].some((ms) => typeof ms === "number" && ms <= at);
  if (ended) return refused({ reason: "key_revoked" });
  const principal = await principalOfAccount(env.DB, key?.accountId ?? account ?? "");
  if (principal === null) return refused({ reason: "key_unknown" });
  return principal.disabled
    ? refused({ reason: "account_disabled" })
    : ok({ ...principal, keyId: keyId ?? "" });
}

/** Collects the evaluated steps, and makes the explanation from them. */
class Judged {
  readonly steps: wire.ExplainedStep[] = [];
  asker: Principal | null = null;

  pass(step: number, about: string, detail: string): void {
    this.steps.push({ step, about, result: "passed", detail });
  }

  refuse(step: number, about: string, denial: Denial, detail = ""): Denial {
    const { message } = outcomeOf(denial);
    this.steps.push({ step, about, result: "refused", detail: detail === "" ? message.en : detail });
    return denial;
  }

  /** Returns the explanation of a request that was refused with `denial`; null when it would be served. */
  end(denial: Denial | null, format: AnswerFormat): wire.Explanation {
    const asker = { accountId: this.asker?.accountId ?? null, keyId: this.asker?.keyId || null };
    const { steps } = this;
    if (denial === null) {
      const message = { zh: "会正常返回数据。", en: "It would be served." };
      return { ...asker, steps, code: 200, reason: "success", httpStatus: 200, message };
    }
    const { code, reason, status, message } = outcomeOf(denial);
    return { ...asker, steps, code, reason, httpStatus: status[format], message };
  }
}

export const EXPLAIN_ROUTES: Routes = {
  "GET /explain/:requestId": ["read", explainId],
  "POST /explain": ["read", explainRequest],
};
