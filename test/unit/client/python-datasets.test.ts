/** Tests that the Python client's table of datasets has the columns of the service's descriptions, in order. */
import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import type { Column } from "../../../src/datasets/dataset.ts";
import { DATASET_NAMES, DATASETS } from "../../../src/datasets/registry.ts";
import { isPythonMissing, PACKAGE, PYTHON, pythonEnvironment } from "../../support/python.ts";

interface Entry {
  name: string;
  interface: string;
  estimate: string;
  standard: [string, string][];
  on_request: [string, string][];
}

const PROGRAM = `import json, typing
from edgetape import datasets
entries = [{**each._asdict(), "standard": list(each.standard.items()), "on_request": list(each.on_request.items())}
           for each in datasets._BY_NAME.values()]
print(json.dumps([typing.get_args(datasets.DatasetName), entries]))`;

const without = isPythonMissing("the Python client's datasets");

function tableOfPython(): [string[], Entry[]] {
  const env = pythonEnvironment({ PYTHONPATH: PACKAGE });
  return JSON.parse(execFileSync(PYTHON, ["-c", PROGRAM], { encoding: "utf8", env }));
}

/** Returns the kind that the client's table must name for the values of a column. */
function kindOf({ kind, type }: Column): string {
  if (type === "INT64") return "integer";
  if (type === "DOUBLE") return "yuan";
  return kind === "time" || kind === "code" ? kind : "text";
}

/** Returns the entry that the client's table must have for a dataset, from the service's description. */
function described(name: (typeof DATASET_NAMES)[number]): Entry {
  const { apiname, estimate, columns } = DATASETS[name];
  const pair = (column: Column, called = column.name): [string, string] => [called, kindOf(column)];
  return {
    ...{ name, interface: apiname, estimate },
    standard: columns.filter(({ onRequest }) => !onRequest).map((column) => pair(column)),
    on_request: columns.flatMap((column) => [
      ...(column.legacyName === undefined ? [] : [pair(column, column.legacyName)]),
      ...(column.onRequest ? [pair(column)] : []),
    ]),
  };
}

describe("the Python client's datasets", () => {
  it.skipIf(without)("have the same columns, kinds of value and operations as the service's datasets", () => {
    const [names, entries] = tableOfPython();
    expect(entries).toEqual(DATASET_NAMES.map(described));
    expect(names).toEqual(DATASET_NAMES);
  });

  it("have the same kind of value in columns of the same name", () => {
    const kinds = new Map<string, string>();
    for (const column of DATASET_NAMES.flatMap((each) => DATASETS[each].columns)) {
      expect(kinds.get(column.name) ?? kindOf(column), column.name).toBe(kindOf(column));
      kinds.set(column.name, kindOf(column));
    }
  });
});
