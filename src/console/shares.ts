/** The holder's own shares: shown, and ended. Shares of other accounts are as good as absent. */
import { revokeShare, type Share, sharesOfAccount } from "../catalog/shares.ts";
import { entitleShare } from "../entitlement/entitle.ts";
import { shareEndMs } from "../shares/identity.ts";
import { byHolder, type Desk, html, seeOther } from "./exchange.ts";
import { type OpenShareFacts, sharesPage } from "./shares-page.tsx";
import type { Problem } from "./words.ts";

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
  if ("reason" in grant && grant.reason !== "outside_window") return null;
  const endMs = shareEndMs(share, "reason" in grant ? Number.POSITIVE_INFINITY : grant.endMs);
  return endMs > nowMs ? endMs : null;
}

async function page(desk: Desk, problem: Problem | null, status: number): Promise<Response> {
  const open = await openShares(desk);
  return html(desk.c, sharesPage({ reader: desk.reader, open, problem }), status);
}
