/**
 * `POST /api`: the order of checks, which is also the order of charging (decisions 2). Steps 1 to 5 are
 * here; an operation's `run` does the rest.
 */
import { identify } from "../access/identify.ts";
import { checkRate } from "../access/rate.ts";
import type { Denial } from "../http/denial.ts";
import { parseEnvelope, readBody } from "../http/envelope.ts";
import type { AnswerFacts } from "../http/headers.ts";
import { type Language, preferredLanguage } from "../http/language.ts";
import { type AnswerFormat, outcomeOf } from "../http/outcome.ts";
import { refuse } from "../http/respond.ts";
import { excerptOf } from "../orders/denial.ts";
import { nearestName } from "../orders/nearest-name.ts";
import { wantsParquet } from "../orders/query.ts";
import type { Operation, Scope } from "./operation.ts";
import { OPERATIONS } from "./registry.ts";

/** Serves or refuses one request; throws on a fault only. */
export async function serveApi(request: Request, scope: Scope): Promise<Response> {
  const language = preferredLanguage(request.headers.get("Accept-Language"));
  let refuseWith = refuser(scope, language, "json");

  const decoded = await readBody(request);
  if ("reason" in decoded) return refuseWith(decoded);
  refuseWith = refuser(scope, language, wantsParquet(decoded.body) ? "parquet" : "json");
  const envelope = parseEnvelope(decoded);
  if ("reason" in envelope) return refuseWith(envelope);

  const operation = operationNamed(envelope.apiname);
  if ("reason" in operation) return refuseWith(operation);
  scope.log.note({ interface: operation.apiname });

  // Parameters are judged at step 5; read early, so that a cold key and the day come in one D1 read.
  const prepared = await operation.prepare(envelope, scope);
  const reads = "reason" in prepared ? [] : prepared.reads;

  const { env, settings, log } = scope;
  const { caller, alongside } = await log.stage("d1", () =>
    identify(env.DB, envelope.apikey, scope.nowMs, reads),
  );
  if ("reason" in caller) return refuseWith(caller);
  log.note({ accountId: caller.accountId });

  const tooOften = await checkRate(env.RATE, settings.RATE_LIMIT, caller.accountId);
  if (tooOften !== null) return refuseWith(tooOften);

  if ("reason" in prepared) return refuseWith(prepared);

  return prepared.run({
    ...scope,
    principal: caller,
    read: () => log.stage("d1", alongside),
    refuse: refuseWith,
  });
}

function operationNamed(apiname: string): Operation | Denial {
  const operation = OPERATIONS.get(apiname);
  if (operation !== undefined) return operation;
  const known = [...OPERATIONS.keys()];
  return {
    reason: "apiname_unknown",
    apiname: excerptOf(apiname),
    nearest: nearestName(apiname, known),
    known,
  };
}

function refuser({ requestId, log }: Scope, language: Language, format: AnswerFormat) {
  return (denial: Denial, facts: Omit<AnswerFacts, "requestId" | "reason"> = {}): Response => {
    log.note({ code: outcomeOf(denial).code, reason: denial.reason });
    return refuse(denial, { requestId, language, format }, facts);
  };
}
