import { describe, expect, it } from "vitest";
import {
  oddDecimal,
  oddNumber,
  plainDecimal,
  plainInteger,
  plainTenThousandths,
} from "../../../../src/pack-builder/parse/number-cell.ts";
import {
  exchangeOfCode,
  readSecurity,
  securityKey,
  securityOfKey,
} from "../../../../src/pack-builder/parse/security-cell.ts";
import { readDate, readTime, type TimeCell } from "../../../../src/pack-builder/parse/time-cell.ts";
import { clockTime } from "../../../support/builders.ts";
import { printedRandom } from "../../../support/random.ts";

const random = printedRandom("cells");
const bytesOf = (text: string) => Buffer.from(`,${text},`);
const priceOf = (text: string) => plainTenThousandths(bytesOf(text), 1, text.length + 1);
const integerOf = (text: string) => plainInteger(bytesOf(text), 1, text.length + 1);
const timeOf = (text: string) => {
  const cell: TimeCell = { time: -1, form: -1, date: -1 };
  return readTime(bytesOf(text), 1, text.length + 1, cell) ? cell : null;
};

describe("an amount in yuan", () => {
  const amountOf = (text: string) => plainDecimal(bytesOf(text), 1, text.length + 1);

  it("is read as the double that Number() gives, for 2,000 random texts", () => {
    for (let round = 0; round < 2_000; round++) {
      const digits = random.integer(1, 17);
      const text = Array.from({ length: digits }, () => random.integer(0, 9)).join("");
      const point = random.integer(1, digits);
      const amount = point === digits ? text : `${text.slice(0, point)}.${text.slice(point)}`;
      const read = amountOf(amount);
      if (digits > 15) expect(read, amount).toBe(-1);
      else expect(read, amount).toBe(Number(amount));
      expect(oddDecimal(amount), amount).toMatchObject(
        Number(amount) > 2 ** 53 - 1 ? { problem: "is beyond 2^53" } : { value: Number(amount) },
      );
    }
  });

  it.each(["", ".5", "1.2.3", "1e3", "-1", " 1", "+1"])("is left to the slow parser if it is %j", (text) => {
    expect(amountOf(text)).toBe(-1);
  });
});

describe("a price in yuan", () => {
  it.each([
    ["15.929999999999999", 159_300],
    ["1801.00999999999999", 18_010_100],
    ["14", 140_000],
    ["14.92", 149_200],
    ["0.00005", 1],
    ["0.00004999999", 0],
    ["0", 0],
    ["7.", 70_000],
    ["99999999999", 999_999_999_990_000],
  ])("is read from %s as %d ten-thousandths, rounded in decimal", (text, expected) => {
    expect(priceOf(text)).toBe(expected);
  });

  it("is read exactly for 20,000 random prices and for doubles next to them", () => {
    for (let round = 0; round < 20_000; round++) {
      const raw = random.integer(0, random.pick([9_999, 999_999, 2 ** 31, 2 ** 46]));
      const text = `${Math.floor(raw / 10_000)}.${String(raw % 10_000).padStart(4, "0")}`;
      expect(priceOf(text), text).toBe(raw);
      // Other programs write doubles that are off by a few units in the last place.
      const noisy = Number(text) * (1 + random.integer(-4, 4) * Number.EPSILON);
      const printed = noisy.toPrecision(17);
      if (printed.includes("e") || raw > 2 ** 43) continue;
      expect(priceOf(printed), printed).toBe(raw);
    }
  });

  it.each(["", "-1", "1.2e3", "1,2", "abc", "1..2", "999999999999", ".5", " 1"])(
    "is left to the slow parser if it is %j",
    (text) => {
      expect(priceOf(text)).toBe(-1);
    },
  );
});

describe("an unusual number", () => {
  it.each<[string, number, number | string]>([
    ["1.2018e+006", 0, 1_201_800],
    ["1.2018E6", 0, 1_201_800],
    ["1.2018e+006", 4, 12_018_000_000],
    ["1e-5", 4, 0],
    ["5e-5", 4, 1],
    [".5", 4, 5000],
    ["+7", 0, 7],
    ["-0", 0, 0],
    ["-0.0000", 4, 0],
    ["100.00", 0, 100],
    ["9007199254740991", 0, Number.MAX_SAFE_INTEGER],
    ["9007199254740992", 0, "is beyond 2^53"],
    ["1e16", 0, "is beyond 2^53"],
    ["1e999", 0, "is too large"],
    ["0.5", 0, "has a fraction"],
    ["-1", 0, "is negative"],
    ["0x10", 0, "is not a number"],
    ["NaN", 0, "is not a number"],
    [".", 0, "is not a number"],
    ["1e", 0, "is not a number"],
  ])("is read, or refused with the reason: %j with %d decimals", (text, decimals, expected) => {
    const read = oddNumber(text, decimals, "refuse");
    expect("problem" in read ? read.problem : read.value).toBe(expected);
  });

  it("is read as 0 if it is 2^64 - 1 in a column where this value marks an absent id", () => {
    for (const text of ["18446744073709551615", "1.84467e+019", "1.8446744073709552e+19"]) {
      expect(oddNumber(text, 0, "zero")).toEqual({ value: 0, form: "sentinel" });
      expect(oddNumber(text, 0, "refuse")).toEqual({ problem: "is beyond 2^53" });
    }
    expect(oddNumber("18446744073709551614", 0, "zero")).toEqual({ problem: "is beyond 2^53" });
  });
});

