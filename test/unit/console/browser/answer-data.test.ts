import { describe, expect, it } from "vitest";
import { csvText, prettyText, tablesOf } from "../../../../src/console/browser/answer-data.js";

const PAGE = {
  code: 200,
  message: 'with "quotes" and 中文',
  data: {
    fields: ["symbol", "price"],
    items: [
      ["600519", 1500.01],
      ["600519", null],
    ],
    next_cursor: null,
    empty: [],
    nothing: {},
  },
};

describe("an answer shown as text", () => {
  it("is the same JSON, with one line per record", () => {
    const text = prettyText(PAGE);
    expect(JSON.parse(text)).toEqual(PAGE);
    expect(text).toContain('\n      ["600519", 1500.01],\n      ["600519", null]\n');
    expect(text).toContain('"empty": []');
  });

  it("can be CSV, with a header line and with quotes only where they are needed", () => {
    const rows = [
      ["600519", 1500.01],
      ['a"b', null],
      ["x,y", "line\nbreak"],
    ];
    expect(csvText(["symbol", "price"], rows)).toBe(
      'symbol,price\r\n600519,1500.01\r\n"a""b",\r\n"x,y","line\nbreak"\r\n',
    );
  });
});

describe("the tables of an answer", () => {
  it("are one table of its records, if it has records", () => {
    expect(tablesOf(PAGE.data)).toEqual([{ name: "items", fields: PAGE.data.fields, rows: PAGE.data.items }]);
  });

  it("are one table of its values by path and one table for each list, if it has no records", () => {
    const data = {
      plan: "trial",
      windows: { level2: null },
      quotas: [{ interface: "x", used: 1 }],
      note: [],
    };
    expect(tablesOf(data)).toEqual([
      {
        name: "data",
        fields: ["member", "value"],
        rows: [
          ["plan", "trial"],
          ["windows.level2", null],
          ["note", []],
        ],
      },
      { name: "quotas", fields: ["interface", "used"], rows: [["x", 1]] },
    ]);
  });
});
