/**
 * Installs the Python client's wheel in a fresh environment without network. Tests the import, the types, the doctor
 * and the README's four lines.
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { day, randomSecurity } from "../support/builders.ts";
import { account, publish } from "../support/operator.ts";
import {
  canImport,
  foldersOf,
  isPythonMissing,
  PACKAGE,
  PYTHON,
  pythonEnvironment,
  pythonWith,
  versionOf,
} from "../support/python.ts";
import { randomFrom } from "../support/random.ts";
import { testFolder } from "../support/test-folder.ts";
import { testService } from "../support/test-service.ts";

const run = promisify(execFile);
const DAY = "20260311";
const built = day({
  tradedate: DAY,
  securities: [randomSecurity(randomFrom(7), { symbol: "600519", rows: 300 })],
});
/** A Python whose pandas the new environment can use. Without one, the test of the DataFrame is skipped. */
const pandas = pythonWith("pandas");
const base = [pandas ?? PYTHON, PYTHON].find((command) => canImport(command, "ensurepip"));
const hatchling = pythonWith("hatchling");
const mypy = pythonWith("mypy");
const pyright = installedPyright();
const without =
  isPythonMissing("the installation of the Python client") || base === undefined || hatchling === null;
if (base === undefined)
  console.error("SKIPPED the installation of the Python client: Python has no ensurepip");

/** The environment has no pandas, so the type of a frame is unknown there. */
const WITHOUT_PANDAS = { reportUnknownMemberType: "none", reportUnknownVariableType: "none" };

/**
 * Returns the path of pyright's program. If the program is missing, throws when `CI=true`, and otherwise prints a
 * warning and returns null.
 */
function installedPyright(): string | null {
  const path = resolve("node_modules/pyright/index.js");
  if (existsSync(path)) return path;
  const sentence = "the types under pyright: node_modules has no pyright; run npm ci";
  if (process.env.CI === "true") throw new Error(sentence);
  console.error(`SKIPPED ${sentence}`);
  return null;
}

const folder = testFolder("edgetape-install-");
const python = join(folder, "venv", "bin", "python");
const service = await testService();
await publish(service, built);
beforeAll(async () => {
  if (!without) await run(base ?? PYTHON, ["-m", "venv", join(folder, "venv")]);
});

/** Returns the environment variables of a machine without network: no package index, only the installed package. */
const bare = (env: Record<string, string> = {}) =>
  pythonEnvironment({ PYTHONPATH: "", PIP_NO_INDEX: "1", PIP_CONFIG_FILE: "/dev/null", ...env });

/** A strict caller's code. Each `type: ignore` is itself an error if the types accept the line. */
const TYPED = `from typing import Iterator, List, Optional

from edgetape import Basket, Client, DatasetName, Orders, ParquetFile, Plan, QuotaUsed, Quotes, SyncReport, Trades

client = Client("key", ["https://api.example.com"])
orders: Orders = client.orders("600519", "20260311", start="09:30")
day: Optional[str] = orders.tradedate
rows = [row[0] for row in orders]
basket: Basket = client.orders(["600519", "300750"], "20260101", "20260311", start="09:30")
taken: Plan = basket.plan()
prices = [row[0] for row in basket]
states: List[str] = [day["state"] for day in client.status("202603")["days"]]
frame = client.symbols("20260311").to_df()
plan: Optional[str] = client.account()["plan"]
limits: List[Optional[int]] = [
    quota["requests"]["limit"] for quota in client.account()["quotas"] if quota["requests"] is not None
]
file: ParquetFile = client.orders_parquet("600519", "20260311", "orders.parquet")
report: SyncReport = client.sync(["600519"], "20260301", "20260311", "orders")
changed: Iterator[str] = (change["tradedate"] for change in client.changes())
trades: Trades = client.trades("600519", "20260311", fields=["time", "bs_flag"])
both: Basket = client.trades({"600519"}, "20260101", "20260311")
ten: Quotes = client.quotes("600519", "20260311", "09:59", "10:00", page_size=100)
snapshots: Basket = client.quotes(("600519",), "20260101", "20260311", fields="time,bid1,ask1")
one_day: Basket = client.quotes(["600519"], "20260311")
kinds: List[DatasetName] = ["orders", "trades", "quotes"]
reports: List[SyncReport] = [client.history("600519", "20260301", "20260311", "h", kind) for kind in kinds]
revision: Optional[int] = client.wait_until_ready("20260311", "trades", timeout=60)
client.orders(600519, "20260311")  # type: ignore[call-overload]
client.status("202603", "ticks")  # type: ignore[arg-type]
client.quotes(["600519"])  # type: ignore[call-overload]


def reset_of(error: QuotaUsed) -> float:
    return error.resets_in
`;

