/**
 * Runs every code block of the documentation unchanged, in the order of `snippets.ts`, in one folder and against a real
 * service. Prints the names of the blocks that cannot run on this machine.
 */
import { execFile } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, describe, expect, it } from "vitest";
import type { BeijingDate } from "../../src/calendar/beijing.ts";
import { packName } from "../../src/catalog/files.ts";
import { DAY } from "../../src/docs/day-snippets.ts";
import { EXAMPLE, exampleRows, onOneDay, withExample } from "../../src/docs/example-day.ts";
import { SNIPPETS, type Snippet, type SnippetName } from "../../src/docs/snippets.ts";
import { TUTORIAL } from "../../src/docs/tutorial-snippets.ts";
import { day, order, orderOf, security } from "../support/builders.ts";
import { folderWithClient } from "../support/client-package.ts";
import { auctionPack, publishFiles } from "../support/files.ts";
import { account, loadWeekdays, publish } from "../support/operator.ts";
import { packOf } from "../support/packs.ts";
import { PYTHON } from "../support/python.ts";
import { testService } from "../support/test-service.ts";

const run = promisify(execFile);

/** A day other than the example day. The pages show the example day when no day is loaded. */
const TRADEDATE = "20260310";
const orders = exampleRows(TRADEDATE).map(orderOf);
const built = day({ tradedate: TRADEDATE, securities: [security(EXAMPLE.symbol, orders)] });

/** A day whose rows fill three pages. */
const LONG_TRADEDATE = "20260309";
const manyOrders = Array.from({ length: 23_456 }, (_, row) =>
  order(`09300${String(Math.floor(row / 700)).padStart(4, "0")}`, {
    exchangeOrderId: row + 1,
    volume: 100 * (1 + (row % 9)),
  }),
);
const long = day({ tradedate: LONG_TRADEDATE, securities: [security("600519", manyOrders)] });

const service = await testService();
await loadWeekdays(service, "20250101", "20261231");
await publish(service, built);
await publish(service, built, "trades");
await publishFiles(service, auctionPack(TRADEDATE));
const { key } = await account(service, { plan: "flagship" });
const folder = await folderWithClient();
await writeFile(join(folder, packName(TRADEDATE as BeijingDate, "orders")), (await packOf(built)).bytes);
const PYTHONPATH = resolve("src/client/python");
const env = { ...process.env, EDGETAPE_URL: service.baseUrl, EDGETAPE_KEY: key, PYTHONPATH };
afterAll(() => rm(folder, { recursive: true, force: true }));

const FACTS = { base: service.baseUrl, days: onOneDay(TRADEDATE) };
/** Returns the code as the service's pages show it. */
const shown = ({ text }: Snippet) => withExample(text, FACTS);

/** Runs a snippet and returns its output. For SQL, the output is the rows as JSON. */
async function output(snippet: Snippet): Promise<string> {
  const source = shown(snippet);
  const options = { cwd: folder, env, maxBuffer: 1 << 26 };
  switch (snippet.language) {
    case "sh":
      return (await run("bash", ["-euo", "pipefail", "-c", source], options)).stdout;
    case "python":
      await writeFile(join(folder, "snippet.py"), source);
      return (await run(PYTHON, ["-W", "error::SyntaxWarning", "snippet.py"], options)).stdout;
    case "typescript":
      await writeFile(join(folder, "snippet.ts"), source);
      return (await run(process.execPath, ["snippet.ts"], options)).stdout;
    case "sql":
      return JSON.stringify(await queried(source));
    case "json":
      return JSON.stringify(JSON.parse(source));
  }
}

async function queried(sql: string): Promise<unknown[][]> {
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  try {
    await connection.run(`SET file_search_path = '${folder}'`);
    return (await connection.runAndReadAll(sql)).getRowsJson() as unknown[][];
  } finally {
    connection.closeSync();
  }
}

/** Returns the Python modules that a snippet needs and this machine lacks. */
async function missing({ needs = [] }: Snippet): Promise<string[]> {
  const found = await Promise.all(
    needs.map((name) =>
      run(PYTHON, ["-c", `import ${name}`]).then(
        () => true,
        () => false,
      ),
    ),
  );
  return needs.filter((_, at) => !found[at]);
}

/** Returns the text without white space, because the pages add some for readability. */
const squeezed = (printed: string) => printed.replaceAll(/\s+/g, "");

/** Returns a pattern that matches exactly this text. */
const escaped = (text: string) => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&");

