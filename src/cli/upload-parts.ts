/** Sends the parts of the upload of a pack or a file. */
import { createHash } from "node:crypto";
import { PART_SHA256_HEADER, storedPartSchema, type Uploading } from "../admin/wire.ts";
import type { LocalFile } from "../pack-builder/local-file.ts";
import type { AdminClient } from "./admin-client.ts";
import { CommandFailure } from "./exit.ts";

/** The number of concurrent parts: enough to hide the network latency, few enough for a worker's memory. */
const PARALLEL_PARTS = 3;

export interface Sending {
  file: Pick<LocalFile, "read">;
  /** The answer to opening the upload. */
  begun: Uploading;
  /** Returns the path of part `n`, relative to the service's URL. */
  partPath: (n: number) => string;
  /** Called with the number of uploaded bytes. */
  onSent?: ((bytes: number) => void) | undefined;
}

/**
 * Sends every missing part with its checksum, several concurrently. After a failure no further part is started, and the
 * error is thrown when the running parts have ended.
 */
export async function sendParts(
  client: AdminClient,
  { file, begun, partPath, onSent }: Sending,
): Promise<void> {
  const { partSizeBytes } = begun;
  const stored = new Set(begun.parts.map((part) => part.n));
  let sent = begun.parts.reduce((sum, part) => sum + part.sizeBytes, 0);
  onSent?.(sent);
  const missing: number[] = [];
  for (let n = 1; n <= begun.partCount; n++) if (!stored.has(n)) missing.push(n);
  const sender = async () => {
    for (let n = missing.shift(); n !== undefined; n = missing.shift()) {
      // `sent` is read after the wait: `sent += await …` would read it before, and lose the bytes that the other
      // senders add meanwhile.
      const bytes = await file.read((n - 1) * partSizeBytes, partSizeBytes);
      await sendPart(client, partPath(n), bytes).catch((error: unknown) => {
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
      `The service received part ${stored.n} with different bytes; run the command again.`,
    );
  }
}
