/** Compares the Python client's types with the documented schemas, property by property. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { dataSchemas } from "../../../src/operations/wire.ts";

interface Schema {
  type?: string | string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  const?: unknown;
}

const source = readFileSync("src/client/python/edgetape/types.py", "utf8");

/** Returns the properties of a TypedDict with their types, including inherited properties. */
function membersOf(name: string): Record<string, string> {
  const [, base = "", block] =
    new RegExp(`^class ${name}\\((\\w+)\\):\\n((?: {4}.*\\n|\\n(?= {4}))+)`, "m").exec(source) ?? [];
  const [, inline] = new RegExp(`^${name} = TypedDict\\("${name}", \\{(.*)\\}\\)$`, "m").exec(source) ?? [];
  if (block === undefined && inline === undefined) throw new Error(`types.py has no ${name}`);
  const text = block?.replace(/"""[\s\S]*?"""/, "") ?? "";
  const listed =
    block === undefined
      ? [...`${inline}`.matchAll(/"(\w+)": ([^,]+)/g)]
      : [...text.matchAll(/^ {4}(\w+): (.+)$/gm)];
  const own = Object.fromEntries(listed.map(([, member = "", type = ""]) => [member, type]));
  return block === undefined || base === "TypedDict" ? own : { ...membersOf(base), ...own };
}

/** Returns the differences between `type` and the schema. */
function differences(schema: Schema, type: string, place: string): string[] {
  const kinds = [schema.type ?? []].flat();
  const options = schema.anyOf ?? kinds.map((kind) => ({ ...schema, type: kind }));
  const [described = schema] = options.filter((each) => each.type !== "null");
  const isNullable = options.some((each) => each.type === "null");
  const [, inner = type] = /^Optional\[(.*)\]$/.exec(type) ?? [];
  if (isNullable !== (inner !== type)) return [`${place}: ${type} is ${isNullable ? "" : "not "}nullable`];
  const simple = { string: "str", integer: "int", number: "int", boolean: "bool" }[`${described.type}`];
  if (simple !== undefined) return simple === inner ? [] : [`${place}: ${type} instead of ${simple}`];
  if (described.type === "array") {
    const [, item] = /^(?:List|Records)\[(.*)\]$/.exec(inner) ?? [];
    return item === undefined
      ? [`${place}: ${type} is no list`]
      : differences(described.items ?? {}, item, `${place}[]`);
  }
  const properties = described.properties ?? {};
  const [, value] = /^Dict\[str, (.*)\]$/.exec(inner) ?? [];
  if (value === "Any") return [];
  if (value !== undefined) {
    return Object.entries(properties).flatMap(([name, each]) => differences(each, value, `${place}.${name}`));
  }
  const members = membersOf(inner);
  const [had, wanted] = [Object.keys(members).toSorted().join(), Object.keys(properties).toSorted().join()];
  if (had !== wanted) return [`${place}: ${inner} has ${had} instead of ${wanted}`];
  return Object.entries(properties).flatMap(([name, each]) =>
    differences(each, members[name] ?? "", `${place}.${name}`),
  );
}

describe("the Python client's types", () => {
  it.each([
    ["account_info", "Account"],
    ["data_status", "Status"],
    ["order_history_estimate", "Estimate"],
  ] as const)("match the schema of %s", (operation, name) => {
    const schema = z.toJSONSchema(dataSchemas()[operation], { io: "output" }) as Schema;
    expect(differences(schema, name, name)).toEqual([]);
  });

  it("match the schemas of a change and a security", () => {
    const { data_changes: changes, data_symbols: symbols } = dataSchemas();
    const { properties } = z.toJSONSchema(changes) as Schema;
    expect(differences(properties?.changes?.items ?? {}, "Change", "Change")).toEqual([]);
    const { properties: listed } = z.toJSONSchema(symbols) as unknown as {
      properties: { fields: { prefixItems: Schema[] } };
    };
    expect(Object.keys(membersOf("Security"))).toEqual(listed.fields.prefixItems.map((each) => each.const));
  });

  it("are reported as different when a property is missing, nullable or of another type", () => {
    const schema = {
      type: "object",
      properties: { at_least: { type: "integer" }, at_most: { type: "string" } },
    };
    expect(differences(schema, "Range", "Range")).toEqual(["Range.at_most: int instead of str"]);
    expect(differences({ anyOf: [schema, { type: "null" }] }, "Range", "Range")).toHaveLength(1);
    expect(differences({ type: "object", properties: {} }, "Range", "Range")).toHaveLength(1);
  });
});
