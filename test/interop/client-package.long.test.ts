import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { day, order, security } from "../support/builders.ts";
import { checkTypes, folderWithClient, runScript } from "../support/client-package.ts";
import { account, publish } from "../support/operator.ts";
import { type Service, startService } from "../support/service.ts";

const TRADEDATE = "20260311";
const orders = Array.from({ length: 12_345 }, (_, row) =>
  order(`09300${String(Math.floor(row / 700)).padStart(4, "0")}`, { exchangeOrderId: row + 1 }),
);
const built = day({ tradedate: TRADEDATE, securities: [security("600519", orders)] });

const FOUR_LINES = `import { Client } from "edgetape/client";
const client = new Client({ key: process.env.EDGETAPE_KEY ?? "", baseUrls: process.env.EDGETAPE_URL ?? "" });
const rows = await client.orders({ symbol: "600519", date: "${TRADEDATE}" }).toArray();
console.log(JSON.stringify(rows.map((row) => Object.values(row))));
`;

const TYPED = `import { Client, QuotaUsed } from "edgetape/client";
export async function prices(client: Client): Promise<number[]> {
  const prices: number[] = [];
  for await (const row of client.orders({ symbol: "600519", fields: ["price", "side"] })) {
    const side: string = row.side;
    // @ts-expect-error not asked for
    row.volume;
    prices.push(side === "B" ? row.price : 0);
  }
  return prices;
}
export const resetOf = (error: unknown): Date | null => (error instanceof QuotaUsed ? error.resetsAt : null);
`;

let service: Service;
let folder: string;
let env: Record<string, string>;
beforeAll(async () => {
  service = await startService();
  await publish(service, built);
  const { key } = await account(service, { plan: "flagship" });
  env = { EDGETAPE_URL: service.baseUrl, EDGETAPE_KEY: key };
  folder = await folderWithClient();
});
afterAll(async () => {
  await service?.stop();
  await rm(folder, { recursive: true, force: true });
});

describe("edgetape/client, packed and installed", () => {
  it("reads a day of 12,345 rows in four lines of TypeScript, as plain Node runs them", async () => {
    await writeFile(join(folder, "four.ts"), FOUR_LINES);
    expect(JSON.parse(await runScript(folder, "four.ts", env))).toEqual(built.rowsOf("600519"));
  });

  it("types the columns that were asked for, for a strict caller", async () => {
    await writeFile(join(folder, "typed.ts"), TYPED);
    await checkTypes(folder);
  });

  it("imports nothing but its own files, and none of the server at run time", async () => {
    const installed = join(folder, "node_modules", "edgetape", "dist", "client", "typescript");
    for (const name of (await readdir(installed)).filter((each) => each.endsWith(".js"))) {
      const text = await readFile(join(installed, name), "utf8");
      const imports = [...text.matchAll(/^(?:import|export [{*])[^;"]*"([^"]+)"/gm)].map(
        ([, from]) => from ?? "",
      );
      expect(
        imports.filter((from) => !/^\.\/[\w-]+\.js$/.test(from)),
        name,
      ).toEqual([]);
    }
  });
});
