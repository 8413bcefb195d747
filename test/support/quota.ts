/** Reads what an account has used today, using the account's key. */
import type { AccountInfo, Quota } from "../../src/operations/wire.ts";
import type { Service } from "./service.ts";

/** Returns the counters of order history and whether its slot is taken. The request is free and needs no slot. */
export async function quotaOf(service: Service, apikey: string): Promise<Quota> {
  const answer = await service.post({ apiname: "account_info", apikey, params: {} });
  const [quota] = (answer.envelope.data as unknown as AccountInfo).quotas;
  if (quota === undefined) throw new Error(answer.text);
  return quota;
}
