import { afterAll, describe, expect, it } from "vitest";
import { expectRefusal } from "./expect-refusal.ts";
import { MAIN, sharedWorld } from "./world.ts";

const world = await sharedWorld();
afterAll(() => world.stop());

const HAN = /\p{Script=Han}/u;
const good = { symbol: "600519", tradedate: MAIN };

/**
 * Returns the message about an invalid page_size without `[reason · request id]`. If `language` is null, the request
 * has no Accept-Language header.
 */
async function sentence(language: string | null): Promise<string> {
  const headers: Record<string, string> = language === null ? {} : { "accept-language": language };
  const answer = await world.ask({ ...good, page_size: 0 }, { headers });
  expectRefusal(answer, { reason: "param_invalid", says: ["page_size"] });
  return answer.envelope.message.replace(/\s*\[[^[]*\]$/, "");
}

describe("messages (contract 1.8)", () => {
  it.each(["en", "en-US,en;q=0.9", "EN-gb", "en,zh;q=0.5", "zh;q=0.2, en;q=0.8", "fr, en;q=0.5"])(
    "are English when Accept-Language prefers English: %s",
    async (language) => {
      expect(await sentence(language)).not.toMatch(HAN);
    },
  );

  it.each(["zh", "zh-CN,zh;q=0.9,en;q=0.8", "zh-Hant-TW", "zh-CN,zh,en", "en;q=0.3,zh-CN;q=0.9"])(
    "are Chinese when Accept-Language prefers Chinese: %s",
    async (language) => {
      const text = await sentence(language);
      expect(text).toMatch(HAN);
      expect(text).not.toContain(await sentence("en"));
    },
  );

  it("are in Chinese and then in English when Accept-Language is absent", async () => {
    const [both, chinese, english] = [await sentence(null), await sentence("zh"), await sentence("en")];
    expect(both.indexOf(chinese)).toBe(0);
    expect(both.indexOf(english)).toBeGreaterThanOrEqual(chinese.length);
  });

  it("include Chinese when Accept-Language prefers neither Chinese nor English", async () => {
    expect(await sentence("*")).toMatch(HAN);
  });

  it.each([
    // Each case: the parameters, the English text and the Chinese text.
    [{ end_time: "00:00" }, /end_time.*must be after 00:00.*leave end_time out/, /end_time.*必须晚于 00:00/],
    [{ start_time: "10:00", end_time: "09:30" }, /start_time.*before end_time 09:30/, /早于 end_time 09:30/],
    [{ start_time: 930 }, /start_time.*930.*string: write "09:30"/, /start_time.*请写成 "09:30"/],
    [{ start_time: 93_000_000 }, /write "093000000"/, /请写成 "093000000"/],
    [{ start_time: "9:30" }, /start_time.*write 09:30; accepted: HH:MM/, /请写成 09:30；可用格式/],
    [{ end_time: "0930" }, /end_time.*write 09:30/, /end_time.*请写成 09:30/],
    [{ end_time: "9：30" }, /end_time.*write 09:30/, /请写成 09:30/],
    [{ start_time: "93000000" }, /nine, HHMMSSmmm: 093000000/, /HHMMSSmmm：093000000/],
    [{ tradedate: "2026-03-11" }, /tradedate.*written as YYYYMMDD: 20260311/, /请写成 20260311/],
    [{ tradedate: "2026/3/1" }, /YYYYMMDD: 20260301/, /请写成 20260301/],
    [{ tradedate: 20_260_311 }, /tradedate.*string: write "20260311"/, /请写成 "20260311"/],
    [{ tradedate: "20260230" }, /20260230.*not a calendar date/, /不是真实存在的日期/],
    [{ symbol: 1 }, /symbol.*string: write "000001"/, /请写成 "000001"/],
    [{ page_size: 5, limit: 7 }, /page_size \(5\) and limit \(7\)/, /page_size（5）与 limit（7）/],
  ])("name what was sent, what is wrong and the form that works, for %j", async (over, en, zh) => {
    const params = { ...good, ...over };
    for (const [language, said] of [
      ["en", en],
      ["zh", zh],
    ] as const) {
      const answer = await world.ask(params, { headers: { "accept-language": language } });
      expectRefusal(answer, { reason: "param_invalid", says: [said] });
    }
  });

  it.each([
    ["offset", 10, /use cursor\. Send the next_cursor/],
    ["page", 2, /use cursor/],
    ["page_no", "3", /use cursor/],
    ["date", MAIN, /did you mean tradedate\?/],
    ["code", "600519", /did you mean symbol\?/],
    ["ts_code", "600519.SH", /did you mean symbol\?/],
  ])("about the unknown parameter %s=%s name the right parameter", async (name, value, said) => {
    const answer = await world.ask({ ...good, [name]: value }, { headers: { "accept-language": "en" } });
    expectRefusal(answer, { reason: "param_unknown", says: [name, said] });
  });

  it("about a wrong separator in `fields` show the list with commas", async () => {
    for (const fields of ["time，price", "time price", "time;price", "time、price"]) {
      const answer = await world.ask(good, { fields, headers: { "accept-language": "en" } });
      expectRefusal(answer, {
        reason: "field_unknown",
        says: [/in fields: separate the names with commas and write time,price/],
      });
    }
  });

  it("distinguish missing members of the envelope from members of a wrong type, and say where parameters belong", async () => {
    const { flagship: apikey } = world.keys;
    const cases: [Record<string, unknown>, RegExp, RegExp][] = [
      [{ apikey, params: good }, /lacks apiname:/, /缺少 apiname/],
      [{ apiname: 5, apikey, params: good }, /apiname has a wrong type/, /apiname 的类型不对/],
      [
        { apiname: "x", params: [] },
        /lacks apikey, and params has a wrong type/,
        /缺少 apikey；请求体中 params/,
      ],
      [
        { apiname: "x", apikey, ...good },
        /lacks params: put symbol inside params/,
        /请把 symbol 放到 params 里/,
      ],
    ];
    for (const [body, en, zh] of cases) {
      for (const [language, said] of [
        ["en", en],
        ["zh", zh],
      ] as const) {
        const answer = await world.service.post(body, { "accept-language": language });
        expectRefusal(answer, { reason: "envelope_invalid", says: [said] });
      }
    }
  });

  it("escape the caller's text in the JSON and limit its length", async () => {
    const answer = await world.ask({ ...good, [`"}\n\u0000${"x".repeat(20_000)}`]: 1 });
    expectRefusal(answer, { reason: "param_unknown" });
    expect(answer.bytes.length).toBeLessThan(4_000);
  });
});
