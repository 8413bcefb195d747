import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectRefusal } from "./expect-refusal.ts";
import { BEFORE_WINDOW, FIRST_OF_WINDOW, MAIN, sharedWorld, TODAY, type World } from "./world.ts";

let world: World;
beforeAll(async () => {
  world = await sharedWorld();
});
afterAll(() => world.stop());

const HAN = /\p{Script=Han}/u;
const good = { symbol: "600519", tradedate: MAIN };

/** The message without its closing `[reason · request id]`. */
async function sentence(language: string | null): Promise<string> {
  const headers: Record<string, string> = language === null ? {} : { "accept-language": language };
  const answer = await world.ask({ ...good, page_size: 0 }, { headers });
  expectRefusal(answer, { reason: "param_invalid", says: ["page_size"] });
  return answer.envelope.message.replace(/\s*\[[^[]*\]$/, "");
}

describe("messages (decisions 1)", () => {
  it.each(["en", "en-US,en;q=0.9", "EN-gb", "en,zh;q=0.5", "zh;q=0.2, en;q=0.8", "fr, en;q=0.5"])(
    "are English when Accept-Language prefers it: %s",
    async (language) => {
      expect(await sentence(language)).not.toMatch(HAN);
    },
  );

  it.each(["zh", "zh-CN,zh;q=0.9,en;q=0.8", "zh-Hant-TW", "zh-CN,zh,en", "en;q=0.3,zh-CN;q=0.9"])(
    "are Chinese when Accept-Language prefers it: %s",
    async (language) => {
      const text = await sentence(language);
      expect(text).toMatch(HAN);
      expect(text).not.toContain(await sentence("en"));
    },
  );

  it("are Chinese and then English without the header", async () => {
    const [both, chinese, english] = [await sentence(null), await sentence("zh"), await sentence("en")];
    expect(both.indexOf(chinese)).toBe(0);
    expect(both.indexOf(english)).toBeGreaterThanOrEqual(chinese.length);
  });

  it("are readable UTF-8 in both languages when the header prefers neither", async () => {
    expect(await sentence("*")).toMatch(HAN);
  });

  it("name the offending parameter and what was accepted", async () => {
    const cases: [Record<string, unknown>, RegExp[]][] = [
      [{ symbol: "60051" }, [/symbol/, /600519|NNNNNN|six|6/i]],
      [{ tradedate: "2026-03-11" }, [/tradedate/, /YYYYMMDD/]],
      [{ start_time: "25:00" }, [/start_time/, /HH:MM/]],
      [{ end_time: "0930" }, [/end_time/, /HH:MM/]],
      [{ page_size: "1.5" }, [/page_size/]],
      [{ format: "csv" }, [/format/, /json/, /parquet/]],
    ];
    for (const [over, says] of cases) {
      expectRefusal(await world.ask({ ...good, ...over }), { reason: "param_invalid", says });
    }
  });

  it("name the window's days where the window matters", async () => {
    const answer = await world.ask(
      { ...good, tradedate: BEFORE_WINDOW },
      { apikey: world.keys.professional },
    );
    expectRefusal(answer, { reason: "outside_window", says: [FIRST_OF_WINDOW, BEFORE_WINDOW] });
  });

  it("of not_loaded name the day and the newest loaded one", async () => {
    expectRefusal(await world.ask({ symbol: "600519" }), { reason: "not_loaded", says: [TODAY, MAIN] });
  });

  it("never echo a key", async () => {
    const answer = await world.ask(good, { apikey: "et_leaked_secret_value" });
    expect(answer.text).not.toContain("leaked_secret");
  });

  it("never let the caller's text break out of the JSON or grow without end", async () => {
    const answer = await world.ask({ ...good, [`"}\n\u0000${"x".repeat(20_000)}`]: 1 });
    expectRefusal(answer, { reason: "param_unknown" });
    expect(answer.bytes.length).toBeLessThan(4_000);
  });
});
