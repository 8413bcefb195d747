/** How a request for a share would go now; no share is made. */
import { coverageOf } from "../../catalog/files.ts";
import { entitleShare } from "../../entitlement/entitle.ts";
import type { Call, Step } from "../operation.ts";
import type { ShareQuery } from "./share-query.ts";

/** Steps 6 and 7 of contract 2.1, up to the first refusal. There is no slot and no quota. */
export async function explainShare(call: Call, { dataType, year }: ShareQuery): Promise<Step[]> {
  const { principal, nowMs, env } = call;
  const grant = entitleShare(principal, { service: dataType, year }, nowMs);
  if (!grant.ok) return [{ step: 6, about: "plan and window", denial: grant.refusal, detail: "" }];
  const { from, to, plan } = grant.value;
  const covers = `the ${plan} plan covers ${from} to ${to} of ${year}`;
  const { fileCount, sizeBytes } = await coverageOf(env.DB, { dataType, from, to });
  const denial = fileCount === 0 ? ({ reason: "nothing_published", dataType, year } as const) : null;
  return [
    { step: 6, about: "plan and window", denial: null, detail: covers },
    { step: 7, about: "data", denial, detail: `${fileCount} published files of ${sizeBytes} bytes` },
  ];
}
