/** Keys: those in force with what can be done to them, a form for a new one, those that are over. */
import { beijingTimestamp } from "../calendar/beijing.ts";
import type { ApiKey } from "../catalog/keys.ts";
import { instantText } from "../shares/page/figures.ts";
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
        <ul class="keys">
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
  const name = key.name === "" ? begins : key.name;
  const action = `/console/keys/${key.keyId}`;
  return (
    <li class="card key">
      <div class="key-facts">
        <h2>{name}</h2>
        <dl class="inline">
          <div>
            <dt>{words.keyBegins}</dt>
            <dd>
              <code>{begins}</code>
            </dd>
          </div>
          <div>
            <dt>{words.keyCreated}</dt>
            <dd>{instantText(key.createdAtMs)}</dd>
          </div>
          <div>
            <dt>{words.keyLastUse}</dt>
            <dd>{key.lastUsedAtMs === null ? words.never : instantText(key.lastUsedAtMs)}</dd>
          </div>
          <div>
            <dt>{words.keyState}</dt>
            <dd>
              {key.expiresAtMs === null ? words.keyInForce : words.keyUntil(instantText(key.expiresAtMs))}
            </dd>
          </div>
        </dl>
      </div>
      <div class="key-acts">
        {key.expiresAtMs === null ? <RollForm action={action} account={account} words={words} /> : null}
        <details class="act">
          <summary>{words.revoke}</summary>
          <form method="post" action={`${action}/revoke`}>
            <FormToken account={account} />
            <p>{words.revokeNote}</p>
            <button type="submit" class="danger">
              {words.revokeButton}
            </button>
          </form>
        </details>
      </div>
    </li>
  );
}

function RollForm({
  action,
  account,
  words,
}: {
  action: string;
  account: { formToken: string };
  words: Words;
}) {
  return (
    <details class="act">
      <summary>{words.roll}</summary>
      <form method="post" action={`${action}/roll`}>
        <FormToken account={account} />
        <label>
          {words.rollNote}{" "}
          <select name="hours">
            {(["24", "1", "168", "0"] as const).map((hours) => (
              <option value={hours}>{words.rollSpans[hours]}</option>
            ))}
          </select>
        </label>
        <button type="submit" class="primary">
          {words.rollButton}
        </button>
      </form>
    </details>
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
