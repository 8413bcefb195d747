/** `edgetape token`, `audit` and `explain` as operators run them, against a running service. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { edgetape } from "../support/edgetape.ts";
import { type Service, startService } from "../support/service.ts";

let service: Service;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

async function done(...words: string[]): Promise<string> {
  const { status, stdout, stderr } = await edgetape(words, service);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout;
}

describe("edgetape token and audit", () => {
  it("give an operator a token of her own, whose name is in the audit, and take it away", async () => {
    const [token = ""] = (await done("token", "issue", "Ann")).split("\n");
    await done("account", "create", "c-1", "--token", token);
    expect(await done("audit", "--actor", "Ann")).toMatch(/Ann +account\.create +c-1 +- → \{"contact"/);
    expect(await done("audit", "--subject", "Ann")).toMatch(/ADMIN_TOKEN +token\.issue +Ann/);
    const list = await done("token", "list");
    expect(list).toMatch(/^Ann +eta_\S{4} .* in force$/m);
    expect(list).not.toContain(token);
    expect((await edgetape(["token", "revoke", "Ann"], service)).status).toBe(2);
    expect(await done("token", "revoke", "Ann", "--yes")).toMatch(/^The token of Ann is revoked since 2026-/);
    const refused = await edgetape(["days", "--token", token], service);
    expect(refused).toMatchObject({ status: 1, stdout: "" });
    expect(refused.stderr).toContain("operator's token");
    expect(JSON.parse(await done("audit", "--action", "token", "--json")).entries).toHaveLength(2);
  });
});
