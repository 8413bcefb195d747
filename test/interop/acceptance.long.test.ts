/** Runs `edgetape acceptance` with short time limits against a local service, directly and through faulty proxies. */
import { type ClientRequest, type IncomingMessage, type OutgoingHttpHeaders, request } from "node:http";
import { describe, expect, it } from "vitest";
import type { BeijingDate } from "../../src/calendar/beijing.ts";
import type { Checked, Target } from "../../src/cli/acceptance/check.ts";
import { placeChecks } from "../../src/cli/acceptance/place-checks.ts";
import { DATASETS } from "../../src/datasets/registry.ts";
import { noiseOf } from "../support/dataset-days.ts";
import { commandsOf } from "../support/edgetape.ts";
import { type Listening, listening } from "../support/listening.ts";
import { account, loadWeekdays, publishPack } from "../support/operator.ts";
import { buildPackBytes } from "../support/pack-bytes.ts";
import { randomFrom } from "../support/random.ts";
import { runEdgetape } from "../support/running-command.ts";
import { testService } from "../support/test-service.ts";

const TRADEDATE = "20260311";
/** The file of this security is larger than all buffers between the worker and a paused reader. */
const LARGE = { symbol: "300750", rows: 700_000 };
const BOUND_SECONDS = 8;

const service = await testService({ settings: { PARQUET_BOUND_MS: String(BOUND_SECONDS * 1000) } });
await loadWeekdays(service, "20260301", "20260331");
const random = randomFrom(7);
const pack = await buildPackBytes(TRADEDATE as BeijingDate, [
  { symbol: LARGE.symbol, market: "SZ", columns: noiseOf(random, DATASETS.orders, LARGE.rows) },
  { symbol: "600519", market: "SH", columns: noiseOf(random, DATASETS.orders, 2_000) },
]);
await publishPack(service, TRADEDATE, pack);
const { accountId, key: apikey } = await account(service, { plan: "flagship" });

/** Runs the command and checks that its output does not contain the API key. */
async function acceptance(baseUrl: string, more: string[], adminToken = "") {
  const bounds = ["--stream", "2", "--bound", String(BOUND_SECONDS), "--within", "20"];
  const args = ["acceptance", "--account", accountId, "--pages", "20", ...bounds, ...more];
  const ended = await runEdgetape(args, { baseUrl, adminToken }, { EDGETAPE_KEY: apikey });
  expect(`${ended.stdout}${ended.stderr}`).not.toContain(apikey);
  return ended;
}

async function results(baseUrl: string, more: string[] = [], adminToken = "") {
  const { status, stdout } = await acceptance(baseUrl, ["--json", ...more], adminToken);
  const { results, target } = JSON.parse(stdout) as { results: Checked[]; target: Target };
  const of = (wanted: string) => results.filter(({ result }) => result === wanted).map(({ name }) => name);
  return { status, target, ok: of("ok"), failed: of("failed"), skipped: of("skipped") };
}

