/** `pip install` of the Python client into a fresh environment without network, and the README's four lines. */
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { day, randomSecurity } from "../support/builders.ts";
import { account, publish } from "../support/operator.ts";
import {
  canImport,
  isPythonMissing,
  PACKAGE,
  PYTHON,
  pythonEnvironment,
  pythonWith,
  versionOf,
} from "../support/python.ts";
import { randomFrom } from "../support/random.ts";
import { type Service, startService } from "../support/service.ts";

const run = promisify(execFile);
const DAY = "20260311";
const built = day({
  tradedate: DAY,
  securities: [randomSecurity(randomFrom(7), { symbol: "600519", rows: 300 })],
});
/** An environment of the interpreter that has pandas can borrow it; any other shows the installation alone. */
const pandas = pythonWith("pandas");
const base = [pandas ?? PYTHON, PYTHON].find((command) => canImport(command, "ensurepip"));
const without = isPythonMissing("the installation of the Python client") || base === undefined;
if (base === undefined)
  console.error("SKIPPED the installation of the Python client: Python has no ensurepip");

let service: Service;
let folder: string;
let python: string;
beforeAll(async () => {
  if (without) return;
  folder = await mkdtemp(join(tmpdir(), "edgetape-install-"));
  service = await startService();
  await publish(service, built);
  python = join(folder, "venv", "bin", "python");
  await run(base ?? PYTHON, ["-m", "venv", join(folder, "venv")]);
});
afterAll(async () => {
  await service?.stop();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

/** The folders that the base interpreter has pandas and NumPy in. */
async function siteOfPandas(): Promise<string> {
  // NumPy may be another folder's: the interpreter's own, beside an environment that has pandas alone.
  const program =
    "import os, numpy, pandas; print(os.pathsep.join(os.path.dirname(os.path.dirname(m.__file__)) for m in (pandas, numpy)))";
  return (await run(pandas ?? "", ["-c", program])).stdout.trim();
}

/** The environment of a machine without network: no index, and no path to the package but its installation. */
const bare = (env: Record<string, string> = {}) =>
  pythonEnvironment({ PYTHONPATH: "", PIP_NO_INDEX: "1", PIP_CONFIG_FILE: "/dev/null", ...env });

describe.skipIf(without)("pip install ./src/client/python", () => {
  it("works in a fresh environment without network and leaves nothing behind in the sources", async () => {
    const before = await readdir(PACKAGE);
    await run(python, ["-m", "pip", "install", "--no-index", "--quiet", `./${PACKAGE}`], { env: bare() });
    const program = "import edgetape; print(edgetape.__version__, edgetape.__file__)";
    const { stdout } = await run(python, ["-c", program], { env: bare(), cwd: folder });
    expect(stdout).toContain(join(folder, "venv"));
    expect(
      (await readdir(PACKAGE)).filter((name) => !before.includes(name) && name !== "__pycache__"),
    ).toEqual([]);
  });

  it.skipIf(pandas === null || base !== pandas)(
    "and four lines of its README give a DataFrame of a day",
    async () => {
      const text = await readFile(join(PACKAGE, "README.md"), "utf8");
      const [, lines = ""] = /```python\n([\s\S]*?)```/.exec(text) ?? [];
      expect(lines.split("\n").filter((line) => line.trim() !== "").length).toBeLessThanOrEqual(4);
      const { key } = await account(service, { plan: "flagship" });
      const program = `${lines}\nprint(len(frame), list(frame["symbol"].unique()), frame["time"].dtype)`;
      const PYTHONPATH = await siteOfPandas();
      const env = bare({ EDGETAPE_KEY: key, EDGETAPE_URL: service.baseUrl, PYTHONPATH });
      const { stdout } = await run(python, ["-c", program], { env, cwd: folder });
      expect(stdout.trim()).toBe("300 ['600519'] datetime64[ns]");
    },
  );

  it("and the doctor finds the service well", async () => {
    const { key } = await account(service, { plan: "trial" });
    const env = bare({ EDGETAPE_KEY: key, EDGETAPE_URL: `${service.baseUrl},http://127.0.0.1:1` });
    const failed = await run(python, ["-m", "edgetape", "doctor"], { env, cwd: folder }).catch(
      (error) => error,
    );
    expect(failed.code).toBe(1);
    expect(failed.stdout).toContain("all its stores answer");
    expect(failed.stdout).toContain("100 of 100 requests left");
    expect(failed.stdout).toContain("port 1 of 127.0.0.1 cannot be reached");
    expect(failed.stdout).not.toContain(key);
    const options = ["-m", "edgetape", "doctor", "--url", service.baseUrl];
    const { stdout } = await run(python, options, { env, cwd: folder });
    expect(stdout).toContain(`Python ${versionOf(python)}`);
  });
});
