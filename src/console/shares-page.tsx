/** Shares: the open ones with their end, and a button that ends each. */
import type { Share } from "../catalog/shares.ts";
import { instantText } from "../shares/page/figures.ts";
import { documentOf, FormToken, Layout, Notice, type Reader } from "./layout.tsx";
import { type Problem, WORDS, type Words } from "./words.ts";

/** A share that its drive would open. */
export interface OpenShareFacts {
  share: Share;
  url: string;
  /** Unix milliseconds, exclusive. */
  endMs: number;
}

export interface SharesFacts {
  reader: Reader & { account: NonNullable<Reader["account"]> };
  open: readonly OpenShareFacts[];
  problem: Problem | null;
}

/** The page as HTML. */
export function sharesPage({ reader, open, problem }: SharesFacts): string {
  const words = WORDS[reader.language];
  return documentOf(
    <Layout reader={reader} title={words.pages.shares} page="shares">
      <h1>{words.pages.shares}</h1>
      <p class="lead">{words.sharesLead}</p>
      {problem === null ? null : <Notice kind="problem" text={words.problems[problem]} />}
      {open.length === 0 ? (
        <p>{words.noShares}</p>
      ) : (
        <ul class="keys">
          {open.map((facts) => (
            <OpenShare facts={facts} account={reader.account} words={words} />
          ))}
        </ul>
      )}
      <p>
        <a class="button" href="/console/try?op=file_download">
          {words.shareAsk}
        </a>
      </p>
      <p class="quiet">{words.beijing}</p>
    </Layout>,
  );
}

interface OpenShareProps {
  facts: OpenShareFacts;
  account: { formToken: string };
  words: Words;
}

function OpenShare({ facts: { share, url, endMs }, account, words }: OpenShareProps) {
  const name = `${words.dataTypes[share.dataType]} ${share.year}`;
  return (
    <li class="card key">
      <div class="key-facts">
        <h2>{name}</h2>
        <dl class="inline">
          <div>
            <dt>{words.shareMade}</dt>
            <dd>{instantText(share.createdAtMs)}</dd>
          </div>
          <div>
            <dt>{words.shareEnds}</dt>
            <dd>{instantText(endMs)}</dd>
          </div>
          <div class="wide">
            <dt>{words.share}</dt>
            <dd>
              <a href={url}>{url}</a>
            </dd>
          </div>
        </dl>
      </div>
      <div class="key-acts">
        <details class="act">
          <summary>{words.revoke}</summary>
          <form method="post" action={`/console/shares/${share.shareId}/revoke`}>
            <FormToken account={account} />
            <p>{words.shareRevokeNote}</p>
            <button type="submit" class="danger">
              {words.revoke}
            </button>
          </form>
        </details>
      </div>
    </li>
  );
}
