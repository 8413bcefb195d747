/**
 * Long proofs of the Python client: random paging, and an interrupt (as by Ctrl-C) before each line of the client's
 * code.
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { isPythonMissing, PACKAGE, pythonEnvironment, pythonWith } from "../support/python.ts";

const TESTS = "test/unit/client/python";
const without = isPythonMissing("interrupts of the Python client");

describe.skipIf(without)("the Python client (long proofs)", () => {
  it("pages correctly through thousands of random histories in memory", async () => {
    const env = pythonEnvironment({ PYTHONPATH: `${PACKAGE}:${TESTS}`, EDGETAPE_TIER: "long" });
    const { stderr } = await promisify(execFile)("python3", ["-m", "unittest", "test_paging_random"], {
      env,
    });
    expect(stderr).toMatch(/Ran 2 tests[\s\S]*OK/);
  });

  it("neither loses nor repeats rows or files when any line of its code is interrupted", async () => {
    const env = pythonEnvironment({ PYTHONPATH: `${PACKAGE}:${TESTS}` });
    const command = pythonWith("pandas") ?? "python3";
    const { stderr } = await promisify(execFile)(command, ["-m", "unittest", "interrupted_files"], { env });
    console.log(stderr);
    expect(stderr).toMatch(/Ran 9 tests[\s\S]*OK/);
  });
});