describe.skipIf(without)("the Python client's wheel", () => {
  it("installs into a new environment without network", async () => {
    const build = ["-m", "hatchling", "build", "--target", "wheel", "--directory", folder];
    await run(hatchling ?? "", build, { cwd: PACKAGE });
    const wheel = (await readdir(folder)).find((name) => name.endsWith(".whl")) ?? "";
    await run(python, ["-m", "pip", "install", "--no-index", "--quiet", join(folder, wheel)], {
      env: bare(),
    });
    const program = "import edgetape; print(edgetape.__version__, edgetape.__file__)";
    const { stdout } = await run(python, ["-c", program], { env: bare(), cwd: folder });
    expect(stdout).toContain(join(folder, "venv"));
  });

  it.skipIf(mypy === null)(
    "has types with which mypy accepts correct code and refuses wrong code",
    async () => {
      await writeFile(join(folder, "typed.py"), TYPED);
      const check = ["-m", "mypy", "--strict", "--python-executable", python, "typed.py"];
      const { stdout } = await run(mypy ?? "", check, { cwd: folder }).catch((failure) => failure);
      expect(stdout).toBe("Success: no issues found in 1 source file\n");
    },
  );

  it.skipIf(pyright === null)("has types that also pass pyright's strict mode", async () => {
    await writeFile(join(folder, "typed.py"), TYPED);
    const strict = { typeCheckingMode: "strict", reportUnnecessaryTypeIgnoreComment: "error" };
    const settings = { include: ["typed.py"], ...strict, ...WITHOUT_PANDAS };
    await writeFile(join(folder, "pyrightconfig.json"), JSON.stringify(settings));
    const check = [pyright ?? "", "--pythonpath", python, "--project", folder];
    const { stdout } = await run(process.execPath, check, { cwd: folder }).catch((failure) => failure);
    expect(stdout).toContain("0 errors, 0 warnings");
  });

  it.skipIf(pandas === null || base !== pandas)(
    "loads a day into a DataFrame with the four lines of its README",
    async () => {
      const text = await readFile(join(PACKAGE, "README.md"), "utf8");
      const [, lines = ""] = /```python\n([\s\S]*?)```/.exec(text) ?? [];
      expect(lines.split("\n").filter((line) => line.trim() !== "").length).toBeLessThanOrEqual(4);
      const { key } = await account(service, { plan: "flagship" });
      const program = `${lines}\nprint(len(frame), list(frame["symbol"].unique()), frame["time"].dtype)`;
      // The libraries that pandas needs can be in a different folder from pandas itself.
      const PYTHONPATH = foldersOf(pandas ?? "", "pandas", "numpy", "dateutil");
      const env = bare({ EDGETAPE_KEY: key, EDGETAPE_URL: service.baseUrl, PYTHONPATH });
      const { stdout } = await run(python, ["-c", program], { env, cwd: folder });
      expect(stdout.trim()).toBe("300 ['600519'] datetime64[ns]");
    },
  );

  it("has a doctor command that reports an unreachable base URL and succeeds when all are reachable", async () => {
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
