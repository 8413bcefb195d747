import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { day, order, security } from "../support/builders.ts";
import { account, publish } from "../support/operator.ts";
import { isPythonMissing, PYTHON } from "../support/python.ts";
import { type Service, startService } from "../support/service.ts";

const run = promisify(execFile);
const TRADEDATE = "20260311";
const orders = Array.from({ length: 23_456 }, (_, row) =>
  order(`09300${String(Math.floor(row / 700)).padStart(4, "0")}`, {
    exchangeOrderId: row + 1,
    volume: 100 * (1 + (row % 9)),
  }),
);
const built = day({ tradedate: TRADEDATE, securities: [security("600519", orders)] });

let service: Service;
let folder: string;
beforeAll(async () => {
  service = await startService();
  folder = await mkdtemp(join(tmpdir(), "edgetape-python-"));
  await publish(service, built);
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

/** The first Python block of the README. */
async function readmeScript(): Promise<string> {
  const [, script] = /```python\n([\s\S]*?)```/.exec(await readFile("README.md", "utf8")) ?? [];
  if (script === undefined) throw new Error("README.md holds no ```python block");
  return script;
}

describe.skipIf(isPythonMissing("the README's Python client"))("the README's Python client", () => {
  it("is at most 30 lines of the standard library", async () => {
    const lines = (await readmeScript()).trimEnd().split("\n");
    expect(lines.length).toBeLessThanOrEqual(30);
    const modules = lines.flatMap(
      (line) => /^\s*(?:import|from)\s+(.*)/.exec(line)?.[1]?.split(/,\s*/) ?? [],
    );
    const standard = ["csv", "json", "os", "sys", "time", "urllib.error", "urllib.request"];
    expect(modules.filter((name) => !standard.includes(name))).toEqual([]);
  });

  it("walks a day of 23,456 rows and prints every one in order", async () => {
    const path = join(folder, "walk.py");
    await writeFile(path, await readmeScript());
    const { key } = await account(service, { plan: "flagship" });
    const env = { ...process.env, EDGETAPE_URL: service.baseUrl, EDGETAPE_KEY: key };
    const { stdout } = await run(PYTHON, [path, "600519", TRADEDATE], { env, maxBuffer: 1 << 26 });
    const printed = stdout.trimEnd().split(/\r?\n/);
    expect(printed).toEqual(built.rowsOf("600519").map((row) => row.join(",")));
  });

  it("ends with the service's own words when it is refused", async () => {
    const path = join(folder, "refused.py");
    await writeFile(path, await readmeScript());
    const env = { ...process.env, EDGETAPE_URL: service.baseUrl, EDGETAPE_KEY: "nobody" };
    const failure = await run(PYTHON, [path, "600519", TRADEDATE], { env }).catch((error) => error);
    expect(failure.code).toBe(1);
    expect(failure.stderr).toContain("invalid api key");
  });
});
