/** `edgetape token`, `audit` and `explain` as operators run them, against a running service. */
import { afterAll, describe, expect, it, vi } from "vitest";
import { edgetape } from "../support/edgetape.ts";
import { startService } from "../support/service.ts";

const service = await startService();
afterAll(() => service.stop());

async function done(...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await edgetape(args, service);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout;
}

describe("edgetape token and audit", () => {
  it("issue a named token, show its name in the audit, and revoke it", async () => {
    const [token = ""] = (await done("token", "issue", "Ann", "--scope", "admin")).split("\n");
    await done("account", "create", "c-1", "--token", token);
    expect(await done("audit", "--actor", "Ann")).toMatch(/operator +Ann +account\.create +c-1 +$/m);
    expect(await done("audit", "--subject", "Ann")).toMatch(/bootstrap +ADMIN_TOKEN +token\.issue +Ann/);
    const list = await done("token", "list");
    expect(list).toMatch(/^Ann +admin +eta_\S{4} .* in force$/m);
    expect(list).not.toContain(token);
    const [reader = ""] = (await done("token", "issue", "Rea")).split("\n");
    expect((await edgetape(["account", "create", "c-2", "--token", reader], service)).stderr).toContain(
      "scope read; the request needs the scope admin",
    );
    expect((await edgetape(["token", "issue", "Bob", "--scope", "root"], service)).status).toBe(2);
    expect((await edgetape(["token", "revoke", "Ann"], service)).status).toBe(2);
    expect(await done("token", "revoke", "Ann", "--yes")).toMatch(/^The token of Ann was revoked at 2026-/);
    const refused = await edgetape(["days", "--token", token], service);
    expect(refused).toMatchObject({ status: 1, stdout: "" });
    expect(refused.stderr).toContain("operator's token");
    expect(JSON.parse(await done("audit", "--action", "token", "--json")).entries).toHaveLength(3);
  });
});

describe("edgetape explain", () => {
  it("explains a request id with a text for the customer, and says why a given request would be refused", async () => {
    await done("account", "create", "c-9");
    const [key = ""] = (await done("key", "issue", "c-9")).split("\n");
    const request = { apiname: "level2_order_history", params: { symbol: "600519" } };
    const refused = await service.post({ ...request, apikey: key });
    const id = String(refused.headers["x-request-id"]);
    const told = await vi.waitFor(() => done("explain", id), { timeout: 60_000 });
    expect(told).toMatch(/^account c-9, key key_/);
    expect(told).toContain(`Request ${id}`);
    expect(told).toContain("403 (plan_missing)");
    expect(told).not.toContain(key);
    const unknown = await edgetape(["explain", "nothing"], service);
    expect(unknown).toMatchObject({
      status: 1,
      stdout: expect.stringContaining("Request nothing is unknown"),
    });

    for (const who of [
      ["--key", key],
      ["--account", "c-9"],
    ]) {
      const judged = await done("explain", ...who, "--request", JSON.stringify(request));
      expect(judged).toMatch(/^3 +key +passed +account c-9/m);
      expect(judged).toMatch(/^6 +plan and window +refused/m);
      expect(judged).toContain("code 403 (plan_missing), HTTP 200");
    }
    expect((await edgetape(["explain"], service)).status).toBe(2);
  });
});
