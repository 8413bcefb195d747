import { describe, expect, it } from "vitest";
import { admin, publish, testEnv, testPack } from "./operator.ts";

describe("a catalog that is older than the bucket", () => {
  it("never reuses the number of a revision whose object is in R2", async () => {
    const lost = await testPack("20240301", 200_000);
    await publish(lost);
    const key = "orders/2024/20240301/1.parquet";
    // This is the state after restoring a backup from before that day.
    const tables = "day_changes order_days day_revisions day_packs day_securities upload_parts uploads";
    await testEnv.DB.batch(tables.split(" ").map((name) => testEnv.DB.prepare(`DELETE FROM ${name}`)));

    const { body } = await publish(await testPack("20240301", 300_000));
    expect(body.day).toMatchObject({ revision: 2 });
    expect(await (await testEnv.PACKS.get(key))?.bytes()).toEqual(lost.bytes);
    expect((await admin("GET", "/days/20240301")).status).toBe(200);
  });
});
