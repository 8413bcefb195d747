/** Sends the parts of an upload that the service has not got: of a pack, of a file. */
import { createHash } from "node:crypto";
import { PART_SHA256_HEADER, storedPartSchema, type Uploading } from "../../admin/wire.ts";
import type { LocalFile } from "../../pack-builder/local-file.ts";
import type { AdminClient } from "../admin-client.ts";
import { CommandFailure } from "../exit.ts";

/** Parts under way at once: enough to hide the way to the service, few enough for a worker's memory. */
const PARALLEL_PARTS = 3;

export interface Sending {
  file: Pick<LocalFile, "read">;
  /** What the service answered when the upload was opened. */
  begun: Uploading;
  /** The upload's path below the service. */
  upload: string;
  /** Hears how many bytes lie at the service. */
  onSent?: ((bytes: number) => void) | undefined;
}

/**
 * Sends every missing part, several at once, each with its own sum. Where one fails no further one is begun, and
 * those under way have come to their end when it throws.
 */
export async function sendParts(
  client: AdminClient,
  { file, begun, upload, onSent }: Sending,
): Promise<void> {
  const { partSizeBytes } = begun;
  const stored = new Set(begun.parts.map((part) => part.n));
  let sent = begun.parts.reduce((sum, part) => sum + part.sizeBytes, 0);
  onSent?.(sent);
  const missing: number[] = [];
  for (let n = 1; n <= begun.partCount; n++) if (!stored.has(n)) missing.push(n);
  const sender = async () => {
    for (let n = missing.shift(); n !== undefined; n = missing.shift()) {
      // Added after the wait: `sent += await …` would take the sum from before it and lose what others sent.
      const bytes = await file.read((n - 1) * partSizeBytes, partSizeBytes);
      await sendPart(client, `${upload}/parts/${n}`, bytes).catch((error: unknown) => {
        missing.length = 0;
        throw error;
      });
      sent += bytes.length;
      onSent?.(sent);
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: PARALLEL_PARTS }, sender));
  const failed = ended.find((each) => each.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}

async function sendPart(client: AdminClient, path: string, bytes: Uint8Array): Promise<void> {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const headers = { [PART_SHA256_HEADER]: sha256 };
  const stored = await client.request(storedPartSchema, "PUT", path, { body: bytes, headers });
  if (stored.sha256 !== sha256) {
    throw new CommandFailure(
      `Part ${stored.n} arrived with other bytes than were sent; run the command again.`,
    );
  }
}
