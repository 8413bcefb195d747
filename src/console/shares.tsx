/** The holder's open shares: shown, and ended. Shares of other accounts do not exist here. */
import { revokeShare, type Share, sharesOfAccount } from "../catalog/shares.ts";
import { entitleShare } from "../entitlement/entitle.ts";
import { instantText } from "../pages/figures.ts";
import { documentOf } from "../pages/frame.tsx";
import { shareEndMs } from "../shares/identity.ts";
import { byHolder, type Desk, html, seeOther } from "./desk.tsx";
import { Act, Card, type Fact, Layout, Notice, type Reader } from "./layout.tsx";
import { MESSAGES, type Messages, type Problem } from "./messages.ts";

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
  const messages = MESSAGES[reader.language];
  return documentOf(
    <Layout reader={reader} title={messages.pages.shares} page="shares">
      <h1>{messages.pages.shares}</h1>
      <p class="lead">{messages.sharesLead}</p>
      {problem === null ? null : <Notice kind="problem" text={messages.problems[problem]} />}
      {open.length === 0 ? (
        <p>{messages.noShares}</p>
      ) : (
        <ul class="cards">
          {open.map((facts) => (
            <OpenShare facts={facts} account={reader.account} messages={messages} />
          ))}
        </ul>
      )}
      {open.length === 0 ? null : <p class="lead">{messages.sharePassword}</p>}
      <p>
        <a class="button" href="/console/try?op=file_download">
          {messages.shareAsk}
        </a>
      </p>
      <p class="quiet">{messages.beijing}</p>
    </Layout>,
  );
}

interface OpenShareProps {
  facts: OpenShareFacts;
  account: { formToken: string };
  messages: Messages;
}

function OpenShare({ facts: { share, url, endMs }, account, messages }: OpenShareProps) {
  const { dataType, year, shareId, createdAtMs } = share;
  const facts: Fact[] = [
    { label: messages.shareMade, value: instantText(createdAtMs) },
    { label: messages.shareEnds, value: instantText(endMs) },
    { label: messages.share, value: <a href={url}>{url}</a>, wide: true },
  ];
  return (
    <Card name={`${messages.dataTypes[dataType]} ${year}`} facts={facts}>
      <a class="button" href={`/console/try?op=file_download&data_type=${dataType}&year=${year}`}>
        {messages.sharePasswordAsk}
      </a>
      <Act
        summary={messages.revoke}
        action={`/console/shares/${shareId}/revoke`}
        button={messages.shareRevokeButton}
        kind="danger"
        account={account}
      >
        <p>{messages.shareRevokeNote}</p>
      </Act>
    </Card>
  );
}

/** The page of the open shares. */
export function showShares(desk: Desk): Promise<Response> {
  return page(desk, null, 200);
}

/** Ends an open share of the holder's. */
export async function endShare(desk: Desk): Promise<Response> {
  const shareId = desk.c.req.param("shareId") ?? "";
  const isOwn = (await openShares(desk)).some(({ share }) => share.shareId === shareId);
  if (!isOwn) return page(desk, "share_gone", 404);
  await revokeShare(desk.env.DB, shareId, byHolder(desk));
  return seeOther("/console/shares");
}

async function openShares({ c, env, settings, nowMs, who }: Desk): Promise<OpenShareFacts[]> {
  const base = settings.PUBLIC_BASE_URL ?? new URL(c.req.url).origin;
  const shares = await sharesOfAccount(env.DB, who.principal.accountId);
  return shares.flatMap((share) => {
    const endMs = endOf(share, { who, nowMs });
    return endMs === null ? [] : [{ share, endMs, url: `${base}/s/${share.shareId}/` }];
  });
}

/** When an open share ends (exclusive, Unix milliseconds); null for one that opens nothing any more. */
function endOf(share: Share, { who, nowMs }: Pick<Desk, "who" | "nowMs">): number | null {
  if (share.revokedAtMs !== null) return null;
  const grant = entitleShare(who.principal, { service: share.dataType, year: share.year }, nowMs);
  // A window that has left the year leaves the share open, and empty.
  if (!grant.ok && grant.refusal.reason !== "outside_window") return null;
  const endMs = shareEndMs(share, grant.ok ? grant.value.endMs : Number.POSITIVE_INFINITY);
  return endMs > nowMs ? endMs : null;
}

async function page(desk: Desk, problem: Problem | null, status: number): Promise<Response> {
  const open = await openShares(desk);
  return html(desk.c, sharesPage({ reader: desk.reader, open, problem }), status);
}
