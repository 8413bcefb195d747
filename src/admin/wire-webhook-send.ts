/** Sends a notice to a webhook, with a few tries: the network to a chat robot fails now and then. */
import { type Notice, type Webhook, webhookProblem, webhookRequest } from "./wire-webhook.ts";

const PATIENCE_MS = 10_000;
/** Waits before the second and the third try. */
const RETRY_WAITS_MS = [1_000, 5_000];

export interface Sending {
  fetch?: typeof fetch;
  nowMs?: () => number;
  wait?: (ms: number) => Promise<void>;
}

/**
 * Posts `notice`; null when the receiver took it, else why not, as a clause that never contains the address.
 * Never throws.
 */
export async function sendNotice(
  webhook: Webhook,
  notice: Notice,
  { fetch: fetchWith = fetch, nowMs = Date.now, wait = pause }: Sending = {},
): Promise<string | null> {
  for (let attempt = 0; ; attempt++) {
    const problem = await post(webhook, notice, fetchWith, nowMs());
    const waitMs = RETRY_WAITS_MS[attempt];
    if (problem === null || waitMs === undefined) return problem;
    await wait(waitMs);
  }
}

async function post(
  webhook: Webhook,
  notice: Notice,
  fetchWith: typeof fetch,
  nowMs: number,
): Promise<string | null> {
  try {
    const { url, body } = await webhookRequest(webhook, notice, nowMs);
    const answer = await fetchWith(url, {
      method: "POST",
      headers: { "Content-Type": "application/json; charset=utf-8", "User-Agent": "edgetape" },
      body,
      redirect: "manual",
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    return webhookProblem(webhook.kind, answer.status, await answer.text());
  } catch (error) {
    // The error's own words may repeat the address, and with it the robot's key.
    const late = error instanceof Error && error.name === "TimeoutError";
    if (late) return `it did not answer within ${PATIENCE_MS / 1000} s`;
    const code = error instanceof Error ? (error.cause as { code?: unknown } | undefined)?.code : undefined;
    return typeof code === "string" ? `it cannot be reached (${code})` : "it cannot be reached";
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
