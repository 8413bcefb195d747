/** Shares: the open ones with their end, and a button that ends each. */
import type { Share } from "../catalog/shares.ts";
import { instantText } from "../shares/page/figures.ts";
import { Act, Card, type Fact } from "./cards.tsx";
import { documentOf, Layout, Notice, type Reader } from "./layout.tsx";
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
        <ul class="cards">
          {open.map((facts) => (
            <OpenShare facts={facts} account={reader.account} words={words} />
          ))}
        </ul>
      )}
      {open.length === 0 ? null : <p class="lead">{words.sharePassword}</p>}
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
  const { dataType, year, shareId, createdAtMs } = share;
  const facts: Fact[] = [
    { label: words.shareMade, value: instantText(createdAtMs) },
    { label: words.shareEnds, value: instantText(endMs) },
    { label: words.share, value: <a href={url}>{url}</a>, wide: true },
  ];
  return (
    <Card name={`${words.dataTypes[dataType]} ${year}`} facts={facts}>
      <a class="button" href={`/console/try?op=file_download&data_type=${dataType}&year=${year}`}>
        {words.sharePasswordAsk}
      </a>
      <Act
        summary={words.revoke}
        action={`/console/shares/${shareId}/revoke`}
        button={words.shareRevokeButton}
        kind="danger"
        account={account}
      >
        <p>{words.shareRevokeNote}</p>
      </Act>
    </Card>
  );
}