/** Returns a pattern for the output that the page shows. In the output, `…` matches any text. */
function patternOf(prints: string): RegExp {
  const text = squeezed(withExample(prints, FACTS));
  return new RegExp(`^${text.split("…").map(escaped).join(".*?")}$`);
}

const codeOf = (printed: string) => (JSON.parse(printed) as { code: number }).code;

/** All snippets except those that are run against the demo (`readme.long.test.ts`). */
type RunHere = Exclude<SnippetName, keyof typeof TUTORIAL | keyof typeof DAY>;

/** Checks the output of the snippets whose page shows no output, only a table, or only parts of it. */
const EXPECTED: Partial<Readonly<Record<RunHere, (printed: string) => void | Promise<void>>>> = {
  environment: (printed) => expect(printed).toBe(""),
  request: (printed) => expect(JSON.parse(printed)).toMatchObject({ apiname: "level2_order_history" }),
  answer: (printed) => expect(codeOf(printed)).toBe(200),
  curl_file: (printed) => expect(printed).toBe(""),
  duckdb: (printed) => expect(JSON.parse(printed)).toEqual([["0930", "2", 449_998]]),
  curl_share: async (printed) => {
    expect(printed).toBe("");
    const answer = await readFile(join(folder, "orders.parquet"));
    expect((await readFile(join(folder, "600519.SH.parquet"))).equals(answer)).toBe(true);
  },
  auction_curve: (printed) => expect(printed).toMatch(/091500000\s+1468\.88\s+100\s+100\s+b/),
  typescript_share: (printed) => expect(printed).toBe(""),
  pack: (printed) => expect(JSON.parse(printed)).toEqual([["600519", "4", "091500000", "093000010"]]),
};

describe("the code blocks of the documentation, run unchanged,", () => {
  const isRunHere = (name: string): name is RunHere => !(name in TUTORIAL || name in DAY);

  it.each(Object.keys(SNIPPETS).filter(isRunHere))("succeed: %s", async (name) => {
    const snippet = SNIPPETS[name];
    const without = await missing(snippet);
    if (without.length > 0) {
      console.warn(
        `SKIPPED: the ${name} block of the documentation, because ${PYTHON} has no ${without.join(", ")}`,
      );
      return;
    }
    const printed = await output(snippet);
    const isShown = snippet.prints !== undefined && snippet.language !== "sql";
    expect(isShown || name in EXPECTED).toBe(true);
    await EXPECTED[name]?.(printed);
    if (isShown) expect(squeezed(printed)).toMatch(patternOf(snippet.prints ?? ""));
  });

  it("include a paging script of at most 30 lines that prints 23,456 rows in order with the standard library alone", async () => {
    const script = shown(SNIPPETS.paging);
    const lines = script.split("\n").filter((line) => line.trim() !== "");
    expect(lines.length).toBeLessThanOrEqual(30);
    const modules = lines.flatMap((line) => /^(?:import|from) (.*)/.exec(line)?.[1]?.split(", ") ?? []);
    const standard = ["csv", "gzip", "json", "os", "sys", "time", "urllib.error", "urllib.request"];
    expect(modules).toEqual(standard);
    await publish(service, long);
    const text = script.replace(TRADEDATE, LONG_TRADEDATE);
    const { stdout } = await run(PYTHON, ["-c", text], { cwd: folder, env, maxBuffer: 1 << 26 });
    expect(stdout.trimEnd().split(/\r?\n/)).toEqual(long.rowsOf("600519").map((row) => row.join(",")));
  });

  it("include a paging script that ends with the service's message when the key is refused", async () => {
    const refused = { ...env, EDGETAPE_KEY: "unknown-key" };
    const failure = await run(PYTHON, ["-c", shown(SNIPPETS.paging)], { env: refused }).catch(
      (error) => error,
    );
    expect([failure.code, failure.stderr]).toEqual([1, expect.stringContaining("invalid api key")]);
  });

  it("include an example request, and the service answers it with the example answer", async () => {
    const request = { ...JSON.parse(shown(SNIPPETS.request)), apikey: env.EDGETAPE_KEY };
    const { envelope } = await service.post(request);
    const answer = JSON.parse(shown(SNIPPETS.answer));
    const items = built
      .rowsOf(EXAMPLE.symbol)
      .filter(([, , time]) => String(time) >= "093000000")
      .map(([, , time, , , type, , price, volume]) => [time, type, price, volume]);
    expect(envelope).toEqual({ ...answer, data: { ...answer.data, items } });
    expect(items.slice(0, 2)).toEqual(answer.data.items);
  });
});
