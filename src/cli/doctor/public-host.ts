/**
 * The public host as script clients find it. What stands in front of the worker may refuse or redirect them
 * before it runs, and nothing in the service notices.
 */
import type { Finding } from "../../admin/wire.ts";
import { ask, envelopeOf, headerOf, type Reply } from "../acceptance/probe.ts";

/** How common clients name themselves. */
const USER_AGENTS = {
  urllib: "Python-urllib/3.12",
  curl: "curl/8.5.0",
  wget: "Wget/1.21.4",
  aria2: "aria2/1.37.0",
  rclone: "rclone/v1.66.0",
} as const;

const ZONE_ADVICE =
  "In the zone: Browser Integrity Check (by a configuration rule for this host) and Bot Fight Mode off, no challenges.";
const HTTP_ADVICE = "In the zone: Always Use HTTPS and HSTS off.";

/** What clients of each kind meet at `baseUrl`, and those that post over plain HTTP. */
export async function checkPublicHost(baseUrl: string): Promise<Finding[]> {
  return [...(await checkClients(baseUrl)), ...(await checkPlainHttp(baseUrl))];
}

/** What clients of each kind meet at `/api` and at the shares. */
export async function checkClients(baseUrl: string): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [client, agent] of Object.entries(USER_AGENTS))
    findings.push(...(await checkClient(baseUrl, client, agent)));
  return findings;
}

/** Why an answer to `{}` at `/api` is not the service's own, as a clause, or null. */
function strangeAnswer({ status, headers, bytes }: Reply): string | null {
  if (status >= 300 && status < 400) return `is redirected to ${headerOf(headers, "location")}`;
  const isOurs = headerOf(headers, "x-request-id") !== null && envelopeOf(bytes)?.code === 422;
  return isOurs && status === 200 ? null : `gets HTTP ${status}, not from the service`;
}

async function checkClient(baseUrl: string, client: string, agent: string): Promise<Finding[]> {
  const headers = { "User-Agent": agent };
  const findings: Finding[] = [];
  const add = (what: string, problem: string) =>
    findings.push({
      check: "host",
      level: "failed",
      subject: client,
      sentence: `${client} (${agent}) at ${baseUrl}${what} ${problem}.`,
      advice: ZONE_ADVICE,
    });
  try {
    const api = strangeAnswer(await ask(`${baseUrl}/api`, { method: "POST", headers, json: {} }));
    if (api !== null) add("/api", api);
    // Without a password every share answers alike, those that never were too.
    const share = await ask(`${baseUrl}/s/doctor/`, { headers });
    if (share.status !== 401 || headerOf(share.headers, "www-authenticate") === null) {
      add("/s/", `gets HTTP ${share.status} where a password is asked for`);
    }
  } catch (error) {
    add("", `got ${error instanceof Error ? error.message : String(error)}`);
  }
  return findings;
}

/** A POST that is redirected becomes a GET, and the default production lines of the specification are plain HTTP. */
export async function checkPlainHttp(baseUrl: string): Promise<Finding[]> {
  if (!baseUrl.startsWith("https:")) return [];
  const { host, hostname } = new URL(baseUrl);
  const url = `http://${hostname}/api`;
  const finding = (level: Finding["level"], sentence: string, advice: string): Finding => ({
    check: "host",
    level,
    subject: host,
    sentence,
    advice,
  });
  let reply: Reply;
  try {
    reply = await ask(url, { method: "POST", json: {} });
  } catch {
    const sentence = `${url} does not answer: callers of plain HTTP get no answer.`;
    return [finding("warning", sentence, "Let the host answer on port 80 too, if such callers exist.")];
  }
  const strange = strangeAnswer(reply);
  if (strange !== null) return [finding("failed", `A POST to ${url} ${strange}.`, HTTP_ADVICE)];
  if (headerOf(reply.headers, "strict-transport-security") === null) return [];
  return [finding("warning", `${host} sends Strict-Transport-Security.`, HTTP_ADVICE)];
}
