import { describe, expect, it } from "vitest";
import { only, operationsOf } from "../../../src/client/typescript/datasets.ts";
import { DATASET_NAMES, DATASETS } from "../../../src/datasets/registry.ts";

describe("the TypeScript client's datasets", () => {
  it.each(DATASET_NAMES)("use the service's operations for %s", (name) => {
    const { apiname, estimate } = DATASETS[name];
    expect(operationsOf(name)).toEqual({ read: apiname, estimate });
  });

  it("are sent as a parameter, except orders, because older services have no such parameter", () => {
    expect([only(undefined), only("orders"), only("trades")]).toEqual([{}, {}, { dataset: "trades" }]);
  });
});
