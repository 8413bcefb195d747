/**
 * Publishing a pack: begin or take up the upload, send the parts the service has not got, complete. The
 * served day changes in the last step only, so whatever is killed before it can simply be run again.
 */
import { createHash } from "node:crypto";
import {
  type BeginUpload,
  PART_SHA256_HEADER,
  type Published,
  publishedSchema,
  storedPartSchema,
  type UploadBegun,
  uploadBegunSchema,
} from "../../admin/wire.ts";
import { openPackFile, type PackFile } from "../../pack-builder/pack-file.ts";
import type { AdminClient } from "../admin-client.ts";
import { CommandFailure } from "../exit.ts";

/** Parts under way at once: enough to hide the way to the service, few enough for a worker's memory. */
const PARALLEL_PARTS = 3;

export interface PublishOptions {
  /** Rows were left out when the pack was built. */
  degraded?: boolean;
  /** Publish although the service would refuse as implausible or unchanged. */
  force?: boolean;
  /** Hears how many bytes of the pack lie at the service. */
  onSent?: (bytes: number) => void;
}

/** Opens the pack at `path`; a file that is none ends the command with a sentence. */
export async function openPack(path: string): Promise<PackFile> {
  const pack = await openPackFile(path);
  if (!("reason" in pack)) return pack;
  throw new CommandFailure(
    pack.reason === "unreadable"
      ? `${path} cannot be read (${pack.code}).`
      : `${path} is not a whole day pack: ${pack.difference}.`,
  );
}

/** Publishes `pack`; resumable and idempotent. `newRevision` is false when this content is served already. */
export async function publishPack(
  client: AdminClient,
  pack: PackFile,
  { degraded = false, force = false, onSent }: PublishOptions = {},
): Promise<Published> {
  const { index } = pack;
  const uploads = `/admin/days/${index.tradedate}/uploads`;
  const body: BeginUpload = {
    sizeBytes: pack.sizeBytes,
    sha256: await pack.sha256(),
    buildId: index.buildId,
    rows: index.entries.reduce((sum, entry) => sum + entry.rows, 0),
    securities: index.entries.length,
    degraded,
    force,
  };
  const begun = await client.request(uploadBegunSchema, "POST", uploads, { body, repeatable: true });
  if (begun.state === "served") return { day: begun.day, newRevision: false };
  const upload = `${uploads}/${encodeURIComponent(begun.uploadId)}`;
  await sendParts(client, pack, begun, upload, onSent);
  return client.request(publishedSchema, "POST", `${upload}/complete`, { repeatable: true });
}

type Uploading = Extract<UploadBegun, { state: "uploading" }>;

async function sendParts(
  client: AdminClient,
  pack: PackFile,
  begun: Uploading,
  upload: string,
  onSent?: (bytes: number) => void,
): Promise<void> {
  const stored = new Set(begun.parts.map((part) => part.n));
  let sent = begun.parts.reduce((sum, part) => sum + part.sizeBytes, 0);
  onSent?.(sent);
  const missing: number[] = [];
  for (let n = 1; n <= begun.partCount; n++) if (!stored.has(n)) missing.push(n);
  const sender = async () => {
    for (let n = missing.shift(); n !== undefined; n = missing.shift()) {
      // Added after the wait: `sent += await …` would take the sum from before it and lose what others sent.
      const bytes = await sendPart(client, pack, { upload, n, partSizeBytes: begun.partSizeBytes });
      sent += bytes;
      onSent?.(sent);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL_PARTS }, sender));
}

/** Sends part `n` (from 1) and returns its bytes. */
async function sendPart(
  client: AdminClient,
  pack: PackFile,
  { upload, n, partSizeBytes }: { upload: string; n: number; partSizeBytes: number },
): Promise<number> {
  const bytes = await pack.read((n - 1) * partSizeBytes, partSizeBytes);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const stored = await client.request(storedPartSchema, "PUT", `${upload}/parts/${n}`, {
    body: bytes,
    headers: { [PART_SHA256_HEADER]: sha256 },
  });
  if (stored.sha256 !== sha256)
    throw new CommandFailure(`Part ${n} arrived with other bytes than were sent; run publish again.`);
  return bytes.length;
}
