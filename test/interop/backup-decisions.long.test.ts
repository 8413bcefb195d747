/**
 * Checks that withdrawn content stays withdrawn after the restore of an older backup and after the migration of an
 * earlier catalog.
 */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { FileList } from "../../src/admin/wire.ts";
import { applyMigrations, MIGRATIONS } from "../../src/cli/demo/migrations.ts";
import { day, order, security } from "../support/builders.ts";
import { commandsOf } from "../support/edgetape.ts";
import { ownFile, publishFiles } from "../support/files.ts";
import { asOperator, dayAt, publishPack } from "../support/operator.ts";
import { packOf } from "../support/packs.ts";
import { fillFirstSchema } from "../support/schema-rows.ts";
import { type Service, startService } from "../support/service.ts";
import { testFolder } from "../support/test-folder.ts";

const folder = testFolder("edgetape-decisions-");

const contentOf = (tradedate: string, priceE4: number) =>
  day({ tradedate, securities: [security("600519", [order("093000000", { priceE4 }), order("093000001")])] });
const packFor = (tradedate: string, priceE4 = 1_000) =>
  packOf(contentOf(tradedate, priceE4)).then(({ bytes }) => bytes);
const withdraw = (service: Service, tradedate: string, revision = 1) =>
  asOperator(service, "POST", `/admin/days/${tradedate}/withdraw`, { revision, note: "asked to" });

describe("the restore of an older backup", () => {
  it("keeps days and files unavailable if they were withdrawn or damaged after the backup", async () => {
    await using service = await startService();
    const [same, other, damaged, untouched] = ["20260302", "20260303", "20260304", "20260305"] as const;
    for (const each of [same, other, damaged, untouched])
      await publishPack(service, each, await packFor(each));
    const file = ownFile("20260302", "a file");
    await publishFiles(service, file);
    const backup = join(folder, "before.jsonl");
    expect(await commandsOf(service).run`backup create --out ${backup}`).toMatchObject({ status: 0 });

    await withdraw(service, same);
    // The withdrawn content is newer than the backup, which has the previous content.
    await publishPack(service, other, await packFor(other, 2_000));
    await withdraw(service, other, 2);
    const db = await service.mf.getD1Database("DB");
    await db
      .prepare("INSERT INTO damaged_packs SELECT object_key, 1, 'block 7' FROM day_packs WHERE tradedate = ?")
      .bind(damaged)
      .run();
    const place = `/admin/files/level2/20260302/${file.name}`;
    await asOperator(service, "POST", `${place}/withdraw`, { note: "asked to" });

    expect(await commandsOf(service).run`backup restore ${backup} --force --yes`).toMatchObject({
      status: 0,
    });
    expect(await dayAt(service, same)).toMatchObject({ state: "withdrawn", note: "asked to" });
    expect(await dayAt(service, other)).toMatchObject({ state: "withdrawn", note: "asked to" });
    expect(await dayAt(service, damaged)).toMatchObject({ state: "damaged", note: "block 7" });
    expect(await dayAt(service, untouched)).toMatchObject({ state: "available" });
    const list = await asOperator<FileList>(service, "GET", "/admin/files/level2?from=20260302&to=20260302");
    expect(list.files).toMatchObject([{ state: "withdrawn", stateNote: "asked to" }]);
    for (const each of [same, other]) {
      const force = each !== same;
      await expect(publishPack(service, each, await packFor(each, 2_000), { force })).rejects.toThrow(
        /409.*Revision \d of .*was withdrawn by ADMIN_TOKEN/,
      );
    }
  });
});

describe("the migration of an earlier catalog", () => {
  it("keeps a withdrawn day withdrawn, with the operator, the time and the note from the audit", async () => {
    await using service = await startService({ migrations: MIGRATIONS.slice(0, 1) });
    const db = await service.mf.getD1Database("DB");
    await fillFirstSchema(service, contentOf("20260302", 1_000));
    await applyMigrations(
      db,
      MIGRATIONS.filter((name) => name < "0011"),
    );
    await db.batch([
      db.prepare("UPDATE order_days SET state = 'withdrawn', state_note = 'asked to'"),
      db.prepare(
        `INSERT INTO audit (at_ms, actor, action, subject, after)
         VALUES (1, 'Ann', 'day.withdraw', '20260302', '{"revision":1,"state":"withdrawn","note":"asked to"}')`,
      ),
    ]);
    await applyMigrations(db);
    await expect(
      publishPack(service, "20260302", await packFor("20260302"), { force: true }),
    ).rejects.toThrow(/Revision 1 of .*was withdrawn by Ann at 1970-.*\(asked to\)/);
    await expect(
      publishPack(service, "20260302", await packFor("20260302", 2_000), { force: false }),
    ).rejects.toThrow(/run the command again with --force/);
  });
});
