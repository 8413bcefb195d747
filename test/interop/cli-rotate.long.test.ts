/** Tests the replacement of an old version of the share secret with `edgetape share secret` and `share rotate`. */
import { describe, expect, it } from "vitest";
import { commandsOf } from "../support/edgetape.ts";
import { askShare, auctionPack, publishFiles, shareIn } from "../support/files.ts";
import { account } from "../support/operator.ts";
import { startService } from "../support/service.ts";
import { testFolder } from "../support/test-folder.ts";

const OLD = "1:test-share-secret-of-this-deployment-0001";
const BOTH = `${OLD},2:test-share-secret-of-this-deployment-0002`;
const persistDir = testFolder("edgetape-rotate-");

describe("edgetape share rotate", () => {
  it("re-encrypts passwords, revokes older shares after a confirmation, and says which secrets can be removed", async () => {
    const before = await startService({ persistDir, settings: { SHARE_SECRET: OLD } });
    const { key } = await account(before, { plan: "flagship" });
    await publishFiles(before, auctionPack("20260311"));
    const drive = ["--type", "level2", "--year", "2024"];
    const coverage = ["--from", "20240102", "--to", "20241231", "--files", "242", "--bytes", "9000"];
    const link = ["--link", "https://pan.example.com/s/9", "--expires", "2027-01-01"];
    const set = await commandsOf(before).run`external set ${drive} ${coverage} ${link}`;
    expect(set.status).toBe(0);
    const old = shareIn(await askShare(before, key, { data_type: "auction_tick", year: 2026 }));
    await before.stop();

    await using after = await startService({ persistDir, settings: { SHARE_SECRET: BOTH } });
    const { run, done } = commandsOf(after);
    const shown = await done`share secret`;
    expect(shown).toMatch(/^1 +yes +1 +1 +still needed$/m);
    expect(shown).toMatch(/^2 +yes +0 +0 +current$/m);

    const rotated = await done`share rotate`;
    expect(rotated).toContain("The passwords of level2 2024 were re-encrypted; 0 shares were revoked.");
    expect(rotated).toMatch(/^1 +yes +1 +0 +still needed$/m);
    const unasked = await run`share rotate --revoke-older`;
    expect(unasked).toMatchObject({ status: 2, stdout: "" });
    expect(unasked.stderr).toContain(
      "Revoke 1 shares of versions before 2 at once? There is no terminal for the confirmation",
    );
    const ended = await done`share rotate --revoke-older --yes`;
    expect(ended).toContain("No passwords of external shares were re-encrypted; 1 shares were revoked.");
    expect(ended).toMatch(/^1 +yes +0 +0 +can be removed$/m);
    expect(JSON.parse(await done`share secret --json`)).toMatchObject({ current: 2 });
    const fresh = shareIn(await askShare(after, key, { data_type: "auction_tick", year: 2026 }));
    expect(fresh.url).not.toBe(old.url);
  });
});
