/**
 * `edgetape publish`: publishes a day pack as the served revision of its day. Begins or resumes the upload, sends the
 * missing parts and completes it. The served day changes only in the last step, so a killed command can be run again.
 */

import { dirname, join } from "node:path";
import * as wire from "../admin/wire.ts";
import { dayName } from "../datasets/day-name.ts";
import { DATASET_NAMES } from "../datasets/registry.ts";
import { readSheet, sheetName } from "../pack-builder/check-packs.ts";
import { openPackFile, type PackFile } from "../pack-builder/pack-file.ts";
import { packDamage } from "../pack-builder/verify/pack-bytes.ts";
import { sheetClaim } from "../quality/sheet-text.ts";
import { shortfallOf } from "../quality/shortfall.ts";
import { type AdminClient, HASHING } from "./admin-client.ts";
import {
  type AuctionOutcome,
  auctionText,
  publishAuction,
  refuseFailedAuction,
} from "./auction-publishing.ts";
import { type Call, command } from "./command.ts";
import { sizeText } from "./command-line.ts";
import { countsOf, dayPath } from "./dataset-days.ts";
import { CommandFailure, EXIT, jsonOf, ServiceRefusal, sentenceOf } from "./exit.ts";
import * as option from "./option.ts";
import { byteProgress } from "./progress.ts";
import { sendParts } from "./uploads.ts";

export const publish = command("publish", {
  says: "upload day packs and serve each as the next revision of its dataset's day; for quotes, also the auction pack made from them; run it again after any interruption",
  args: { "<pack...>": "packs made by `edgetape pack build` or `edgetape sample`, of any dataset" },
  options: {
    force: option.flag(
      "publish even if the quality check failed or the service finds the day implausible; rows that are already served get no new revision",
    ),
    degraded: option.flag(
      "mark the day as degraded, because its build left rows out; not needed when the quality sheet beside the pack says so",
    ),
  },
  help: "\nA pack that is refused does not hold up the others. Exit status 1: at least one pack is not published.",
  run: (call, { force = false, degraded = false }, paths: string[]) =>
    publishPacks(call, paths, { force, degraded }),
});

/** Publishes the packs at `paths` and prints which revisions are served now. Then throws the first error, if any. */
export async function publishPacks(
  call: Call,
  paths: readonly string[],
  options: Pick<PublishOptions, "force" | "degraded">,
): Promise<void> {
  const { client } = call;
  const packs = paths.map((path) => ({ called: path, publish: () => publishAt(client, path, options) }));
  const { published, failures } = await publishEach(packs, call);
  refuseUnpublished(failures, call);
  refuseFailedAuction(published);
}

/**
 * Publishes packs one after the other. Unless all are refused, prints which revisions are served now, and adds the
 * values and lines in `more`. A pack that is refused does not hold up the next ones. After an unexpected error, or when
 * the token has no right to publish, the next packs are not sent and fail with the same error.
 */
export async function publishEach(
  packs: readonly { called: string; publish: () => Promise<PublishedPack> }[],
  { print }: Call,
  more: { answer?: object; lines?: readonly string[] } = {},
) {
  const published: PublishedPack[] = [];
  const failures: { called: string; error: Error }[] = [];
  let ending: Error | undefined;
  for (const { called, publish } of packs) {
    try {
      if (ending !== undefined) throw ending;
      published.push(await publish());
    } catch (thrown) {
      const error = thrown as Error;
      failures.push({ called, error });
      if (isOfAllPacks(error)) ending = error;
    }
  }
  if (published.length > 0 || failures.length === 0) {
    const lines = [...published.flatMap(publishedLines), ...(more.lines ?? [])];
    print({ ...published[0], published, ...more.answer }, lines);
  }
  return { published, failures };
}

/** Returns whether every other pack would fail with the same error. */
function isOfAllPacks(error: Error): boolean {
  if (error instanceof ServiceRefusal) return [401, 403].includes(error.refused.httpStatus);
  return !(error instanceof CommandFailure);
}

/** Throws the first error, after a line on stderr for each later failure with another error. */
export function refuseUnpublished(failures: readonly { called: string; error: Error }[], { json }: Call) {
  const [first, ...others] = failures;
  if (first === undefined) return;
  for (const { called, error } of others.filter(({ error }) => error !== first.error)) {
    const sentence = sentenceOf(error);
    const named = sentence.startsWith(called) ? sentence : `${called}: ${sentence}`;
    console.error(json ? jsonOf(error, EXIT.failed, named) : `not published: ${named}`);
  }
  throw first.error;
}

/** A published pack; for a pack of quotes, also the outcome of the auction pack made from it. */
export type PublishedPack = wire.Published & { auction: AuctionOutcome | null };

/**
 * Publishes the pack at `path` with progress on stderr. After quotes it also publishes the auction pack made from them,
 * unless the delivery contains an auction pack (`hasAuction`).
 */
export async function publishAt(
  client: AdminClient,
  path: string,
  { hasAuction = false, ...options }: Omit<PublishOptions, "onSent"> & { hasAuction?: boolean },
): Promise<PublishedPack> {
  await using pack = await openPack(path);
  const { dataset, tradedate } = pack.index;
  const progress = byteProgress(`publishing ${dayName(tradedate, dataset)}`, pack.sizeBytes);
  const said = await saidBeside(path, pack);
  const degraded = options.degraded || said.shortfall !== undefined;
  const onSent = progress.update;
  const published = await publishPack(client, pack, { ...options, ...said, degraded, onSent });
  progress.end();
  const isMade = dataset === "quotes" && !hasAuction;
  return { ...published, auction: isMade ? await publishAuction(client, { path, pack }, options) : null };
}

