/**
 * The page of the holder's own keys: shows, creates, rolls and revokes them. Keys of other accounts are not accessible.
 */

import { firstCharacters, generateKey, hashKey } from "../access/key.ts";
import { randomBase62 } from "../base/base62.ts";
import { beijingTimestamp } from "../calendar/beijing.ts";
import { type ApiKey, addKey, findKey, keysOfAccount, revokeKey, rollKey } from "../catalog/keys.ts";
import { instantText, momentText } from "../pages/figures.ts";
import { byHolder, type Desk, html } from "./desk.tsx";
import { Act, Card, Copied, type Fact, FormToken, type Holder, Layout, Notice } from "./layout.tsx";
import type { Messages, Problem } from "./messages.ts";

/** Returns whether the key is in force at `nowMs`. */
function isInForce(key: ApiKey, nowMs: number): boolean {
  return key.revokedAtMs === null && (key.expiresAtMs === null || key.expiresAtMs > nowMs);
}

interface Shown {
  /** A new key, shown only in this answer. */
  fresh?: string;
  problem?: Problem;
  /** Whether a key has been revoked. */
  revoked?: true;
}

/** Returns the page with the account's keys and the outcome of a form. */
async function page({ c, env, nowMs, reader, who }: Desk, { fresh, problem, revoked }: Shown, status = 200) {
  const keys = await keysOfAccount(env.DB, who.principal.accountId);
  const { account, messages } = reader;
  const live = keys.filter((key) => isInForce(key, nowMs));
  const over = keys.filter((key) => !isInForce(key, nowMs));
  const shown = (
    <Layout reader={reader} title={messages.pages.keys} page="keys">
      <p class="lead">{messages.keysLead}</p>
      {problem ? <Notice kind="problem" text={messages.problems[problem]} /> : null}
      {revoked ? <Notice kind="done" text={messages.revoked} /> : null}
      {fresh === undefined ? null : <FreshKey apikey={fresh} messages={messages} />}
      {live.length === 0 ? (
        <p>{messages.noKeys}</p>
      ) : (
        <ul class="cards">
          {live.map((key) => (
            <LiveKey apiKey={key} reader={reader} />
          ))}
        </ul>
      )}
      <section class="card new-key" aria-labelledby="new">
        <h2 id="new">{messages.keyCreate}</h2>
        <form method="post" action="/console/keys" class="row">
          <FormToken account={account} />
          <label for="name">{messages.keyName}</label>
          <input id="name" name="name" maxlength={60} placeholder={messages.keyNameHint} autocomplete="off" />
          <button type="submit" class="primary">
            {messages.keyCreateButton}
          </button>
        </form>
      </section>
      {over.length === 0 ? null : <OverKeys keys={over} messages={messages} />}
      <p class="quiet">{messages.beijing}</p>
    </Layout>
  );
  return html(c, shown, status);
}

function FreshKey({ apikey, messages }: { apikey: string; messages: Messages }) {
  return (
    <section class="card fresh" role="status">
      <h2>{messages.keyNew}</h2>
      <p>
        <Copied id="fresh" kind="secret" text={apikey} messages={messages} />
      </p>
      <p class="warn">{messages.keyNewNote}</p>
      <p>
        {messages.keyNewUse} <code>export EDGETAPE_KEY=…</code>.{" "}
        <a href="/console/try">{messages.keyNewTry}</a>.
      </p>
    </section>
  );
}

/** Returns how a key begins, which identifies it without revealing it. */
function beginOf({ firstCharacters }: ApiKey, messages: Messages): string {
  return firstCharacters === "" ? messages.keyHashed : `${firstCharacters}…`;
}

