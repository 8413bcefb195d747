import { describe, expect, it } from "vitest";
import { only, operationsOf } from "../../../src/client/typescript/datasets.ts";
import { DATASET_NAMES, DATASETS } from "../../../src/datasets/registry.ts";

describe("the TypeScript client's datasets", () => {
  it.each(DATASET_NAMES)("have the operations of %s that the service has", (name) => {
    const { apiname, estimate } = DATASETS[name];
    expect(operationsOf(name)).toEqual({ read: apiname, estimate });
  });

  it("are named to the service, orders aside, which older services have alone", () => {
    expect([only(undefined), only("orders"), only("trades")]).toEqual([{}, {}, { dataset: "trades" }]);
  });
});
