import { describe, expect, it } from "vitest";
import {
  begin,
  complete,
  publish,
  query,
  refusal,
  sendParts,
  sent,
  servedState,
  testEnv,
  testPack,
} from "./operator.ts";

const r2UploadOf = (uploadId: string) =>
  query`
    SELECT object_key AS objectKey, r2_upload_id AS r2UploadId FROM uploads WHERE upload_id = ${uploadId}`.first<{
    objectKey: string;
    r2UploadId: string;
  }>();

/** Aborts the upload, as R2 does after seven days. */
async function abortInR2(uploadId: string): Promise<void> {
  const row = await r2UploadOf(uploadId);
  if (row === null) throw new Error("no such upload");
  await testEnv.PACKS.resumeMultipartUpload(row.objectKey, row.r2UploadId).abort();
}

describe("an upload that R2 no longer has", () => {
  it("is refused when it completes, and the pack can be published again under the same revision number", async () => {
    const pack = await testPack("20240201");
    const begun = await sent(pack);
    await abortInR2(begun.uploadId);
    expect(await complete(pack, begun)).toMatchObject(refusal(409, "upload_lost", "publish again"));
    expect(await servedState("20240201")).toEqual([]);
    expect((await publish(pack)).body).toMatchObject({ newRevision: true, day: { revision: 1 } });
  });

  it("is refused at its next part, and is never resumed", async () => {
    const pack = await testPack("20240202");
    const begun = await begin(pack);
    await abortInR2(begun.uploadId);
    await expect(sendParts(pack, begun)).rejects.toThrow(/409.*publish again/);
    expect((await begin(pack)).uploadId).not.toBe(begun.uploadId);
  });
});

describe("an upload that began six days ago", () => {
  it("is replaced by a new upload of the same revision", async () => {
    const pack = await testPack("20240205");
    const begun = await begin(pack);
    await query`
      UPDATE uploads SET begun_at_ms = begun_at_ms - 6 * 86400000 WHERE upload_id = ${begun.uploadId}`.run();
    const fresh = await begin(pack);
    expect(fresh).toMatchObject({ revision: begun.revision, parts: [] });
    expect(fresh.uploadId).not.toBe(begun.uploadId);
  });
});

describe("an upload that stopped during its completion", () => {
  it("keeps its revision number, so other content gets the next revision and a different object", async () => {
    const [stopped, other] = [await testPack("20240206", 1_000), await testPack("20240206", 2_000)];
    const begun = await sent(stopped);
    await query`UPDATE uploads SET state = 'completing' WHERE upload_id = ${begun.uploadId}`.run();
    expect((await publish(other)).body).toMatchObject({ day: { revision: 2, sha256: other.claims.sha256 } });
    expect(await complete(stopped, begun)).toMatchObject({ status: 409 });
    const object = await testEnv.PACKS.get("orders/2024/20240206/2.parquet");
    expect(await object?.bytes()).toEqual(other.bytes);
  });
});