describe("edgetape acceptance", () => {
  it("passes for a correct service, and skips only the checks that are impossible on a local service", async () => {
    const { status, target, failed, ok, skipped } = await results(service.baseUrl, [], service.adminToken);
    expect(target.symbol).toBe("300750.SZ");
    expect([status, failed]).toEqual([0, []]);
    expect(skipped).toEqual(["plain HTTP", "address"]);
    expect(ok).toEqual([
      ...["clients", "methods", "cache", "place"],
      ...["share", "share password", "share HEAD", "share ranges", "share by symbol"],
      ...["pages", "file", "one slot", "hang-up", "signal", "slow reader", "stopped reader"],
    ]);
  });

  it("skips the checks that need a large file when the file is small", async () => {
    const { status, skipped } = await results(service.baseUrl, ["--symbol", "600519", "--quick"]);
    expect(status).toBe(0);
    expect(skipped).toEqual(["plain HTTP", "address", "cache", "place", "one slot", "signal"]);
  });

  it("prints a table by default", async () => {
    const { stdout } = await acceptance(service.baseUrl, ["--quick"]);
    const lines = stdout.trimEnd().split("\n");
    expect(lines[0]).toMatch(/^check +result +s +seen$/);
    expect(lines).toContainEqual(expect.stringMatching(/^hang-up +ok +\d+\.\d +free after \d+ ms$/));
    expect(lines.at(-1)).toBe("12 ok, 0 failed, 4 skipped");
  });

  it("reports failures when a proxy blocks clients, drops Range and truncates bodies", async () => {
    await using proxy = await corrupting();
    const { status, failed } = await results(proxy.url, ["--quick"], service.adminToken);
    expect(status).toBe(1);
    expect(failed).toEqual(
      expect.arrayContaining(["clients", "methods", "address", "share ranges", "share by symbol", "file"]),
    );
  });

  it("checks that the worker receives the client address that the edge sees", async () => {
    const seen = async (told: string | null) => {
      await using proxy = await edge(told);
      const checks = placeChecks(proxy.url, service.adminToken);
      return await checks.find(({ name }) => name === "address")?.run();
    };
    expect(await seen(EDGE_SAYS)).toEqual({
      result: "ok",
      detail: `${EDGE_SAYS}, even when the caller claims a different address`,
    });
    expect(await seen("198.51.100.8")).toMatchObject({
      result: "failed",
      detail: expect.stringContaining("198.51.100.8, but the edge sees"),
    });
    expect(await seen(null)).toMatchObject({ result: "failed" });
  });

  it("reports a missing URL or key, and the request that fails when the day has no data", async () => {
    const without = async (args: string[], environment: Record<string, string>) =>
      (await runEdgetape(["acceptance", ...args], { baseUrl: "", adminToken: "" }, environment)).stderr;
    expect(await without([], { EDGETAPE_KEY: "k" })).toContain("Name the deployment");
    expect(await without(["--url", service.baseUrl], {})).toContain("Give an API key");
    expect(
      await without(["--url", service.baseUrl, "--account", accountId, "--date", "20200102"], {
        EDGETAPE_KEY: apikey,
      }),
    ).toContain("data_symbols: ");
  });

  it("refuses a customer's key, and accepts the key of an account for acceptance tests", async () => {
    const run = (key: string, ...more: string[]) => {
      // The day is not served, so the command ends before the checks even with an accepted key.
      const args = ["acceptance", "--url", service.baseUrl, "--date", "20200102", ...more];
      return runEdgetape(args, { baseUrl: "", adminToken: "" }, { EDGETAPE_KEY: key });
    };
    const customer = await account(service, { plan: "flagship" });
    const refused = await run(customer.key);
    expect(refused).toMatchObject({ status: 2, stdout: "" });
    expect(refused.stderr).toBe(
      `edgetape: This is a key of ${customer.accountId}, and the checks would use that account's quota and slot. Use a key of an account whose id is acceptance or begins with acceptance-, or confirm with --account ${customer.accountId} that the account is not a customer's.\n`,
    );
    expect((await run(customer.key, "--account", accountId)).stderr).toContain("This is a key of");
    const { done } = commandsOf(service);
    await done`account create acceptance-1`;
    await done`subscription weekly acceptance-1`;
    const [own = ""] = (await done`key issue acceptance-1`).split("\n");
    expect((await run(own)).stderr).toContain("data_symbols: ");
  });
});

/** The client address that an edge in front of the service reports. */
const EDGE_SAYS = "198.51.100.7";

/** Sends a request on to the service with these headers. */
function passOn(asked: IncomingMessage, headers: OutgoingHttpHeaders): ClientRequest {
  const method = asked.method ?? "GET";
  return asked.pipe(request(service.baseUrl + asked.url, { method, headers }));
}

/**
 * Starts a proxy that reports `EDGE_SAYS` as the caller's address and sends the worker the address `told`. If `told` is
 * null, it passes on the address that the caller claims.
 */
function edge(told: string | null): Promise<Listening> {
  return listening((asked, answer) => {
    if (asked.url === "/cdn-cgi/trace") return answer.end(`fl=1f1\nip=${EDGE_SAYS}\n`);
    const own = told === null ? {} : { "cf-connecting-ip": told };
    passOn(asked, { ...asked.headers, ...own }).on("response", (got) => {
      got.pipe(answer.writeHead(got.statusCode ?? 502, got.headers));
    });
  });
}

/**
 * Starts a proxy with common faults: it refuses Python clients, redirects GET, drops Range, hides the caller's address
 * and truncates large bodies.
 */
function corrupting(): Promise<Listening> {
  return listening((asked, answer) => {
    const { method, headers, url } = asked;
    if (headers["user-agent"]?.includes("urllib")) return answer.writeHead(403).end("error code: 1010");
    if (url === "/cdn-cgi/trace") return answer.end(`fl=1f1\nip=${EDGE_SAYS}\ncolo=HKG\n`);
    if (method === "GET" && url === "/api") return answer.writeHead(301, { Location: "https://h/" }).end();
    // Keeps the Host header, because the service makes the share's URL from it when PUBLIC_BASE_URL is not set.
    const { range: _, ...kept } = headers;
    const passed = passOn(asked, kept).on("error", () => answer.destroy());
    passed.on("response", (got) => {
      answer.writeHead(got.statusCode ?? 502, got.headers);
      let bytes = 0;
      got.on("data", (piece: Buffer) => {
        bytes += piece.length;
        if (bytes > 1_000_000) answer.destroy();
        else answer.write(piece);
      });
      got.on("end", () => answer.end());
    });
  });
}
