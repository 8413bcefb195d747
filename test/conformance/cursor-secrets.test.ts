import { afterAll, describe, expect, it } from "vitest";
import { pageOf } from "../support/paging.ts";
import { expectRefusal } from "./expect-refusal.ts";
import { MAIN, sharedWorld, startWorld, type World } from "./world.ts";

const FIRST = "the-secret-before-the-rotation-of-the-key";
const SECOND = "the-secret-after-the-rotation-of-the-key!";
const params = { symbol: "600519", tradedate: MAIN, page_size: 3 };

const before = await startWorld({ settings: { CURSOR_SECRET: FIRST } });
const cursor = pageOf(await before.ask(params)).next_cursor;
await before.stop();

/** Starts a deployment whose cursor secret was rotated `hours` ago by its own clock. */
const rotated = (hours: number) =>
  startWorld({
    settings: {
      CURSOR_SECRET: SECOND,
      CURSOR_SECRET_PREVIOUS: FIRST,
      CURSOR_SECRET_ROTATED_AT: new Date(
        Date.parse("2026-03-12T02:00:00Z") - hours * 3_600_000,
      ).toISOString(),
    },
  });

describe("a cursor issued under the previous secret (contract 5.2)", () => {
  let world: World;
  afterAll(() => world.stop());

  it("is accepted within 24 hours of the rotation, and so is the next cursor that its page returns", async () => {
    world = await rotated(23);
    const page = pageOf(await world.ask({ ...params, cursor }));
    expect(page.items).toEqual(world.main.rowsOf("600519").slice(3, 6));
    const next = pageOf(await world.ask({ ...params, cursor: page.next_cursor }));
    expect(next.items).toEqual(world.main.rowsOf("600519").slice(6, 9));
  });

  it("is refused more than 24 hours after the rotation", async () => {
    const late = await rotated(25);
    expectRefusal(await late.ask({ ...params, cursor }), { reason: "cursor_invalid" });
    await late.stop();
  });

  it("is refused by a deployment with a different secret", async () => {
    const other = await sharedWorld();
    expectRefusal(await other.ask({ ...params, cursor }), { reason: "cursor_invalid" });
    await other.stop();
  });
});
