/** The Python client's table of datasets equals the service's descriptions: the same columns in order. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { OPERATIONS } from "../../../src/client/typescript/datasets.ts";
import { LEADING } from "../../../src/datasets/columns.ts";
import type { Column, Dataset } from "../../../src/datasets/dataset.ts";
import { DATASET_NAMES, DATASETS } from "../../../src/datasets/registry.ts";

const source = readFileSync("src/client/python/edgetape/datasets.py", "utf8");

const KINDS: Record<Column["kind"], string> = {
  symbol: "text",
  tradedate: "text",
  time: "time",
  code: "code",
  integer: "integer",
  price: "yuan",
  yuan: "yuan",
  amount: "yuan",
};

/** Returns the expected source of a dataset's entry in the table. */
function entryOf({ name, apiname, columns }: Dataset, estimate: string): string {
  const pair = (column: string, { kind }: Column) => `"${column}": "${KINDS[kind]}"`;
  const own = columns.slice(LEADING.length).filter(({ onRequest }) => !onRequest);
  const asked = columns.flatMap((column) => [
    ...(column.onRequest ? [pair(column.name, column)] : []),
    ...(column.legacyName === undefined ? [] : [pair(column.legacyName, column)]),
  ]);
  return `${name.toUpperCase()} = Dataset(
    "${name}",
    "${apiname}",
    "${estimate}",
    {
        **_LEADING,
${own.map((column) => `        ${pair(column.name, column)},\n`).join("")}    },
    {${asked.join(", ")}},
)
`;
}

describe("the Python client's datasets", () => {
  it.each(DATASET_NAMES)("describe %s as the service does", (name) => {
    expect(source).toContain(entryOf(DATASETS[name], OPERATIONS[name].estimate));
  });

  it("are exactly the service's datasets, and begin with the columns that all share", () => {
    const names = DATASET_NAMES.map((name) => `"${name}"`).join(", ");
    expect(source).toContain(`DatasetName = Literal[${names}]`);
    const leading = LEADING.map(({ name, kind }) => `"${name}": "${KINDS[kind]}"`).join(", ");
    expect(source).toContain(`_LEADING = {${leading}}`);
  });

  it("give a column the same type in every dataset", () => {
    const kinds = new Map<string, string>();
    for (const { name, kind } of DATASET_NAMES.flatMap((each) => DATASETS[each].columns)) {
      expect(kinds.get(name) ?? KINDS[kind], name).toBe(KINDS[kind]);
      kinds.set(name, KINDS[kind]);
    }
  });
});
