import { describe, expect, it } from "vitest";
import { only, operationsOf } from "../../../src/client/typescript/datasets.ts";
import type { Dataset } from "../../../src/datasets/dataset.ts";
import { quotes } from "../../../src/datasets/quotes.ts";
import { DATASETS } from "../../../src/datasets/registry.ts";

const ALL: Readonly<Record<"orders" | "trades" | "quotes", Dataset>> = { ...DATASETS, quotes };
const NAMES = Object.keys(ALL) as (keyof typeof ALL)[];

describe("the TypeScript client's datasets", () => {
  it.each(NAMES)("have the service's operations of %s", (name) => {
    const { apiname, estimate } = ALL[name];
    expect(operationsOf(name)).toEqual({ read: apiname, estimate });
  });

  it("are sent as a parameter, except orders, because older services have no such parameter", () => {
    expect([only(undefined), only("orders"), only("trades")]).toEqual([{}, {}, { dataset: "trades" }]);
  });
});
