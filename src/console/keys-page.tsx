/** Keys: those in force with what can be done to them, a form for a new one, those that are over. */
import { beijingTimestamp } from "../calendar/beijing.ts";
import type { ApiKey } from "../catalog/keys.ts";
import { instantText } from "../shares/page/figures.ts";
import { Act, Card, type Fact } from "./cards.tsx";
import { documentOf, FormToken, Layout, Notice, type Reader } from "./layout.tsx";
import { momentText } from "./texts.ts";
import { type Problem, WORDS, type Words } from "./words.ts";

export interface KeysFacts {
  reader: Reader & { account: NonNullable<Reader["account"]> };
  keys: readonly ApiKey[];
  nowMs: number;
  /** A key that was just made: shown in this one answer only. */
  fresh: string | null;
  said: { problem: Problem } | { done: "revoked" } | null;
}

/** Whether the key opens anything at `nowMs`. */
export function isInForce(key: ApiKey, nowMs: number): boolean {
  return key.revokedAtMs === null && (key.expiresAtMs === null || key.expiresAtMs > nowMs);
}

/** The page as HTML. */
export function keysPage({ reader, keys, nowMs, fresh, said }: KeysFacts): string {
  const words = WORDS[reader.language];
  const live = keys.filter((key) => isInForce(key, nowMs));
  const over = keys.filter((key) => !isInForce(key, nowMs));
  return documentOf(
    <Layout reader={reader} title={words.pages.keys} page="keys">
      <h1>{words.pages.keys}</h1>
      <p class="lead">{words.keysLead}</p>
      {said === null ? null : "problem" in said ? (
        <Notice kind="problem" text={words.problems[said.problem]} />
      ) : (
        <Notice kind="done" text={words[said.done]} />
      )}
      {fresh === null ? null : <FreshKey apikey={fresh} words={words} />}
      {live.length === 0 ? (
        <p>{words.noKeys}</p>
      ) : (
        <ul class="cards">
          {live.map((key) => (
            <LiveKey apiKey={key} account={reader.account} words={words} />
          ))}
        </ul>
      )}
      <section class="card new-key" aria-labelledby="new">
        <h2 id="new">{words.keyCreate}</h2>
        <form method="post" action="/console/keys" class="row">
          <FormToken account={reader.account} />
          <label for="name">{words.keyName}</label>
          <input id="name" name="name" maxlength={60} placeholder={words.keyNameHint} autocomplete="off" />
          <button type="submit" class="primary">
            {words.keyCreateButton}
          </button>
        </form>
      </section>
      {over.length === 0 ? null : <OverKeys keys={over} words={words} />}
      <p class="quiet">{words.beijing}</p>
    </Layout>,
  );
}

function FreshKey({ apikey, words }: { apikey: string; words: Words }) {
  return (
    <section class="card fresh" role="status">
      <h2>{words.keyNew}</h2>
      <p>
        <code id="fresh" class="secret">
          {apikey}
        </code>{" "}
        <button type="button" data-copy="fresh" data-done={words.copied} hidden>
          {words.copy}
        </button>
      </p>
      <p class="warn">{words.keyNewNote}</p>
      <p>
        {words.keyNewUse} <code>export EDGETAPE_KEY=…</code>. <a href="/console/try">{words.keyNewTry}</a>.
      </p>
    </section>
  );
}

interface LiveKeyProps {
  apiKey: ApiKey;
  account: { formToken: string };
  words: Words;
}

function LiveKey({ apiKey: key, account, words }: LiveKeyProps) {
  const begins = key.firstCharacters === "" ? words.keyHashed : `${key.firstCharacters}…`;
  const ends = key.expiresAtMs === null ? words.keyInForce : words.keyUntil(instantText(key.expiresAtMs));
  const facts: Fact[] = [
    { label: words.keyBegins, value: <code>{begins}</code> },
    { label: words.keyCreated, value: instantText(key.createdAtMs) },
    {
      label: words.keyLastUse,
      value: key.lastUsedAtMs === null ? words.never : instantText(key.lastUsedAtMs),
    },
    { label: words.keyState, value: ends },
  ];
  const action = `/console/keys/${key.keyId}`;
  return (
    <Card name={key.name === "" ? begins : key.name} facts={facts}>
      {key.expiresAtMs === null ? (
        <Act
          summary={words.roll}
          action={`${action}/roll`}
          button={words.rollButton}
          kind="primary"
          account={account}
        >
          <label>
            {words.rollNote}{" "}
            <select name="hours">
              {(["24", "1", "168", "0"] as const).map((hours) => (
                <option value={hours}>{words.rollSpans[hours]}</option>
              ))}
            </select>
          </label>
        </Act>
      ) : null}
      <Act
        summary={words.revoke}
        action={`${action}/revoke`}
        button={words.revokeButton}
        kind="danger"
        account={account}
      >
        <p>{words.revokeNote}</p>
      </Act>
    </Card>
  );
}

function OverKeys({ keys, words }: { keys: readonly ApiKey[]; words: Words }) {
  const newestFirst = [...keys].reverse();
  return (
    <details class="over">
      <summary>{words.olderKeys(keys.length)}</summary>
      <ul>
        {newestFirst.map((key) => (
          <li>
            {key.name === "" ? null : `${key.name} · `}
            <code>{key.firstCharacters === "" ? words.keyHashed : `${key.firstCharacters}…`}</code> ·{" "}
            {words.keyOver(momentText(beijingTimestamp(key.revokedAtMs ?? key.expiresAtMs ?? 0)))}
          </li>
        ))}
      </ul>
    </details>
  );
}
