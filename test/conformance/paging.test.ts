import { afterAll, describe, expect, it } from "vitest";
import { pageOf, readAllPages } from "../support/paging.ts";
import { MAIN, sharedWorld } from "./world.ts";

const world = await sharedWorld();
afterAll(() => world.stop());

const pageBy = (page_size: number, over: Record<string, unknown> = {}, fields?: string) =>
  readAllPages(world.service, {
    apikey: world.keys.flagship,
    params: { symbol: "600519", tradedate: MAIN, page_size, ...over },
    ...(fields === undefined ? {} : { fields }),
  });

describe("paging (contract 5)", () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 12, 13, 14, 10_000])(
    "returns all 13 rows of a security at page_size %i",
    async (pageSize) => {
      const paged = await pageBy(pageSize);
      expect(paged.rows).toEqual(world.main.rowsOf("600519"));
      expect(paged.pages).toHaveLength(Math.ceil(13 / pageSize));
      expect(new Set(paged.cursors).size).toBe(paged.cursors.length);
      for (const page of paged.pages) expect(page.page_size).toBe(pageSize);
    },
  );

  it.each([1, 3, 5, 24, 25, 26])(
    "returns all 25 rows of the same millisecond at page_size %i",
    async (pageSize) => {
      const paged = await pageBy(pageSize, { symbol: "600000" });
      expect(paged.rows).toEqual(world.main.rowsOf("600000"));
      expect(new Set(paged.cursors).size).toBe(paged.cursors.length);
    },
  );

  it("returns a cursor while has_more is true, and null on the last page", async () => {
    const { pages } = await pageBy(5);
    expect(pages.map((page) => page.has_more)).toEqual([true, true, false]);
    expect(pages.map((page) => page.next_cursor === null)).toEqual([false, false, true]);
    expect(pages.map((page) => page.items.length)).toEqual([5, 5, 3]);
  });

  it("returns an exact has_more when the number of rows is a multiple of page_size", async () => {
    expect((await pageBy(13)).pages).toHaveLength(1);
    expect((await pageBy(5, { symbol: "600000" })).pages).toHaveLength(5);
  });

  it("returns an exact has_more when further rows lie only after end_time", async () => {
    const page = pageOf(
      await world.ask({ symbol: "600519", tradedate: MAIN, end_time: "093000001", page_size: 6 }),
    );
    expect(page.items).toHaveLength(6);
    expect(page).toMatchObject({ has_more: false, next_cursor: null });
  });

  it("allows a different page_size on each page", async () => {
    const apikey = world.keys.flagship;
    const params = { symbol: "600519", tradedate: MAIN };
    const first = pageOf(await world.ask({ ...params, page_size: 4 }));
    const second = pageOf(await world.ask({ ...params, page_size: 1, cursor: first.next_cursor }));
    const rest = await readAllPages(world.service, {
      apikey,
      params: { ...params, cursor: second.next_cursor },
    });
    expect([...first.items, ...second.items, ...rest.rows]).toEqual(world.main.rowsOf("600519"));
  });

  it("allows different fields on each page", async () => {
    const params = { symbol: "600519", tradedate: MAIN };
    const first = pageOf(await world.ask({ ...params, page_size: 4 }, { fields: "time" }));
    const second = pageOf(
      await world.ask({ ...params, cursor: first.next_cursor }, { fields: "volume,side" }),
    );
    expect(second.fields).toEqual(["volume", "side"]);
    expect(second.items).toEqual(
      world.main
        .rowsOf("600519")
        .slice(4)
        .map((row) => [row[8], row[6]]),
    );
  });

  it("returns the same page again for the same cursor", async () => {
    const params = { symbol: "600519", tradedate: MAIN, page_size: 4 };
    const { next_cursor: cursor } = pageOf(await world.ask(params));
    const expected = world.main.rowsOf("600519").slice(4, 8);
    for (let round = 0; round < 3; round++) {
      expect(pageOf(await world.ask({ ...params, cursor })).items).toEqual(expected);
    }
  });
});
