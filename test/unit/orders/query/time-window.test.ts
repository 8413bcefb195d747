import { describe, expect, it } from "vitest";
import { historyParameters } from "../../../../src/orders/query/history-query.ts";
import { readParameters } from "../../../../src/orders/query/parameters.ts";
import { timeWindowOf } from "../../../../src/orders/query/time-window.ts";
import { printedRandom } from "../../../support/random.ts";

const two = (value: number) => String(value).padStart(2, "0");

/** Returns the time of day, or what is wrong with it. */
function parseTimeOfDay(value: unknown): number | string | undefined {
  const read = readParameters(historyParameters(), ["start_time"], new Map([["start_time", value]]));
  if (read.ok) return read.value.start_time ?? undefined;
  const { problem, accepted } = read.refusal;
  return accepted === undefined ? problem : `${problem} ${accepted}`;
}

describe("the parser of a time of day (contract 3.7)", () => {
  it("reads every second of the day in each of the four forms", () => {
    const wrong: string[] = [];
    for (let second = 0; second < 86_400; second += 1) {
      const [h, m, s] = [Math.trunc(second / 3600), Math.trunc(second / 60) % 60, second % 60];
      const expected = Number(`${two(h)}${two(m)}${two(s)}000`);
      const forms = [
        `${two(h)}:${two(m)}:${two(s)}`,
        `${two(h)}${two(m)}${two(s)}`,
        `${two(h)}${two(m)}${two(s)}000`,
      ];
      if (s === 0) forms.push(`${two(h)}:${two(m)}`);
      wrong.push(...forms.filter((form) => parseTimeOfDay(form) !== expected));
      const millisecond = second % 1000;
      const precise = `${two(h)}${two(m)}${two(s)}${String(millisecond).padStart(3, "0")}`;
      if (parseTimeOfDay(precise) !== expected + millisecond) wrong.push(precise);
    }
    expect(wrong).toEqual([]);
  });

  it("agrees with a digit-by-digit check on 20,000 random strings of digits and colons", () => {
    const random = printedRandom("time forms");
    for (let round = 0; round < 20_000; round += 1) {
      const length = random.integer(4, 10);
      const text = Array.from({ length }, () => random.pick([..."00123456:"])).join("");
      const form = text.replaceAll(/\d/g, "d");
      const digits = text.replaceAll(":", "");
      const known = ["dd:dd", "dd:dd:dd", "dddddd", "ddddddddd"].includes(form);
      const inDay = digits < "24" && digits.slice(2) < "60" && digits.slice(4) < "60";
      const expected = known && inDay ? Number(digits.padEnd(9, "0")) : "refused";
      const parsed = parseTimeOfDay(text);
      expect(typeof parsed === "number" ? parsed : "refused", text).toBe(expected);
    }
  });

  it("explains what is wrong with eight digits, 24:00, a number and a fraction of a second", () => {
    expect(parseTimeOfDay("93000000")).toBe("time_eight_digits 093000000");
    expect(parseTimeOfDay("24:00")).toBe("time_out_of_day");
    expect(parseTimeOfDay("09:30:60")).toBe("time_out_of_day");
    expect(parseTimeOfDay(93_000_000)).toBe("not_string 093000000");
    expect(parseTimeOfDay("09:30:00.5")).toBe("time_fraction 093000500");
    expect(parseTimeOfDay("09:30:00.123")).toBe("time_fraction 093000123");
  });
});

describe("timeWindowOf (contract 3.7)", () => {
  it("refuses an end of 00:00, because no row is before midnight", () => {
    const given = new Map([["end_time", "00:00"]]);
    const times = readParameters(historyParameters(), ["start_time", "end_time"], given);
    expect(times.ok && timeWindowOf(times.value, given)).toMatchObject({
      refusal: { parameter: "end_time", problem: "empty_window" },
    });
  });
});
