/** `POST /admin/explain`: how a request would be answered now, step by step of contract 2.1. */
import { identify } from "../access/identify.ts";
import { principalOfAccount } from "../catalog/key-holder.ts";
import { findKey } from "../catalog/keys.ts";
import type { AccessDenial } from "../entitlement/denial.ts";
import type { Principal } from "../entitlement/principal.ts";
import { nowMs, settingsOf } from "../env.ts";
import type { Denial } from "../http/denial.ts";
import { type Envelope, parseEnvelope, readBody } from "../http/envelope.ts";
import { type AnswerFormat, outcomeOf } from "../http/outcome.ts";
import { newRequestId } from "../http/request-id.ts";
import { openRequestLog } from "../http/request-log.ts";
import type { Call, Prepared, Scope, Step } from "../operations/operation.ts";
import { PARAMS_OPTIONAL } from "../operations/registry.ts";
import { operationNamed } from "../operations/serve-api.ts";
import { wantsParquet } from "../orders/query.ts";
import { type AdminContext, bodyOf, isRefusal } from "./exchange.ts";
import type { AdminRefusal } from "./refusal.ts";
import { type ExplainedStep, type Explanation, explainSchema } from "./wire.ts";

/** Who is taken to ask: a key, one by its id, or an account. */
interface Asker {
  key?: string | undefined;
  keyId?: string | undefined;
  account?: string | undefined;
}

/** Judges the request of the body as if it were made now; nothing is counted, taken or made. */
export async function explainRequest(c: AdminContext): Promise<Explanation | AdminRefusal> {
  const body = await bodyOf(c, explainSchema);
  if (isRefusal(body)) return body;
  const { request, ...asker } = body;
  const judged = new Judged();
  const decoded = await readBody(new Request("https://explain/", { method: "POST", body: request }));
  if ("reason" in decoded) return judged.end(1, "body", decoded, "json");
  const format: AnswerFormat = wantsParquet(decoded.body) ? "parquet" : "json";
  // Who asks is said beside the request: there it need not carry the key that it will be sent with.
  const envelope = parseEnvelope(
    { body: { ...decoded.body, ...stoodIn(decoded.body.apikey, asker) } },
    PARAMS_OPTIONAL,
  );
  if ("reason" in envelope) return judged.end(1, "body", envelope, format);
  judged.pass(1, "body", "a JSON object with apiname, apikey and params");

  const denial = await judge(c, envelope, asker, judged);
  return judged.end(null, "", denial, format);
}

function stoodIn(apikey: unknown, { key, keyId, account }: Asker): { apikey?: string } {
  if (key !== undefined) return { apikey: key };
  return apikey === undefined && (keyId ?? account) !== undefined ? { apikey: "" } : {};
}

/** Steps 2 and on; returns the first refusal, noted already, or null. */
async function judge(
  c: AdminContext,
  envelope: Envelope,
  asker: Asker,
  judged: Judged,
): Promise<Denial | null> {
  const operation = operationNamed(envelope.apiname);
  if ("reason" in operation) return judged.refuse(2, "apiname", operation);
  judged.pass(2, "apiname", operation.apiname);

  const scope = scopeOf(c);
  const principal = await principalFor(c, envelope, asker, scope.nowMs);
  if ("reason" in principal) return judged.refuse(3, "key", principal);
  judged.asker = principal;
  judged.pass(3, "key", `account ${principal.accountId}${principal.keyId ? `, key ${principal.keyId}` : ""}`);
  judged.steps.push({
    step: 4,
    about: "rate",
    result: "not_judged",
    detail: "asking the platform would count a request",
  });

  const prepared = await operation.prepare(envelope, scope);
  if ("reason" in prepared) return judged.refuse(5, "params", prepared);
  judged.pass(5, "params", JSON.stringify(envelope.params));
  for (const { step, about, denial, detail } of await stepsOf(prepared, { ...scope, principal })) {
    if (denial !== null) return judged.refuse(step, about, denial, detail);
    judged.pass(step, about, detail);
  }
  return null;
}

/** An operation that only reads is simply run, with its refusal caught. */
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
    log: openRequestLog(requestId, () => undefined),
  };
}

async function principalFor(
  { env }: AdminContext,
  { apikey }: Envelope,
  { keyId, account }: Asker,
  at: number,
): Promise<Principal | AccessDenial> {
  if (keyId === undefined && account === undefined) return (await identify(env.DB, apikey, at, [])).caller;
  const key = keyId === undefined ? null : await findKey(env.DB, keyId);
  if (keyId !== undefined && key === null) return { reason: "key_unknown" };
  const ended = [key?.revokedAtMs, key?.expiresAtMs].some((ms) => typeof ms === "number" && ms <= at);
  if (ended) return { reason: "key_revoked" };
  const principal = await principalOfAccount(env.DB, key?.accountId ?? account ?? "");
  if (principal === null) return { reason: "key_unknown" };
  return principal.disabled ? { reason: "account_disabled" } : { ...principal, keyId: keyId ?? "" };
}

/** The steps so far, and what they come to. */
class Judged {
  readonly steps: ExplainedStep[] = [];
  asker: Principal | null = null;

  pass(step: number, about: string, detail: string): void {
    this.steps.push({ step, about, result: "passed", detail });
  }

  refuse(step: number, about: string, denial: Denial, detail = ""): Denial {
    const { words } = outcomeOf(denial);
    this.steps.push({ step, about, result: "refused", detail: detail === "" ? words.en : detail });
    return denial;
  }

  /** The explanation; a `denial` of step `step` is noted first. */
  end(step: number | null, about: string, denial: Denial | null, format: AnswerFormat): Explanation {
    if (step !== null && denial !== null) this.refuse(step, about, denial);
    const asker = { accountId: this.asker?.accountId ?? null, keyId: this.asker?.keyId || null };
    const { steps } = this;
    if (denial === null) {
      const message = { zh: "会正常返回数据。", en: "It would be served." };
      return { ...asker, steps, code: 200, reason: "success", httpStatus: 200, message };
    }
    const { code, reason, status, words } = outcomeOf(denial);
    return { ...asker, steps, code, reason, httpStatus: status[format], message: words };
  }
}
