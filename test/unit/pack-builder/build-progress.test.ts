import { describe, expect, it } from "vitest";
import type { StageShares } from "../../../src/pack-builder/build-progress.ts";
import { built, delivery, vendorFile, vendorLine } from "./deliveries.ts";

async function sharesOf(files: Record<string, string>, said: { verify: boolean; chunkBytes?: number }) {
  const seen: StageShares[] = [];
  await built(delivery(files), { ...said, onProgress: (shares) => void seen.push(shares) });
  return seen;
}

const lines = Array.from({ length: 300 }, (_, n) => vendorLine({ exchangeOrderId: String(n) }));
const FILES = {
  "600519.SH/逐笔委托.csv": vendorFile(...lines),
  "600000.SH/逐笔委托.csv": vendorFile(vendorLine({ code: "600000.SH", exchangeCode: "600000" })),
  "600001.SH/行情.csv": "x",
};

const isPart = (share: number) => share > 0 && share < 1;
const isMost = (share: number) => share > 0.9;

describe("the progress of a build", () => {
  it.each([
    ["with whole files", undefined],
    ["with files cut into chunks", 2_000],
  ])("%s reports reading, sorting, writing and verifying, each up to 1", async (_, chunkBytes) => {
    const seen = await sharesOf(FILES, { verify: true, ...(chunkBytes === undefined ? {} : { chunkBytes }) });
    expect(seen.at(-1)).toEqual({ read: 1, sort: 1, write: 1, verify: 1 });
    for (const stage of ["read", "sort", "write", "verify"] as const) {
      const shares = seen.map((each) => each[stage] ?? -1);
      expect(shares).toEqual(shares.toSorted((a, b) => a - b));
      expect(shares[0]).toBeGreaterThanOrEqual(0);
    }
    // Sorting and writing also report intermediate shares. Verifying begins when everything is written.
    expect(seen).toContainEqual(expect.objectContaining({ sort: expect.toSatisfy(isPart) }));
    expect(seen).toContainEqual(expect.objectContaining({ write: expect.toSatisfy(isPart) }));
    expect(seen).toContainEqual({ read: 1, sort: 1, write: 1, verify: 0 });
    // When files are cut into chunks, sorting begins only when almost everything is read.
    if (chunkBytes === undefined) return;
    expect(seen).toContainEqual(expect.objectContaining({ read: expect.toSatisfy(isMost), sort: 0 }));
  });

  it("omits the verification when the build does not verify", async () => {
    expect((await sharesOf(FILES, { verify: false })).at(-1)).toEqual({ read: 1, sort: 1, write: 1 });
  });
});
