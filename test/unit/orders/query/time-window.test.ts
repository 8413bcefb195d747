import { describe, expect, it } from "vitest";
import { historyParameters } from "../../../../src/orders/query/history-query.ts";
import { readParameters } from "../../../../src/orders/query/parameters.ts";
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
});
