import { describe, expect, it } from "vitest";
import { historyParameters } from "../../../../src/orders/query/history-parameters.ts";
import { readParameters } from "../../../../src/orders/query/parameters.ts";
import {
  formatWindow,
  timeWindowOf as timeWindowOfResult,
} from "../../../../src/orders/query/time-window.ts";
import { printedRandom } from "../../../support/random.ts";
import { baring } from "../../../support/result.ts";

const timeWindowOf = baring(timeWindowOfResult);

const two = (value: number) => String(value).padStart(2, "0");

/** Returns more than 200 strings that are not times of day in one of the four accepted forms. */
function rejectedStrings(): string[] {
  const outOfDay: string[] = [];
  for (let value = 60; value < 100; value += 1) {
    outOfDay.push(`09:${value}`, `09:30:${value}`, `09${value}00`, `0930${value}000`);
  }
  for (let hour = 24; hour < 100; hour += 5) outOfDay.push(`${hour}:00`, `${hour}0000`, `${hour}0000000`);
  const times = ["09:30", "09:30:15", "093015", "093015123"];
  const bent = times.flatMap((time) => [
    ` ${time}`,
    `${time} `,
    `+${time}`,
    `-${time}`,
    `${time}Z`,
    `${time}.0`,
    `${time}:`,
    `T${time}`,
    time.slice(1),
    time.replace("0", "O"),
    time.replace("9", "９"),
    `${time}\n`,
    `\u200b${time}`,
  ]);
  const others = [
    "9:30",
    "09:3",
    "9:30:00",
    "09:30:1",
    "0930",
    "09300",
    "0930150",
    "0930151234",
    "09:30:15.123",
  ];
  others.push(
    "09:30:15:123",
    "09.30",
    "09-30",
    "noon",
    "09:30 AM",
    ":",
    "::",
    "0x5f5e10",
    "9.3e7",
    "1e8",
    "NaN",
  );
  return [...outOfDay, ...bent, ...others];
}

/** Returns the time of day, or what is wrong with it. */
function parseTimeOfDay(value: unknown): number | string | undefined {
  const read = readParameters(historyParameters(), ["start_time"], new Map([["start_time", value]]));
  if (read.ok) return read.value.start_time ?? undefined;
  const { problem, accepted } = read.refusal;
  return accepted === undefined ? problem : `${problem} ${accepted}`;
}

function parseTimeWindow(start: unknown, end: unknown) {
  const given = new Map([
    ["start_time", start],
    ["end_time", end],
  ]);
  const times = readParameters(historyParameters(), ["start_time", "end_time"], given);
  return times.ok ? timeWindowOf(times.value, given) : times.refusal;
}

describe("the parser of a time of day (contract 3.7)", () => {
  it("reads all 86,400 seconds in each of the four forms", () => {
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

  it("refuses more than 200 strings that are not times in one of the four forms", () => {
    const strings = rejectedStrings();
    expect(new Set(strings).size).toBeGreaterThan(200);
    expect(strings.filter((text) => typeof parseTimeOfDay(text) === "number")).toEqual([]);
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
  it("returns the whole day without parameters", () => {
    const window = parseTimeWindow(undefined, undefined);
    expect(window).toEqual({ start: 0, end: 240_000_000 });
    expect(formatWindow({ start: 0, end: 240_000_000 })).toBe("000000000-240000000");
  });

  it.each([
    ["09:30", "093000000"],
    ["09:30:01", "09:30"],
    ["23:59", "00:00"],
  ])("refuses the start %s, which is not before the end %s", (start, end) => {
    expect(parseTimeWindow(start, end)).toMatchObject({ reason: "param_invalid", problem: "empty_window" });
  });

  it("refuses the end 00:00 alone, because no row is before it", () => {
    expect(parseTimeWindow(undefined, "00:00")).toMatchObject({ problem: "empty_window" });
  });

  it("names the parameter that is not a time of day", () => {
    expect(parseTimeWindow("x", "09:30")).toMatchObject({ parameter: "start_time", problem: "time_form" });
    expect(parseTimeWindow("09:30", "x")).toMatchObject({ parameter: "end_time", problem: "time_form" });
  });
});

describe("formatWindow", () => {
  it("writes each bound in nine digits", () => {
    expect(formatWindow({ start: 93_000_010, end: 100_000_000 })).toBe("093000010-100000000");
  });
});
