import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { fileAt } from "../../../src/cli/backup-commands.ts";
import { testFolder } from "../../support/test-folder.ts";

const folder = testFolder("edgetape-out-");

/** Writes a backup at `out` and returns its path. */
function written(out: string): string {
  const path = fileAt(out);
  writeFileSync(path, "backup");
  return path;
}

describe("edgetape backup create --out", () => {
  it("creates the folder and uses a new file name each time the guide's cron line runs", () => {
    const guide = readFileSync("src/cli/README.md", "utf8");
    const out = /edgetape backup create --out (\S+)/.exec(guide.slice(guide.indexOf("CRON_TZ")))?.[1] ?? "";
    expect(out).toMatch(/^\/\w+\/\w+$/);
    const paths = [1, 2, 3].map(() => written(join(folder, out)));
    expect(new Set(paths).size).toBe(3);
    for (const path of paths) {
      expect(dirname(path)).toBe(join(folder, out));
      expect(path).toMatch(/\/edgetape-\d{8}-\d{6}(-\d)?\.jsonl\.gz$/);
    }
  });

  it("writes to the given path if it has an extension, and refuses an existing file", () => {
    const path = join(folder, "new/one.jsonl.gz");
    expect(written(path)).toBe(path);
    expect(() => fileAt(path)).toThrow(/exists and is not overwritten/);
    const plain = join(folder, "plain");
    writeFileSync(plain, "something else");
    expect(() => fileAt(plain)).toThrow(/exists and is not overwritten/);
    expect(readFileSync(plain, "utf8")).toBe("something else");
  });

  it("chooses a file in the given folder if the folder exists or ends in a slash", () => {
    for (const out of [folder, join(folder, "made.2026/")]) expect(dirname(fileAt(out))).toBe(join(out, "."));
    expect(existsSync(join(folder, "made.2026"))).toBe(true);
  });
});
