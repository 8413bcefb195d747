import { afterAll, describe, expect, it } from "vitest";
import { pageOf } from "../support/paging.ts";
import { expectRefusal } from "./expect-refusal.ts";
import { MAIN, sharedWorld } from "./world.ts";

const world = await sharedWorld();
afterAll(() => world.stop());

const ask = (symbol: unknown) => world.ask({ symbol, tradedate: MAIN });

describe("the `symbol` parameter (contract 3.4)", () => {
  it.each([
    "600519",
    "600519.SH",
    "600519.SS",
    "600519.SSE",
    "600519.XSHG",
    "600519.sh",
    "600519.xshg",
    "sh600519",
    "SH600519",
    " 600519 ",
    "\t600519.SH\n",
  ])("sent as %j selects 600519 in Shanghai", async (symbol) => {
    expect(pageOf(await ask(symbol)).items).toEqual(world.main.rowsOf("600519"));
  });

  it.each(["300750", "300750.SZ", "300750.SZSE", "300750.XSHE", "300750.sz", "sz300750", "Sz300750"])(
    "sent as %j selects 300750 in Shenzhen",
    async (symbol) => {
      expect(pageOf(await ask(symbol)).items).toEqual(world.main.rowsOf("300750"));
    },
  );

  it.each([
    ["000001", "SZ", "a Shenzhen share rather than a Shanghai index"],
    ["600036", "SH", "a Shanghai share"],
    ["159915", "SZ", "a Shenzhen fund"],
    ["510300", "SH", "a Shanghai fund"],
  ] as const)(
    "sent as %s, a code on both exchanges, selects the security in %s: %s",
    async (symbol, market, _) => {
      expect(pageOf(await ask(symbol)).items).toEqual(world.main.rowsOf(symbol, market));
    },
  );

  it.each([
    ["000001.SH", "000001", "SH"],
    ["000001.SZ", "000001", "SZ"],
    ["sh159915", "159915", "SH"],
    ["510300.XSHE", "510300", "SZ"],
    ["110001.SH", "110001", "SH"],
    ["sz110001", "110001", "SZ"],
  ] as const)("sent as %s selects the security on the named exchange", async (asked, symbol, market) => {
    expect(pageOf(await ask(asked)).items).toEqual(world.main.rowsOf(symbol, market));
  });

  it("is refused with 422 for a bond's code that both exchanges list, and the message asks for the suffix", async () => {
    expectRefusal(await ask("110001"), { reason: "param_invalid", says: ["symbol", ".SH", ".SZ"] });
  });

  it("is refused with 1002 when the day lacks the security, and the message names an exchange that has the code", async () => {
    expectRefusal(await ask("999999"), { reason: "security_unknown", says: ["999999"] });
    expectRefusal(await ask("300750.SH"), { reason: "security_unknown", says: ["300750.SZ"] });
    expectRefusal(await ask("sz600519"), { reason: "security_unknown", says: ["600519.SH"] });
  });

  it.each(["430047.BJ", "bj430047", "600519.BJ"])(
    "is refused with 1002 for %s, because the service has no data of the Beijing exchange",
    async (symbol) => {
      expectRefusal(await ask(symbol), { reason: "security_unknown" });
    },
  );

  it("of a security delivered without orders is refused with 1002 no_orders", async () => {
    expectRefusal(await ask("688111"), { reason: "no_orders", says: ["688111"] });
  });

  it.each([
    "60051",
    "6005190",
    "600519.",
    ".SH",
    "600519.HK",
    "600519.SHE",
    "600519SH",
    "SH.600519",
    "sh 600519",
    "600519 .SH",
    "sh600519.SH",
    "sh600519.SZ",
    "hk600519",
    "60051A",
    "６００５１９",
    "AAPL",
    "0x1234",
    "-60051",
    "6005.9",
    "%",
    "600519;--",
  ])("is refused with 422 for %j, and the message names the accepted forms", async (symbol) => {
    expectRefusal(await ask(symbol), { reason: "param_invalid", says: ["symbol"] });
  });

  it.each([600519, 1.5, true, {}, { symbol: "600519" }])(
    "is refused with 422 for %j, which is not a string",
    async (symbol) => {
      expectRefusal(await ask(symbol), { reason: "param_invalid", says: ["symbol"] });
    },
  );

  it.each([["600519,300750"], ["600519, "], [[["600519"]]], [["600519", "300750"]], [[]]])(
    "is refused with 422 for %j, because a request may name only one security",
    async (symbol) => {
      const headers = { "accept-language": "en" };
      const answer = await world.ask({ symbol, tradedate: MAIN }, { headers });
      expectRefusal(answer, { reason: "param_invalid", says: ["symbol", /one security per request/i] });
    },
  );

  it.each([undefined, null, "", "  "])(
    "is refused with 422 for %j, because symbol is required",
    async (symbol) => {
      expectRefusal(await ask(symbol), { reason: "param_invalid", says: ["symbol"] });
    },
  );
});
