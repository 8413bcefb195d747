import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { lockState } from "../../../../src/cli/demo/state-lock.ts";

const folder = mkdtempSync(join(tmpdir(), "edgetape-lock-"));
const lockFile = join(folder, "demo.lock");
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("the lock of a state folder", () => {
  it("names its holder, makes the folder, and is gone when given back", () => {
    const unlock = lockState(folder);
    expect(readFileSync(lockFile, "utf8")).toBe(String(process.pid));
    unlock();
    expect(() => readFileSync(lockFile)).toThrow();
  });

  it.each(["999999999", "", "nonsense", String(process.pid)])(
    "takes over a lock whose holder %j is no running demo",
    (holder) => {
      lockState(folder)();
      writeFileSync(lockFile, holder);
      lockState(folder)();
    },
  );
});
