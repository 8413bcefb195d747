/** Support for tests of the console: sample days, sessions, and requests with a session. */

import type { Invite } from "../../src/admin/wire.ts";
import type { BeijingDate } from "../../src/calendar/beijing.ts";
import { sampleSections } from "../../src/pack-builder/sample/day.ts";
import { type Answer, call } from "./http-client.ts";
import { asOperator, publishPack } from "./operator.ts";
import { buildPackBytes } from "./pack-bytes.ts";
import type { Service } from "./service.ts";

/** Publishes a sample day of `rows` orders that resemble real ones. */
export async function publishSample(service: Service, tradedate: string, rows: number): Promise<void> {
  const sections = [...sampleSections({ tradedate: tradedate as BeijingDate, rows })];
  await publishPack(service, tradedate, await buildPackBytes(tradedate as BeijingDate, sections));
}

/** Returns a one-time link that signs in to the console of the account. */
export async function inviteTo(service: Service, accountId: string): Promise<string> {
  const path = `/admin/accounts/${encodeURIComponent(accountId)}/invites`;
  return (await asOperator<Invite>(service, "POST", path, {})).url;
}

/** A key holder who is signed in without a browser. */
export interface Holder {
  cookie: string;
  /** The token in the session's forms. */
  formToken: string;
  /** Sends a request to the console with the session; `form` is posted with the session's token. */
  ask(
    method: string,
    path: string,
    form?: Record<string, string>,
    headers?: Record<string, string>,
  ): Promise<Answer>;
}

/** Returns the headers that a browser sends with a form of the service's own pages. */
export function ownForm(service: Service): Record<string, string> {
  return { origin: service.baseUrl, "content-type": "application/x-www-form-urlencoded" };
}

/** Signs in to the account's console through a new link. */
export async function signIn(service: Service, accountId: string): Promise<Holder> {
  const accepted = await call(await inviteTo(service, accountId), {
    method: "POST",
    headers: ownForm(service),
  });
  const cookie = String(accepted.headers["set-cookie"]).split(";")[0] ?? "";
  if (accepted.status !== 303) throw new Error(`no session: HTTP ${accepted.status} ${accepted.text}`);
  const page = await call(`${service.baseUrl}/console/`, { method: "GET", headers: { cookie } });
  const formToken = /name="form" value="([0-9a-f]{64})"/.exec(page.text)?.[1] ?? "";
  return {
    cookie,
    formToken,
    ask(method, path, form, more = {}) {
      const headers = { cookie, ...(form === undefined ? {} : ownForm(service)), ...more };
      const body =
        form === undefined ? undefined : new URLSearchParams({ form: formToken, ...form }).toString();
      return call(`${service.baseUrl}${path}`, { method, headers, body });
    },
  };
}