describe("the fast reader of integers", () => {
  it("reads plain integers of up to 15 digits, and no other number", () => {
    expect(integerOf("999999999999999")).toBe(999_999_999_999_999);
    for (const text of ["", "1234567890123456", "-1", "1.0", "1e3"]) expect(integerOf(text)).toBe(-1);
  });
});

describe("a time of day", () => {
  it("is read in every form, for every second of the day", () => {
    const wrong: unknown[] = [];
    const check = (text: string, time: number, form: number, date = 0) => {
      const read = timeOf(text);
      if (read?.time !== time || read.form !== form || read.date !== date) wrong.push([text, read]);
    };
    for (let second = 0; second < 86_400; second++) {
      const nine = clockTime(second * 1000 + (second % 1000));
      const time = Number(nine);
      const clock = `${nine.slice(0, 2)}:${nine.slice(2, 4)}:${nine.slice(4, 6)}`;
      check(nine, time, 0);
      if (timeOf(`${clock}.${nine.slice(6)}`)?.time !== time) wrong.push(clock);
      check(`20230711${nine}`, time, 0, 20_230_711);
      const whole = Math.floor(time / 1000) * 1000;
      check(nine.slice(0, 6), whole, 2);
      check(clock, whole, 2);
      if (!nine.startsWith("0")) continue;
      check(nine.slice(1), time, 1);
      check(nine.slice(1, 6), whole, 2);
    }
    expect(wrong).toEqual([]);
  });

  it.each([
    ["9:30:00.01", 93_000_010],
    ["09:30:00.0104567", 93_000_010],
    ["09:30:00.1", 93_000_100],
    ["20230711093000", 93_000_000],
  ])("is read from %s as %d", (text, expected) => {
    expect(timeOf(text)?.time).toBe(expected);
  });

  it.each([
    "",
    "0",
    "1234",
    "9300001",
    "1234567890",
    "240000000",
    "096000000",
    "093060000",
    "09:30",
    "09:30:0",
    "09-30-00",
    "09:30:00,010",
    "09:30:00.",
    "9:3:00",
    "a9:30:00",
    "２３３０００",
  ])("is refused if no second of the day can be read from it: %j", (text) => {
    const read = timeOf(text);
    // A time with a point but no decimals means the whole second.
    if (text === "09:30:00.") expect(read?.time).toBe(93_000_000);
    else expect(read).toBeNull();
  });
});

describe("a date", () => {
  it("is read only with points, dashes, slashes or no separators", () => {
    for (const text of ["20230711", "2023.07.11", "2023-07-11", "2023/07/11"]) {
      expect(readDate(bytesOf(text), 1, text.length + 1)).toBe(20_230_711);
    }
    for (const text of ["2023711", "", "2023年07月11", "202307110"]) {
      expect(readDate(bytesOf(text), 1, Buffer.byteLength(text) + 1)).toBe(-1);
    }
  });
});

describe("a security's code", () => {
  it("is read with a suffix of Shanghai, Shenzhen or Beijing, and regains its lost leading zeros", () => {
    expect(readSecurity("600519.SH")).toEqual({ symbol: "600519", market: "SH", zerosLost: false });
    expect(readSecurity("1.xshe")).toEqual({ symbol: "000001", market: "SZ", zerosLost: true });
    expect(readSecurity("430047.BJ")?.market).toBe("BJ");
    expect(readSecurity("2009")).toEqual({ symbol: "002009", market: null, zerosLost: true });
    for (const text of ["", "600519.HK", "6005190", "SH600519", "600519.", "60051a"]) {
      expect(readSecurity(text)).toBeNull();
    }
  });

  it("gets the exchange of its range if it has no suffix, and no exchange outside the known ranges", () => {
    const codes = {
      SH: ["600519", "688981", "900901", "510300", "113050", "204001"],
      SZ: ["000001", "300750", "200012", "159915", "123107", "131810"],
    };
    for (const [market, all] of Object.entries(codes))
      expect(all.map(exchangeOfCode)).toEqual(all.map(() => market));
    expect(exchangeOfCode("430047")).toBeNull();
  });

  it("has a sort key that orders by symbol, then by market", () => {
    const codes = ["000001.SH", "000001.SZ", "000002.SH", "999999.SZ"];
    const keys = codes.map((code) => securityKey(code.slice(0, 6), code.endsWith("SZ") ? "SZ" : "SH"));
    expect(keys).toEqual([...keys].sort((a, b) => a - b));
    expect(keys.map(securityOfKey).map(({ symbol, market }) => `${symbol}.${market}`)).toEqual(codes);
  });
});
