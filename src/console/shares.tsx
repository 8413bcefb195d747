/**
 * The page of the holder's valid shares. It lists, opens and revokes shares, and shows their passwords. Shares of other
 * accounts are not accessible.
 */
import { revokeShare, type Share, sharesOfAccount } from "../catalog/shares.ts";
import { entitleShare } from "../entitlement/entitle.ts";
import { instantText } from "../pages/figures.ts";
import { shareCookie } from "../shares/credentials.ts";
import { shareEndMs } from "../shares/identity.ts";
import { passwordOf } from "../shares/secrets.ts";
import { byHolder, type Desk, html, seeOther } from "./desk.tsx";
import { Act, Card, Copied, type Fact, FormToken, type Holder, Layout, Notice } from "./layout.tsx";
import type { Problem } from "./messages.ts";
import { isSecure } from "./session.ts";

/** A valid share. */
interface OpenShareFacts {
  share: Share;
  url: string;
  /** Unix milliseconds, exclusive. */
  endMs: number;
}

interface Shown {
  problem?: Problem;
  /** The password of one share; only in the response to that share's "show password" button. */
  told?: { shareId: string; password: string };
}

/** Returns the page with the account's valid shares and the outcome of a form. */
async function page(desk: Desk, { problem, told }: Shown, status = 200) {
  const { c, reader } = desk;
  const open = await openShares(desk);
  const { messages } = reader;
  const shown = (
    <Layout reader={reader} title={messages.pages.shares} page="shares">
      <p class="lead">{messages.sharesLead}</p>
      {problem ? <Notice kind="problem" text={messages.problems[problem]} /> : null}
      {open.length === 0 ? (
        <p>{messages.noShares}</p>
      ) : (
        <ul class="cards">
          {open.map((facts) => (
            <OpenShare
              facts={facts}
              reader={reader}
              password={told?.shareId === facts.share.shareId ? told.password : null}
            />
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
    </Layout>
  );
  return html(c, shown, status);
}

interface OpenShareProps {
  facts: OpenShareFacts;
  reader: Holder;
  password: string | null;
}

function OpenShare({ facts: { share, url, endMs }, reader, password }: OpenShareProps) {
  const { account, messages } = reader;
  const { dataType, year, shareId, createdAtMs } = share;
  const copied = (name: string, text: string) => (
    <Copied id={`${name}-${shareId}`} text={text} messages={messages} />
  );
  const facts: Fact[] = [
    { label: messages.created, value: instantText(createdAtMs) },
    { label: messages.shareEnds, value: instantText(endMs) },
    { label: messages.share, value: copied("url", url), wide: true },
  ];
  if (password !== null) {
    facts.push(
      { label: messages.shareUser, value: <code>{shareId}</code>, wide: true },
      { label: messages.password, value: copied("password", password), wide: true },
    );
  }
  const action = `/console/shares/${shareId}`;
  return (
    <Card name={`${messages.dataTypes[dataType]} ${year}`} facts={facts}>
      <form method="post" action={`${action}/open`}>
        <FormToken account={account} />
        <button type="submit" class="primary">
          {messages.open}
        </button>
      </form>
      <form method="post" action={`${action}/password`}>
        <FormToken account={account} />
        <button type="submit">{messages.sharePasswordShow}</button>
      </form>
      <Act
        summary={messages.revoke}
        action={`${action}/revoke`}
        button={messages.shareRevokeButton}
        kind="danger"
        account={account}
      >
        <p>{messages.shareRevokeNote}</p>
      </Act>
    </Card>
  );
}

/** Serves the page of valid shares. */
export function showShares(desk: Desk): Promise<Response> {
  return page(desk, {});
}

/** Opens one of the holder's shares in this browser, by setting the cookie that the share's password would set. */
export async function openOwnShare(desk: Desk): Promise<Response> {
  const { c, settings, nowMs } = desk;
  const own = await ownShare(desk);
  const secret = settings.SHARE_SECRET.secrets.get(own?.share.secretVersion ?? 0);
  if (own === null || secret === undefined) return page(desk, { problem: "share_gone" }, 404);
  const { shareId } = own.share;
  const cookie = shareCookie(secret, { shareId, nowMs, endMs: own.endMs, secure: isSecure(c.req.raw) });
  return seeOther(`/s/${shareId}/`, { "Set-Cookie": cookie });
}

/** Returns the page with the password of one of the holder's shares. No other answer shows the password. */
export async function tellPassword(desk: Desk): Promise<Response> {
  const own = await ownShare(desk);
  const password = own === null ? null : passwordOf(desk.settings.SHARE_SECRET, own.share);
  if (own === null || password === null) return page(desk, { problem: "share_gone" }, 404);
  return page(desk, { told: { shareId: own.share.shareId, password } });
}

/** Revokes one of the holder's shares. */
export async function endShare(desk: Desk): Promise<Response> {
  const own = await ownShare(desk);
  if (own === null) return page(desk, { problem: "share_gone" }, 404);
  await revokeShare(desk.env.DB, own.share.shareId, byHolder(desk));
  return seeOther("/console/shares");
}

/** Returns the share named in the path if it belongs to the holder and is valid, else null. */
async function ownShare(desk: Desk): Promise<OpenShareFacts | null> {
  const shareId = desk.c.req.param("shareId") ?? "";
  return (await openShares(desk)).find(({ share }) => share.shareId === shareId) ?? null;
}

async function openShares({ c, env, settings, nowMs, who }: Desk): Promise<OpenShareFacts[]> {
  const base = settings.PUBLIC_BASE_URL ?? new URL(c.req.url).origin;
  const shares = await sharesOfAccount(env.DB, who.principal.accountId);
  return shares.flatMap((share) => {
    const endMs = endOf(share, { who, nowMs });
    return endMs === null ? [] : [{ share, endMs, url: `${base}/s/${share.shareId}/` }];
  });
}

/** Returns when a share ends (exclusive, Unix milliseconds); null when it is no longer valid. */
function endOf(share: Share, { who, nowMs }: Pick<Desk, "who" | "nowMs">): number | null {
  if (share.revokedAtMs !== null) return null;
  const grant = entitleShare(who.principal, { service: share.dataType, year: share.year }, nowMs);
  // When the plan's window no longer overlaps the share's year, the share stays valid and is empty.
  if (!grant.ok && grant.refusal.reason !== "outside_window") return null;
  const endMs = shareEndMs(share, grant.ok ? grant.value.endMs : Number.POSITIVE_INFINITY);
  return endMs > nowMs ? endMs : null;
}
