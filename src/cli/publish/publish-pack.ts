/**
 * Publishing a pack: begin or take up the upload, send the parts the service has not got, complete. The
 * served day changes in the last step only, so whatever is killed before it can simply be run again.
 */
import {
  type BeginUpload,
  dayDetailSchema,
  type Published,
  publishedSchema,
  uploadBegunSchema,
} from "../../admin/wire.ts";
import { openPackFile, type PackFile } from "../../pack-builder/pack-file.ts";
import { packDamage } from "../../pack-builder/verify/pack-bytes.ts";
import { type AdminClient, HASHING_MS } from "../admin-client.ts";
import { CommandFailure, ServiceRefusal } from "../exit.ts";
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

/** Tries of an upload that the storage lost or another publisher ended. */
const TRIES = 3;

/**
 * Publishes `pack`; resumable and idempotent. `newRevision` is false when this content is served already, also when
 * another publisher of the same pack served it meanwhile. A pack with a byte that is not as it was built is refused
 * before anything is sent.
 */
export async function publishPack(
  client: AdminClient,
  pack: PackFile,
  options: PublishOptions = {},
): Promise<Published> {
  const damage = await packDamage(pack);
  if (damage !== null) {
    throw new CommandFailure(`The pack of ${pack.index.tradedate} is damaged: ${damage}. Build it again.`);
  }
  const sha256 = await pack.sha256();
  for (let attempt = 1; ; attempt++) {
    try {
      return await publishOnce(client, pack, { ...options, sha256 });
    } catch (error) {
      const reason = error instanceof ServiceRefusal ? error.refused.reason : undefined;
      if (reason === undefined || !ENDED.has(reason)) throw error;
      const day = await servedDay(client, pack.index.tradedate);
      const isSame = day?.sha256 === sha256 && day.degraded === (options.degraded ?? false);
      if (isSame && day.state === "available") return { day, newRevision: false };
      if (reason !== "upload_lost" || attempt === TRIES) throw error;
    }
  }
}

/** Refusals behind which another publisher of the same pack may stand. */
const ENDED = new Set(["upload_lost", "upload_ended", "other_publisher"]);

async function servedDay(client: AdminClient, tradedate: string): Promise<Published["day"] | null> {
  const path = `/admin/days/${tradedate}`;
  return client.request(dayDetailSchema, "GET", path).then(
    ({ day }) => day,
    () => null,
  );
}

async function publishOnce(
  client: AdminClient,
  pack: PackFile,
  { degraded = false, force = false, onSent, sha256 }: PublishOptions & { sha256: string },
): Promise<Published> {
  const { index } = pack;
  const uploads = `/admin/days/${index.tradedate}/uploads`;
  const body: BeginUpload = {
    sizeBytes: pack.sizeBytes,
    sha256,
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
