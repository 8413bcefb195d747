/** Publishes and withdraws a day's auction pack together with the day's quotes, so that no operator has to do it. */
import { dirname, join } from "node:path";
import { auctionPackName } from "../auction/columns.ts";
import type { BeijingDate } from "../calendar/beijing.ts";
import { auctionFileAt, writeAuctionPack } from "../pack-builder/auction-pack.ts";
import { openLocalFile } from "../pack-builder/local-file.ts";
import type { PackFile } from "../pack-builder/pack-file.ts";
import type { AdminClient } from "./admin-client.ts";
import { CommandFailure, ServiceRefusal } from "./exit.ts";
import { addFile, type FilePlace, listFiles, publishFile, withdrawFile } from "./uploads.ts";

/** The result of publishing the auction pack that was made from a published quote pack. */
export interface AuctionOutcome {
  name: string;
  /**
   * `kept`: the pack was not published, because the present file was not made from quotes, an operator withdrew the
   * pack, or the quotes have no opening auction. In the last case, shares still offer a pack made from earlier quotes.
   */
  state: "published" | "unchanged" | "kept" | "failed";
  /** The revision that shares offer; `null` when they offer none. */
  revision: number | null;
  /** Why the pack was not published, as a sentence; empty if shares offer it. */
  note: string;
}

/** The `reason` of each refusal that an operator's earlier decision causes. */
const DECIDED = new Set(["operators_file", "content_withdrawn", "target_withdrawn"]);

/**
 * Publishes the auction pack made from `pack`, the quote pack at `path`. Writes the auction pack to the same folder
 * unless that folder already has the current one. Returns `null` when no security has an auction and shares offer no
 * pack made from earlier quotes. With `force`, publishes the file even if it was withdrawn. Idempotent. A failure is an
 * outcome, not an exception, because the quotes are already served.
 */
export async function publishAuction(
  client: AdminClient,
  { path, pack }: { path: string; pack: PackFile },
  { force = false }: { force?: boolean },
): Promise<AuctionOutcome | null> {
  const { tradedate } = pack.index;
  const place: FilePlace = { dataType: "auction_tick", tradedate, name: auctionPackName(tradedate) };
  const auctionPath = join(dirname(path), place.name);
  const withheld = (state: "kept" | "failed", note: string) => {
    return { name: place.name, state, revision: null, note };
  };
  try {
    const there = await auctionFileAt(auctionPath, pack);
    if (there === "foreign") {
      return withheld("kept", `${auctionPath} was not made from quotes; add it with edgetape files add.`);
    }
    if (there !== "current" && (await writeAuctionPack(pack, auctionPath)) === null) {
      return await earlierAuction(client, place);
    }
    return await publishMade(client, place, { path: auctionPath, force });
  } catch (error) {
    const isDecided = error instanceof ServiceRefusal && DECIDED.has(error.refused.reason ?? "");
    return withheld(isDecided ? "kept" : "failed", (error as Error).message);
  }
}

async function publishMade(
  client: AdminClient,
  place: FilePlace,
  { path, force }: { path: string; force: boolean },
): Promise<AuctionOutcome> {
  const { name } = place;
  const opened = await openLocalFile(path);
  if (!opened.ok) throw new CommandFailure(`${path} cannot be read (${opened.refusal.code}).`);
  await using file = opened.value;
  const origin = "builder";
  const added = await addFile(client, place, file, { origin });
  if (added.state === "published") return { name, state: "unchanged", revision: added.revision, note: "" };
  const { revision } = await publishFile(client, place, { revision: added.revision, force, origin });
  return { name, state: "published", revision, note: "" };
}

/** Returns the auction pack that shares offer, or else the one that was withdrawn last, or null. */
async function standingAuction(client: AdminClient, tradedate: BeijingDate) {
  const files = await listFiles(client, "auction_tick", tradedate, tradedate);
  const offered = files.find(({ state }) => state === "published");
  return offered ?? files.findLast(({ state }) => state === "withdrawn") ?? null;
}

/**
 * Returns the outcome for quotes without an auction: `kept` when shares still offer a pack made from earlier quotes,
 * else null. That pack is not withdrawn, because a withdrawal would also block the auction pack of later quotes.
 */
async function earlierAuction(
  client: AdminClient,
  { tradedate, name }: FilePlace,
): Promise<AuctionOutcome | null> {
  const file = await standingAuction(client, tradedate);
  if (file?.state !== "published" || file.origin === "operator") return null;
  const note = `these quotes have no auction; ${withdrawCommand(tradedate)} stops offering it.`;
  return { name, state: "kept", revision: file.revision, note };
}

function withdrawCommand(tradedate: BeijingDate): string {
  return `\`edgetape files withdraw --type auction_tick --date ${tradedate}\``;
}

/**
 * Withdraws the auction pack made from the quotes of `tradedate`, with the same note as the quotes. A file added by an
 * operator stays. Idempotent. Returns the pack, with a `note` that says what happened to it, or null when shares offer
 * none.
 */
export async function withdrawAuction(client: AdminClient, tradedate: BeijingDate, note: string) {
  const file = await standingAuction(client, tradedate);
  if (file?.state !== "published") return null;
  const { name, state, origin, revision } = file;
  if (origin === "operator") {
    return { name, state, revision, note: `${name} stays in shares: an operator added it.` };
  }
  await withdrawFile(client, { dataType: "auction_tick", tradedate, name }, note);
  const told = `${name}, made from these quotes, is withdrawn too: revision ${revision}.`;
  return { name, state: "withdrawn", revision, note: told };
}

/**
 * Returns the auction pack of `tradedate` if the operator should check it after the quotes were served again: either it
 * is withdrawn, or it was made before the quotes changed (`quotes` is `different`). Otherwise returns null.
 */
export async function auctionBeside(
  client: AdminClient,
  tradedate: BeijingDate,
  quotes: "same" | "different",
) {
  const file = await standingAuction(client, tradedate);
  if (file === null) return null;
  const { name, state, origin, revision } = file;
  if (state !== "withdrawn" && (origin === "operator" || quotes === "same")) return null;
  const note =
    state === "withdrawn"
      ? `${name} is still withdrawn; if it fits these quotes, \`edgetape files publish --type auction_tick --date ${tradedate} --revision ${revision}\` offers it again.`
      : `${name}, revision ${revision}, was made before these quotes were served, and may not fit them. \`edgetape publish\` with the pack of these quotes replaces it; ${withdrawCommand(tradedate)} stops offering it.`;
  return { name, state, revision, note };
}

/** Throws `CommandFailure` if one of the auction packs could not be offered although its quotes are served. */
export function refuseFailedAuction(published: readonly { auction: AuctionOutcome | null }[]): void {
  for (const { auction } of published) {
    if (auction?.state === "failed") throw new CommandFailure(auctionText(auction));
  }
}

/** Returns the outcome as a sentence. */
export function auctionText({ name, state, revision, note }: AuctionOutcome): string {
  switch (state) {
    case "published":
      return `${name}, made from the quotes, is offered as revision ${revision}.`;
    case "unchanged":
      return `${name}, made from the quotes, was already offered, as revision ${revision}.`;
    case "kept":
    case "failed":
      if (revision !== null) {
        return `${name}, made from earlier quotes, is still offered as revision ${revision}: ${note}`;
      }
      return `${name}, made from the quotes, is not offered: ${note}`;
  }
}
