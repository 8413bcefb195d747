/**
 * Publishing a pack: begin or take up the upload, send the parts the service has not got, complete. The
 * served day changes in the last step only, so whatever is killed before it can simply be run again.
 */
import { type BeginUpload, type Published, publishedSchema, uploadBegunSchema } from "../../admin/wire.ts";
import { openPackFile, type PackFile } from "../../pack-builder/pack-file.ts";
import { type AdminClient, HASHING_MS } from "../admin-client.ts";
import { CommandFailure } from "../exit.ts";
import { sendParts } from "./send-parts.ts";

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
  await sendParts(client, { file: pack, begun, upload, onSent });
  return client.request(publishedSchema, "POST", `${upload}/complete`, {
    repeatable: true,
    silenceMs: HASHING_MS,
  });
}