function LiveKey({ apiKey: key, reader: { account, messages } }: { apiKey: ApiKey; reader: Holder }) {
  const begins = beginOf(key, messages);
  const ends =
    key.expiresAtMs === null ? messages.keyInForce : messages.keyUntil(instantText(key.expiresAtMs));
  const facts: Fact[] = [
    { label: messages.keyBegins, value: <code>{begins}</code> },
    { label: messages.created, value: instantText(key.createdAtMs) },
    {
      label: messages.keyLastUse,
      value: key.lastUsedAtMs === null ? messages.never : instantText(key.lastUsedAtMs),
    },
    { label: messages.state, value: ends },
  ];
  const action = `/console/keys/${key.keyId}`;
  return (
    <Card name={key.name === "" ? begins : key.name} facts={facts}>
      {key.expiresAtMs === null ? (
        <Act
          summary={messages.roll}
          action={`${action}/roll`}
          button={messages.rollButton}
          kind="primary"
          account={account}
        >
          <label>
            {messages.rollNote}{" "}
            <select name="hours">
              {(["24", "1", "168", "0"] as const).map((hours) => (
                <option value={hours}>{messages.rollSpans[hours]}</option>
              ))}
            </select>
          </label>
        </Act>
      ) : null}
      <Act
        summary={messages.revoke}
        action={`${action}/revoke`}
        button={messages.revokeButton}
        kind="danger"
        account={account}
      >
        <p>{messages.revokeNote}</p>
      </Act>
    </Card>
  );
}

function OverKeys({ keys, messages }: { keys: readonly ApiKey[]; messages: Messages }) {
  return (
    <details class="over">
      <summary>{messages.olderKeys(keys.length)}</summary>
      <ul>
        {keys.toReversed().map((key) => (
          <li>
            {key.name === "" ? null : `${key.name} · `}
            <code>{beginOf(key, messages)}</code> ·{" "}
            {messages.keyOver(momentText(beijingTimestamp(key.revokedAtMs ?? key.expiresAtMs ?? 0)))}
          </li>
        ))}
      </ul>
    </details>
  );
}

/** The maximum number of keys in force per account, so that a script cannot fill the table. */
const MAX_KEYS = 50;
const MAX_NAME = 60;
const HOUR_MS = 3_600_000;

/** The offered times, in hours, for which the old key stays valid after a roll; at most 7 days. */
const OVERLAPS = ["0", "1", "24", "168"];

/** Serves the Keys page. */
export function showKeys(desk: Desk): Promise<Response> {
  return page(desk, {});
}

/** Creates a key and shows it only in this answer. */
export async function createKey(desk: Desk, form: URLSearchParams): Promise<Response> {
  const { env } = desk;
  const { accountId } = desk.who.principal;
  const { fresh, key } = await freshKey();
  const stored = { ...fresh, accountId, name: nameIn(form), expiresAtMs: null };
  const added = await addKey(env.DB, stored, byHolder(desk), MAX_KEYS);
  return added ? page(desk, { fresh: key }, 201) : page(desk, { problem: "keys_full" }, 409);
}

/** Creates a key that replaces an existing key, which stays valid for the chosen overlap. */
export async function roll(desk: Desk, form: URLSearchParams): Promise<Response> {
  const old = await ownKey(desk);
  const hours = form.get("hours") ?? "";
  if (old === null || !OVERLAPS.includes(hours)) return page(desk, { problem: "key_gone" }, 404);
  const { fresh, key } = await freshKey();
  const oldExpiresAtMs = desk.nowMs + Number(hours) * HOUR_MS;
  const change = { fresh, oldExpiresAtMs, most: MAX_KEYS };
  if (await rollKey(desk.env.DB, old, change, byHolder(desk))) return page(desk, { fresh: key }, 201);
  return page(desk, { problem: (await ownKey(desk)) === null ? "key_gone" : "keys_full" }, 409);
}

/** Revokes a key immediately. */
export async function revoke(desk: Desk): Promise<Response> {
  const key = await ownKey(desk);
  if (key === null) return page(desk, { problem: "key_gone" }, 404);
  await revokeKey(desk.env.DB, key.keyId, byHolder(desk));
  return page(desk, { revoked: true });
}

/** Returns the key named in the path if it belongs to the holder and is in force, else null. */
async function ownKey({ c, env, who, nowMs }: Desk): Promise<ApiKey | null> {
  const key = await findKey(env.DB, c.req.param("keyId") ?? "");
  return key !== null && key.accountId === who.principal.accountId && isInForce(key, nowMs) ? key : null;
}

async function freshKey() {
  const key = generateKey();
  const keyId = `key_${randomBase62(12)}`;
  return { key, fresh: { keyId, sha256: await hashKey(key), firstCharacters: firstCharacters(key) } };
}

/** Returns the name in the form, shortened and without control characters. */
function nameIn(form: URLSearchParams): string {
  return (form.get("name") ?? "")
    .replaceAll(/\p{C}+/gu, " ")
    .trim()
    .slice(0, MAX_NAME);
}