/** Returns what the quality sheet beside the pack says about its content; empty without such a sheet. */
export async function saidBeside(
  path: string,
  { index }: PackFile,
): Promise<Pick<PublishOptions, "quality" | "shortfall">> {
  const sheet = await readSheet(join(dirname(path), sheetName(index.tradedate)));
  if ("problem" in sheet || sheet.packs[index.dataset] !== index.buildId) return {};
  return { quality: sheetClaim(sheet), shortfall: shortfallOf(sheet, index.dataset) || undefined };
}

/** Returns which revision is served now and whether the auction pack is offered, one sentence each. */
function publishedLines({ day, newRevision, auction }: PublishedPack): string[] {
  const { dataset = "orders", tradedate, revision, degraded, note } = day;
  const served = newRevision
    ? `is served as revision ${revision}`
    : `was already served with this content, as revision ${revision}`;
  const incomplete = degraded ? ` It is degraded${note === "" ? "" : `: ${note}`}.` : "";
  return [
    `${dayName(tradedate, dataset)} ${served}: ${countsOf(day)}, ${sizeText(day.sizeBytes)}.${incomplete}`,
    ...(auction === null ? [] : [auctionText(auction)]),
  ];
}

export interface PublishOptions {
  /** Whether the build left out rows. */
  degraded?: boolean;
  /** A clause from the quality sheet about what the pack lacks, if anything. */
  shortfall?: string | undefined;
  /** The verdict of the quality check; absent if none ran. */
  quality?: wire.BeginUpload["quality"];
  /** Publishes even when the service finds the day implausible. */
  force?: boolean;
  /** Called with the number of uploaded bytes. */
  onSent?: (bytes: number) => void;
}

/** Opens the pack of any dataset at `path`. Throws `CommandFailure` if the file is unreadable or not a whole pack. */
export async function openPack(path: string): Promise<PackFile> {
  const opened = await openPackFile(path, DATASET_NAMES);
  if (opened.ok) return opened.value;
  const { refusal } = opened;
  throw new CommandFailure(
    refusal.reason === "unreadable"
      ? `${path} cannot be read (${refusal.code}).`
      : `${path} is not a complete day pack: ${refusal.difference}.`,
  );
}

/** The maximum number of attempts when R2 loses the upload. */
const TRIES = 3;

/**
 * Publishes `pack`; resumable and idempotent. `newRevision` is false when this content is already served, for example
 * because a concurrent publisher was faster. Throws `CommandFailure` for a damaged pack, before anything is sent.
 */
export async function publishPack(
  client: AdminClient,
  pack: PackFile,
  { degraded = false, shortfall, force = false, quality, onSent }: PublishOptions = {},
): Promise<wire.Published> {
  const { tradedate, dataset, buildId, entries } = pack.index;
  const damage = await packDamage(pack);
  if (damage !== null) {
    const called = dayName(tradedate, dataset);
    throw new CommandFailure(`The pack of ${called} is damaged: ${damage}. Build it again.`);
  }
  const body: wire.BeginUpload = {
    sizeBytes: pack.sizeBytes,
    sha256: await pack.sha256(),
    buildId,
    rows: entries.reduce((sum, entry) => sum + entry.rows, 0),
    securities: entries.length,
    degraded,
    force,
    // Services of earlier versions refuse requests with an unknown field.
    ...(degraded && shortfall !== undefined && { shortfall }),
    ...(quality && { quality }),
  };
  for (let attempt = 1; ; attempt++) {
    try {
      return await publishOnce(client, pack, body, onSent);
    } catch (error) {
      const reason = error instanceof ServiceRefusal ? error.refused.reason : undefined;
      if (reason === undefined || !ENDED.has(reason)) throw error;
      const path = dayPath(tradedate, dataset);
      const { day } = await client.get(wire.dayDetailSchema, path).catch(() => ({ day: undefined }));
      const isSame = day?.buildId === buildId && day.degraded === degraded;
      if (isSame && day.state === "available") return { day, newRevision: false };
      if (reason !== "upload_lost" || attempt === TRIES) throw error;
    }
  }
}

/** Refusals that a concurrent publisher of the same pack can cause. */
const ENDED = new Set(["upload_lost", "upload_ended", "other_publisher"]);

/**
 * Begins the upload. With `force` the service would create a new revision even for rows that it already serves. The
 * first request is therefore sent without `force`, and shows whether the rows are already served.
 */
async function begin(client: AdminClient, path: string, body: wire.BeginUpload): Promise<wire.UploadBegun> {
  const ask = (force: boolean) =>
    client.post(wire.uploadBegunSchema, path, { body: { ...body, force }, repeatable: true });
  if (body.force !== true) return ask(false);
  const unforced = await ask(false).catch((error: unknown) => {
    if (error instanceof ServiceRefusal) return null;
    throw error;
  });
  return unforced?.state === "served" ? unforced : ask(true);
}

async function publishOnce(
  client: AdminClient,
  pack: PackFile,
  body: wire.BeginUpload,
  onSent: PublishOptions["onSent"],
): Promise<wire.Published> {
  const { tradedate, dataset } = pack.index;
  const stepPath = (step: string) => dayPath(tradedate, dataset, `/uploads${step}`);
  const begun = await begin(client, stepPath(""), body);
  if (begun.state === "served") return { day: begun.day, newRevision: false };
  const upload = `/${encodeURIComponent(begun.uploadId)}`;
  await sendParts(client, { file: pack, begun, partPath: (n) => stepPath(`${upload}/parts/${n}`), onSent });
  return client.post(wire.publishedSchema, stepPath(`${upload}/complete`), HASHING);
}
