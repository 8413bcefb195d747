/**
 * Every code block of the READMEs is run: here, or by the test that is named here. A new block without a
 * runner fails. What cannot run on this machine is named loudly.
 */
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { day, order, security } from "../support/builders.ts";
import { account, loadWeekdays, publish } from "../support/operator.ts";
import { canImport, foldersOf, PYTHON, pythonWith } from "../support/python.ts";
import { type Service, startService } from "../support/service.ts";

const run = promisify(execFile);
const READMES = ["README.md", "src/client/python/README.md"].filter((path) => existsSync(path));

interface CodeBlock {
  readme: string;
  language: string;
  text: string;
}

const BLOCKS: CodeBlock[] = READMES.flatMap((readme) =>
  [...readFileSync(readme, "utf8").matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(
    ([, language = "", text = ""]) => ({
      readme,
      language,
      text,
    }),
  ),
);

/** Who runs a block, by how it begins: `here`, or the file that does. */
const RUNNERS: readonly [begins: RegExp, runner: string][] = [
  [/^npm ci && npm start\n$/, "test/interop/start.long.test.ts"],
  [/^npm ci && npm test\n$/, ".ci/run"],
  [/^export EDGETAPE_URL=/, "test/interop/docs-readme-demo.long.test.ts"],
  [/^curl -s /, "here"],
  [/^import csv, json, os, sys, time/, "test/interop/readme-python.long.test.ts"],
  [/^npx edgetape pack build /, "here"],
  [/^pip install \.\/src\/client\/python/, "here"],
  [/^from edgetape import Client\n/, "here"],
];

const built = day({
  tradedate: "20260311",
  securities: [security("600519", [order("093000000"), order("093000010", { volume: 500 })])],
});

let service: Service;
let folder: string;
let key: string;
beforeAll(async () => {
  service = await startService();
  await loadWeekdays(service, "20230101", "20261231");
  await publish(service, built);
  key = (await account(service, { plan: "flagship" })).key;
  folder = await mkdtemp(join(tmpdir(), "edgetape-readme-"));
});
afterAll(async () => {
  await service?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** The blocks that begin like this and are run here, as this machine and this service have them. */
function blocksLike(begins: RegExp): string[] {
  return BLOCKS.map(({ text }) => text)
    .filter((text) => begins.test(text))
    .map((text) => text.replaceAll("http://127.0.0.1:8787", service.baseUrl));
}

async function shell(text: string, more: Record<string, string> = {}) {
  const env = {
    ...process.env,
    EDGETAPE_URL: service.baseUrl,
    EDGETAPE_KEY: key,
    EDGETAPE_DAY: built.tradedate,
    EDGETAPE_TOKEN: service.adminToken,
    ...more,
  };
  return run("bash", ["-euo", "pipefail", "-c", text], { cwd: folder, env, maxBuffer: 1 << 26 });
}

describe("the code blocks of the READMEs", () => {
  it("have a runner each, and no runner is left without a block", () => {
    const runners = BLOCKS.map(({ text }) => RUNNERS.find(([begins]) => begins.test(text)));
    expect(BLOCKS.filter((_, at) => runners[at] === undefined)).toEqual([]);
    for (const each of runners) {
      if (each !== undefined && each[1] !== "here") expect(existsSync(each[1]), each[1]).toBe(true);
    }
    const unused = RUNNERS.filter(([begins]) => !BLOCKS.some(({ text }) => begins.test(text)));
    expect(unused).toEqual([]);
    expect(readFileSync(".ci/run", "utf8")).toMatch(
      /^part npm npm ci\b[\s\S]*^part quick npm test\b[\s\S]*^part long npm run test:long\b/m,
    );
  });

  it("curl: the request is served as it stands", async () => {
    for (const text of blocksLike(/^curl -s /)) {
      const { stdout } = await shell(text);
      expect(JSON.parse(stdout)).toMatchObject({ code: 200, data: { items: built.rowsOf("600519") } });
    }
  });

  it("edgetape: from a vendor's folder to a served day, the three commands as they stand", async () => {
    const edgetape = `node ${resolve("src/cli/edgetape.mjs")}`;
    await shell(`${edgetape} sample --date 20230711 --rows 2000 --csv --out 20230711`);
    for (const text of blocksLike(/^npx edgetape pack build /)) {
      const { stdout } = await shell(text.replaceAll("npx edgetape", edgetape));
      expect(stdout).toContain("20230711");
      const { days } = JSON.parse((await service.admin("GET", "/admin/days?month=202307")).text);
      expect(JSON.stringify(days)).toContain("20230711");
    }
  });

  it("pip: the Python client is installed from the checkout", async () => {
    // Its build backend comes from the interpreter that has it, for machines that reach no index.
    const builder = canImport(PYTHON, "venv", "ensurepip") ? pythonWith("hatchling") : null;
    if (builder === null) {
      console.warn(
        "SKIPPED: the pip block of src/client/python/README.md, because venv or hatchling is missing",
      );
      return;
    }
    const backend = foldersOf(builder, "hatchling", "pluggy");
    for (const text of blocksLike(/^pip install /)) {
      await shell(`${PYTHON} -m venv ${join(folder, "venv")}`);
      const inside = `source ${join(folder, "venv", "bin", "activate")}\ncd ${resolve(".")}\n`;
      const offline = `export PIP_NO_INDEX=1 PIP_NO_BUILD_ISOLATION=0 PYTHONPATH=${backend}\n`;
      await shell(inside + offline + text);
      const { stdout } = await shell(`${inside}cd /\npython -c 'import edgetape; print(edgetape.__file__)'`);
      expect(stdout).toContain(join(folder, "venv"));
    }
  });

  it("Python: four lines give the frame of a day", async () => {
    const hasPandas = await run(PYTHON, ["-c", "import pandas"]).then(
      () => true,
      () => false,
    );
    if (!hasPandas) {
      console.warn(
        `SKIPPED: the DataFrame block of src/client/python/README.md, because ${PYTHON} has no pandas`,
      );
      return;
    }
    for (const text of blocksLike(/^from edgetape import Client\n/)) {
      const env = {
        ...process.env,
        EDGETAPE_URL: service.baseUrl,
        EDGETAPE_KEY: key,
        EDGETAPE_DAY: built.tradedate,
        PYTHONPATH: resolve("src/client/python"),
      };
      const { stdout } = await run(PYTHON, ["-c", `${text}\nprint(list(frame["volume"]))`], {
        env,
        cwd: folder,
      });
      expect(stdout).toBe("[300, 500]\n");
    }
  });
});
