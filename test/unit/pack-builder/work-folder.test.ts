/** Tests the work folder of a build: concurrent builds, killed builds and signals. */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { delimiter, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { verifyPack } from "../../../src/pack-builder/verify/verify-pack.ts";
import { bare } from "../../support/result.ts";
import { built, DAY, delivery, temporaryFolder, vendorFile, vendorLine } from "./deliveries.ts";
import { substituteSevenZip } from "./zip-file.ts";

const PATH = "600519.SH/逐笔委托.csv";

const build = (sources: string, outFolder: string, verify: boolean) =>
  built(sources, { outFolder, maxBroken: 1, threads: 1, verify, chunkBytes: 50_000 });

describe("builds that write to the same folder", () => {
  it("can run concurrently, and then leave one intact pack and its quarantine file", async () => {
    const days = [500, 900, 1300].map((count) => {
      const lines = Array.from({ length: count }, (_, n) => vendorLine({ exchangeOrderId: String(n) }));
      return delivery({ [PATH]: vendorFile(...lines, vendorLine({ volume: "x" })) });
    });
    for (const verify of [false, true]) {
      const out = temporaryFolder();
      const reports = await Promise.all(days.map((day) => build(day, out, verify)));
      expect(reports.map(({ report }) => report.rows)).toEqual([500, 900, 1300]);
      expect(readdirSync(out).sort()).toEqual([`${DAY}.parquet`, `${DAY}.quarantine.csv`]);
      const verified = bare(await verifyPack(join(out, `${DAY}.parquet`)));
      expect(verified).toMatchObject({ rows: expect.toBeOneOf([500, 900, 1300]) });
    }
  });

  it("remove the work folders of killed builds, but not of running builds or builds on other machines", async () => {
    const out = temporaryFolder();
    const host = hostname().replaceAll(/[^\w.]/g, "_");
    const ended = spawnSync("true").pid;
    const running = `${DAY}.work-${host}-${process.ppid}-aaaaaa`;
    for (const name of [`${DAY}.work-${host}-${ended}-bbbbbb`, running, `${DAY}.work-elsewhere-1-cccccc`]) {
      mkdirSync(join(out, name));
      writeFileSync(join(out, name, "1.parquet"), "x");
    }
    await build(delivery({ [PATH]: vendorFile(vendorLine()) }), out, false);
    expect(readdirSync(out).sort()).toEqual(
      [`${DAY}.parquet`, `${DAY}.work-elsewhere-1-cccccc`, running].sort(),
    );
  });
});

/** Linux lists the open files of a process there. */
const OPEN_FILES = "/proc/self/fd";

describe.skipIf(!existsSync(OPEN_FILES))("a refused build", () => {
  it("closes its quarantine file", async () => {
    const plain = "symbol,tradedate,time,order_id,exchange_order_id,order_type,order_code,price,volume";
    const row = `600519.SH,${DAY},093000010,0,1,A,B,17.45`;
    const again = [plain, `${row},100`, `${row},x`, ""].join("\n");
    const out = temporaryFolder();
    const twice = delivery({ [PATH]: vendorFile(vendorLine()), "again.csv": again });
    await expect(build(twice, out, false)).rejects.toThrow("600519.SH is delivered twice");
    const open = readdirSync(OPEN_FILES).map((name) => {
      try {
        return readlinkSync(join(OPEN_FILES, name));
      } catch {
        // The descriptor with which the folder was read is closed by now.
        return "";
      }
    });
    expect(open.filter((path) => path.startsWith(out))).toEqual([]);
  });
});

/** The path of an older Node, if one is installed. A command started with it starts itself again with Node 24. */
const OLD_NODE = ["/usr/bin/node", "/usr/local/bin/node"].find((path) => {
  const major = Number(/^v(\d+)/.exec(String(spawnSync(path, ["--version"]).stdout))?.[1] ?? 99);
  return major >= 18 && major < 24;
});
if (OLD_NODE === undefined)
  console.log("SKIPPED: no Node before 24 is installed, the launcher is not tested");

/** Starts a build whose `7z` process writes to the work folder and then blocks. Waits until that process blocks. */
async function standingBuild(node: string) {
  const out = temporaryFolder();
  const pidFile = join(temporaryFolder(), "pid");
  const programs = substituteSevenZip(
    "[ \"$1\" = l ] && printf '%b' '----------\\nPath = a.csv\\n' && exit",
    `for word in "$@"; do case "$word" in -o*) echo x > "\${word#-o}/a.csv";; esac; done`,
    `echo $$ > ${pidFile}.new; mv ${pidFile}.new ${pidFile}; exec sleep 600`,
  );
  const source = join(programs, "20230711.7z");
  writeFileSync(source, "7z");
  const command = `src/cli/edgetape.mjs pack build ${source} --date ${DAY} --out ${out} --threads 1`;
  const env = { ...process.env, PATH: [programs, process.env.PATH].join(delimiter) };
  const child = spawn(node, command.split(" "), { stdio: ["ignore", "ignore", "pipe"], env });
  onTestFinished(() => void child.kill("SIGKILL"));
  let stderr = "";
  child.stderr.on("data", (text) => {
    stderr += text;
  });
  const ended = new Promise<{ status: number | null; signal: string | null; stderr: string }>((resolve) =>
    child.on("close", (status, signal) => resolve({ status, signal, stderr })),
  );
  await until(() => existsSync(pidFile));
  const unpacker = Number(readFileSync(pidFile, "utf8"));
  onTestFinished(() => {
    if (isRunning(unpacker)) process.kill(unpacker, "SIGKILL");
  });
  expect(readdirSync(out)).toHaveLength(1);
  return { child, out, ended, unpacker };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 20));
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A zombie process counts as ended.
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

describe("a running build", () => {
  it.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
    "removes its files on %s and exits by that signal",
    async (signal) => {
      const { child, out, ended, unpacker } = await standingBuild(process.execPath);
      child.kill(signal);
      expect(await ended).toMatchObject({ signal, stderr: "" });
      expect(readdirSync(out)).toEqual([]);
      expect(isRunning(unpacker)).toBe(false);
    },
  );

  it.skipIf(OLD_NODE === undefined)(
    "removes its files if it was launched by an older Node and the launcher receives SIGTERM",
    async () => {
      const { child, out, ended, unpacker } = await standingBuild(OLD_NODE ?? "");
      child.kill("SIGTERM");
      expect(await ended).toMatchObject({ status: 143 });
      expect(readdirSync(out)).toEqual([]);
      expect(isRunning(unpacker)).toBe(false);
    },
  );

  it.skipIf(OLD_NODE === undefined)(
    "removes its files if it was launched by an older Node and the launcher is killed",
    async () => {
      const { child, out, ended, unpacker } = await standingBuild(OLD_NODE ?? "");
      child.kill("SIGKILL");
      await ended;
      await until(() => readdirSync(out).length === 0);
      expect(isRunning(unpacker)).toBe(false);
    },
  );
});
