/** What an account has used today, as its own key is told. */
import type { AccountInfo, Quota } from "../../src/operations/wire.ts";
import type { Service } from "./service.ts";

/** The counters of order history and whether its slot is taken; asking charges nothing and needs no slot. */
export async function quotaOf(service: Service, apikey: string): Promise<Quota> {
  const answer = await service.post({ apiname: "account_info", apikey, params: {} });
  const [quota] = (answer.envelope.data as unknown as AccountInfo).quotas;
  if (quota === undefined) throw new Error(answer.text);
  return quota;
}
