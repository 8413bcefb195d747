import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { run } from "../../../src/cli/main.ts";
import { createProgram } from "../../../src/cli/program.ts";
import { listening } from "../../support/listening.ts";

let written: { stdout: string; stderr: string };
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "edgetape-main-"));
  written = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    vi.spyOn(process[name], "write").mockImplementation((text) => {
      written[name] += String(text);
      return true;
    });
  }
  vi.stubEnv("EDGETAPE_URL", "");
  vi.stubEnv("EDGETAPE_TOKEN", "");
  vi.stubEnv("EDGETAPE_WEBHOOK_URL", "");
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

describe("an error of a command", () => {
  it("with --json is one line of JSON on stderr, for a refusal, a missing setting or a wrong option", async () => {
    await using service = await listening((_, response) => {
      response.statusCode = 422;
      response.end(JSON.stringify({ error: "That day has changed.", reason: "day_changed" }));
    });
    const told = async (...args: string[]) => {
      written.stderr = "";
      const status = await run(args);
      return [status, JSON.parse(written.stderr)];
    };
    expect(await told("plan", "list", "--url", service.url, "--token", "t", "--json")).toEqual([
      1,
      { error: "That day has changed.", exitStatus: 1, httpStatus: 422, reason: "day_changed" },
    ]);
    expect(await told("plan", "list", "--json")).toEqual([
      2,
      { error: expect.stringMatching(/^Name the service/), exitStatus: 2 },
    ]);
    expect(await told("plan", "list", "--json", "--wrong")).toEqual([
      2,
      { error: "unknown option '--wrong'", exitStatus: 2 },
    ]);
    expect(written.stdout).toBe("");
  });

  it("without --json is one sentence", async () => {
    expect(await run(["plan", "list"])).toBe(2);
    expect(written.stderr).toMatch(/^edgetape: Name the service .*\n$/);
  });

  it("such as an argument that is not UTF-8 is reported before anything is sent", async () => {
    expect(await run(["account", "create", "\uFFFD\uFFFD", "--url", "http://127.0.0.1:1"])).toBe(2);
    expect(written.stderr).toContain("not UTF-8 text");
  });

  it("says within EDGETAPE_TIMEOUT that the service does not answer, also for nightly", async () => {
    await using service = await listening(() => undefined);
    vi.stubEnv("EDGETAPE_TIMEOUT", "1");
    const { url } = service;
    expect(await run(["nightly", folder, "--url", url, "--token", "t"])).toBe(1);
    expect(written.stderr).toContain(`edgetape: ${url} accepted the request and did not answer within 1 s.`);
  });
});

describe("the modules of the commands", () => {
  it("are loaded on demand: none for --version, one group for a command of the group, all for --help", async () => {
    const loaded = async (...args: string[]) =>
      (await createProgram(args)).commands.map((each) => each.name());
    expect(await loaded("--version")).toEqual([]);
    expect(await loaded("key", "list")).toEqual(["key"]);
    expect(await loaded("day", "20260311")).toEqual(["days", "day"]);
    const all = await loaded("--help");
    expect(all.length).toBeGreaterThan(20);
    expect(await loaded("nonsense")).toEqual(all);
    for (const name of all) expect(await loaded(name)).toContain(name);
  });
});

describe("a command whose output is closed before it ends", () => {
  it("ends without a stack trace, with the status of its work", async () => {
    const child = spawn(process.execPath, ["src/cli/edgetape.mjs", "--help"]);
    child.stdout.destroy();
    let told = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      told += text;
    });
    expect(await once(child, "close")).toEqual([0, null]);
    expect(told).toBe("");
  });
});
