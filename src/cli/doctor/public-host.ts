/**
 * Checks that script clients reach the worker at the public host. Cloudflare's services in front of the worker can
 * refuse or redirect requests, which the worker then never receives.
 */
import type * as wire from "../../admin/wire.ts";
import { ask, envelopeOf, headerOf, type Reply } from "../acceptance/probe.ts";

/** User agents of common clients. */
const USER_AGENTS = {
  urllib: "Python-urllib/3.12",
  curl: "curl/8.5.0",
  wget: "Wget/1.21.4",
  aria2: "aria2/1.37.0",
  rclone: "rclone/v1.66.0",
} as const;

const ZONE_ADVICE =
  "In the Cloudflare zone, switch off Browser Integrity Check (by a configuration rule for this host), Bot Fight Mode and challenges.";
const HTTP_ADVICE = "In the Cloudflare zone, switch off Always Use HTTPS and HSTS.";

/** Checks requests of each kind of client at `baseUrl`, and a POST over plain HTTP. */
export async function checkPublicHost(baseUrl: string): Promise<wire.Finding[]> {
  return [...(await checkClients(baseUrl)), ...(await checkPlainHttp(baseUrl))];
}

/** Checks requests of each kind of client at `/api` and at shares. */
export async function checkClients(baseUrl: string): Promise<wire.Finding[]> {
  const findings: wire.Finding[] = [];
  for (const [client, agent] of Object.entries(USER_AGENTS))
    findings.push(...(await checkClient(baseUrl, client, agent)));
  return findings;
}

function finding(subject: string, level: wire.Finding["level"], sentence: string, advice: string) {
  return { check: "host", level, subject, sentence, advice };
}

/** Returns null if the service itself answered the POST of `{}` to `/api`, else a clause that says what happened. */
function strangeAnswer({ status, headers, bytes }: Reply): string | null {
  if (status >= 300 && status < 400) return `is redirected to ${headerOf(headers, "location")}`;
  const isOurs = headerOf(headers, "x-request-id") !== null && envelopeOf(bytes)?.code === 422;
  return isOurs && status === 200 ? null : `gets HTTP ${status}, not from the service`;
}

async function checkClient(baseUrl: string, client: string, agent: string): Promise<wire.Finding[]> {
  const headers = { "User-Agent": agent };
  const findings: wire.Finding[] = [];
  const add = (what: string, problem: string) =>
    findings.push(
      finding(client, "failed", `${client} (${agent}) at ${baseUrl}${what} ${problem}.`, ZONE_ADVICE),
    );
  try {
    const api = strangeAnswer(await ask(`${baseUrl}/api`, { method: "POST", headers, json: {} }));
    if (api !== null) add("/api", api);
    // Without a password, the answer is the same whether or not the share exists.
    const share = await ask(`${baseUrl}/s/doctor/`, { headers });
    if (share.status !== 401 || headerOf(share.headers, "www-authenticate") === null) {
      add("/s/", `gets HTTP ${share.status} instead of a request for the password`);
    }
  } catch (error) {
    add("", `got ${error instanceof Error ? error.message : String(error)}`);
  }
  return findings;
}

/** Checks plain HTTP, which existing clients use by default. A redirected POST would arrive as a GET. */
export async function checkPlainHttp(baseUrl: string): Promise<wire.Finding[]> {
  if (!baseUrl.startsWith("https:")) return [];
  const { host, hostname } = new URL(baseUrl);
  const url = `http://${hostname}/api`;
  let reply: Reply;
  try {
    reply = await ask(url, { method: "POST", json: {} });
  } catch {
    const sentence = `${url} does not answer, so callers that use plain HTTP get no answer.`;
    return [finding(host, "warning", sentence, "Let the host answer on port 80 too, if such callers exist.")];
  }
  const strange = strangeAnswer(reply);
  if (strange !== null) return [finding(host, "failed", `A POST to ${url} ${strange}.`, HTTP_ADVICE)];
  if (headerOf(reply.headers, "strict-transport-security") === null) return [];
  return [finding(host, "warning", `${host} sends Strict-Transport-Security.`, HTTP_ADVICE)];
}
