/** Runs the programs that the Try it page offers to copy. Each must return the answer that the page shows. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { bodyOf, programs } from "../../src/console/browser/request.js";
import { MAIN, startWorld } from "../conformance/world.ts";
import { isPythonMissing, PYTHON } from "../support/python.ts";
import { testFolder } from "../support/test-folder.ts";
import { isMissing, mustRun } from "../support/tools.ts";

const folder = testFolder("edgetape-programs-");
const world = await startWorld();
afterAll(() => world.stop());

const filled = (more: Record<string, string>) =>
  bodyOf(
    "level2_order_history",
    Object.entries({ symbol: "600519", tradedate: MAIN, ...more }).map(([name, value]) => ({ name, value })),
  );
const programFor = (more: Record<string, string>) => programs(filled(more), `${world.service.baseUrl}/api`);
const expected = async (more: Record<string, string>) =>
  (await world.ask({ symbol: "600519", tradedate: MAIN, ...more })).bytes;
const run = (program: string, args: string[]) =>
  mustRun(program, args, { cwd: folder, env: { EDGETAPE_KEY: world.keys.flagship } });
const FILE = `600519_${MAIN}_orders.parquet`;

describe.skipIf(isMissing("curl"))("the curl command that the console shows", () => {
  it("returns a page, byte for byte", async () => {
    const { curl } = programFor({ start_time: "09:30" });
    expect(await run("bash", ["-c", curl])).toBe((await expected({ start_time: "09:30" })).toString());
  });

  it("saves a file", async () => {
    await run("bash", ["-c", programFor({ format: "parquet" }).curl]);
    expect(await readFile(join(folder, FILE))).toEqual(await expected({ format: "parquet" }));
  });

  it("quotes characters that a shell would interpret", async () => {
    const { curl } = programFor({ symbol: `6'$(touch x)"\`` });
    expect(await run("bash", ["-c", curl])).toContain("param_invalid");
  });
});

describe("the TypeScript program that the console shows", () => {
  it("returns a page", async () => {
    const { typescript } = programFor({});
    const asJson = typescript.replace("await answer.json()", "JSON.stringify(await answer.json())");
    await writeFile(join(folder, "page.ts"), asJson);
    const printed = await run(process.execPath, [join(folder, "page.ts")]);
    expect(JSON.parse(printed)).toEqual(JSON.parse((await expected({})).toString()));
  });

  it("saves a file", async () => {
    await writeFile(join(folder, "file.mts"), programFor({ format: "parquet" }).typescript);
    await run(process.execPath, [join(folder, "file.mts")]);
    expect(await readFile(join(folder, FILE))).toEqual(await expected({ format: "parquet" }));
  });
});

describe.skipIf(isPythonMissing("the Python program of Try it"))(
  "the Python program that the console shows",
  () => {
    it("sends the same request body", async () => {
      const { python } = programFor({ page_size: "3" });
      // Replaces the library `requests`, which may not be installed. The replacement returns the request as the answer.
      await writeFile(
        join(folder, "requests.py"),
        "import json as j\nclass A:\n  def __init__(s, b): s.b = b\n  def json(s): return j.dumps(s.b)\ndef post(url, timeout, json): return A({'url': url, **json})\n",
      );
      await writeFile(join(folder, "page.py"), python);
      const asked = JSON.parse(await run(PYTHON, [join(folder, "page.py")]));
      expect(asked).toEqual({
        ...filled({ page_size: "3" }),
        apikey: world.keys.flagship,
        url: `${world.service.baseUrl}/api`,
      });
    });
  },
);
