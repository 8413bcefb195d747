/** Runs the Python client's own tests with the tests' Python and with every Python that has an optional library. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { isPythonMissing, PACKAGE, PYTHON, pythonEnvironment, pythonWith } from "../../support/python.ts";

const TESTS = "test/unit/client/python";
const libraries = ["pandas", "polars", "pyarrow", "tqdm"].map((library) => pythonWith(library));
const pythons = [...new Set([PYTHON, ...libraries.filter((each) => each !== null)])];

async function unittest(command: string): Promise<string> {
  const args = ["-W", "error::SyntaxWarning", "-m", "unittest", "discover", "-s", TESTS, "-p", "test_*.py"];
  const env = pythonEnvironment({ PYTHONPATH: `${PACKAGE}:${TESTS}` });
  const run = promisify(execFile)(command, args, { env, maxBuffer: 1 << 26 });
  const { stdout, stderr } = await run.catch((error: { stdout: string; stderr: string }) => {
    throw new Error(`${command}: ${error.stderr}\n${error.stdout}`);
  });
  const skipped = /SKIPPED[^\n]*/g.exec(stderr)?.[0];
  if (skipped !== undefined) console.error(skipped);
  return `${stdout}\n${stderr}`;
}

describe.skipIf(isPythonMissing("the Python client's own tests"))("the Python client", () => {
  it.each(pythons)("passes its own tests under %s", async (command) => {
    const said = await unittest(command);
    console.log(said.slice(-400));
    expect(said).toMatch(/Ran \d+ tests/);
  });
});
