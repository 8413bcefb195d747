import { afterAll, describe, expect, it } from "vitest";
import { pageOf } from "../support/paging.ts";
import { TEST_CURSOR_SECRET } from "../support/service.ts";
import { expectRefusal } from "./expect-refusal.ts";
import { MAIN, sharedWorld, startWorld } from "./world.ts";

const params = { symbol: "600519", tradedate: MAIN, page_size: 3 };

const world = await sharedWorld();
const cursor = pageOf(await world.ask(params)).next_cursor;
afterAll(() => world.stop());

/**
 * Starts a deployment that, by its own clock, rotated its cursor secret `hours` ago. Its previous secret is the shared
 * service's secret.
 */
const rotated = (hours: number) =>
  startWorld({
    settings: {
      CURSOR_SECRET: "the-secret-after-the-rotation-of-the-key!",
      CURSOR_SECRET_PREVIOUS: TEST_CURSOR_SECRET,
      CURSOR_SECRET_ROTATED_AT: new Date(
        Date.parse("2026-03-12T02:00:00Z") - hours * 3_600_000,
      ).toISOString(),
    },
  });

describe("a cursor issued under the previous secret (contract 5.2)", () => {
  it("is accepted within 24 hours of the rotation, and so is the next cursor that its page returns", async () => {
    const early = await rotated(23);
    const page = pageOf(await early.ask({ ...params, cursor }));
    expect(page.items).toEqual(world.main.rowsOf("600519").slice(3, 6));
    const next = pageOf(await early.ask({ ...params, cursor: page.next_cursor }));
    expect(next.items).toEqual(world.main.rowsOf("600519").slice(6, 9));
    // The next cursor is signed with the new secret, which other deployments do not have.
    const other = await world.ask({ ...params, cursor: page.next_cursor });
    expectRefusal(other, { reason: "cursor_invalid" });
    await early.stop();
  });

  it("is refused more than 24 hours after the rotation", async () => {
    const late = await rotated(25);
    expectRefusal(await late.ask({ ...params, cursor }), { reason: "cursor_invalid" });
    await late.stop();
  });
});
