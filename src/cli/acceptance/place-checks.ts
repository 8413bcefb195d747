/**
 * Checks where the worker runs and what the platform provides there. `[placement]` in `wrangler.toml` can change both.
 * The worker reports this through the admin API, so the checks need an operator's token.
 */
import * as wire from "../../admin/wire.ts";
import { type Check, failed, type Outcome, ok, skipped } from "./check.ts";
import { ask, headerOf, type Reply } from "./probe.ts";

/** An address from a range reserved for documentation. */
const FORGED_ADDRESS = "203.0.113.77";

const NO_TOKEN = "needs an operator's token with scope read in EDGETAPE_TOKEN";

/** Returns the checks of the worker's location. They are skipped when `token`, the operator's token, is null. */
export function placeChecks(baseUrl: string, token: string | null): Check[] {
  const check = (name: string, says: string, run: typeof address): Check => {
    return { name, says, run: async () => (token === null ? skipped(NO_TOKEN) : run(baseUrl, token)) };
  };
  return [
    check(
      "address",
      "the worker receives the caller's own address, even when the caller claims a different one",
      address,
    ),
    check("cache", "the Cache API stores entries", cache),
    check("place", "where the worker runs, and how long calls to its stores take", place),
  ];
}

async function address(baseUrl: string, token: string): Promise<Outcome> {
  const trace = await ask(`${baseUrl}/cdn-cgi/trace`);
  const own = /^ip=(\S+)$/m.exec(trace.bytes.toString())?.[1];
  if (trace.status !== 200 || own === undefined)
    return skipped("no Cloudflare edge: /cdn-cgi/trace returns no address");
  const told = reportOf(await askPlace(baseUrl, token));
  if (told.address === null)
    return failed(
      "the worker receives no client address, so one caller's wrong passwords lock out all callers",
    );
  if (told.address.includes(":") !== own.includes(":"))
    return skipped(`one request came over IPv4 and one over IPv6 (${told.address}, ${own}); try again`);
  if (told.address !== own)
    return failed(`the worker receives the client address ${told.address}, but the edge sees ${own}`);
  const forged = await askPlace(baseUrl, token, { "CF-Connecting-IP": FORGED_ADDRESS });
  // The edge may also refuse a request with a forged address; that is not a failure.
  if (forged.status === 200 && reportOf(forged).address === FORGED_ADDRESS)
    return failed("the worker receives the forged client address that a caller sends");
  return ok(`${own}, even when the caller claims a different address`);
}

async function cache(baseUrl: string, token: string): Promise<Outcome> {
  return reportOf(await askPlace(baseUrl, token)).cache === "ok"
    ? ok("a stored entry is found again")
    : failed(
        "the cache does not return a stored entry: every file_download reads the coverage of a year from D1",
      );
}

async function place(baseUrl: string, token: string): Promise<Outcome> {
  const reply = await askPlace(baseUrl, token);
  const { d1, gate, r2 } = reportOf(reply).storesMs;
  const placement = headerOf(reply.headers, "cf-placement");
  const reached = /-([A-Z]{3})$/.exec(headerOf(reply.headers, "cf-ray") ?? "")?.[1];
  const where = [
    placement === null ? "no placement" : `placement ${placement}`,
    ...(reached === undefined ? [] : [`reached in ${reached}`]),
  ];
  return ok(`${where.join(", ")}; D1 ${d1} ms, gate ${gate} ms, R2 ${r2} ms away`);
}

function askPlace(baseUrl: string, token: string, headers: Record<string, string> = {}): Promise<Reply> {
  return ask(`${baseUrl}/admin/doctor/place`, { headers: { Authorization: `Bearer ${token}`, ...headers } });
}

function reportOf({ status, bytes }: Reply) {
  if (status !== 200)
    throw new Error(`/admin/doctor/place returned HTTP ${status}: check the operator's token`);
  return wire.placeReportSchema.parse(JSON.parse(bytes.toString()));
}
