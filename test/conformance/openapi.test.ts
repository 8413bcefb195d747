/** Compares `GET /openapi.json` with the service: names, values, answers and examples. */
import { afterAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { DATASET_NAMES, DATASETS, perDataset } from "../../src/datasets/registry.ts";
import { type ExampleDays, exampleRows } from "../../src/docs/example-day.ts";
import { firstPage, requestExamples } from "../../src/docs/openapi/document.ts";
import {
  type Apiname,
  fileParams,
  pageParams,
  paramsSchemas,
  SUMMARIES,
} from "../../src/docs/openapi/parameters.ts";
import { REFUSALS } from "../../src/docs/openapi/refusals.ts";
import { dataSchemas } from "../../src/operations/wire.ts";
import { day, orderOf, randomRows, security } from "../support/builders.ts";
import { publishSections } from "../support/dataset-days.ts";
import { auctionPack, publishFiles } from "../support/files.ts";
import { call } from "../support/http-client.ts";
import { asOperator, publish } from "../support/operator.ts";
import { randomFrom } from "../support/random.ts";
import { CODE_OF_REASON } from "./expect-refusal.ts";
import { BEFORE_WINDOW, CATL, MAIN, OLDEST, SATURDAY, startWorld, TODAY, type World } from "./world.ts";

interface Document {
  openapi: string;
  servers: { url: string }[];
  paths: { "/api": { post: { requestBody: Content; responses: Record<string, Content> } } };
  components: { schemas: Record<string, Schema> };
}
interface Schema {
  properties?: Record<string, Schema>;
  anyOf?: Schema[];
}
interface Content {
  content: { "application/json": { examples: Record<string, { value: Record<string, unknown> }> } };
}

/** Returns the names of all parameters in the schema of an operation's request. */
const namesIn = (apiname: Apiname): string[] => {
  const params = document.components.schemas[`${apiname}_request`]?.properties?.params;
  const alternatives = params?.anyOf ?? [params];
  return [...new Set(alternatives.flatMap((each) => Object.keys(each?.properties ?? {})))];
};

const APINAMES = Object.keys(SUMMARIES) as Apiname[];
/** The newest day of each dataset. The days differ, as on an evening when only the day's orders are loaded so far. */
const NEWEST: ExampleDays = { orders: MAIN, trades: "20260310", quotes: "20260309" };
const world = await startWorld();
for (const dataset of DATASET_NAMES.filter((name) => name !== "orders")) {
  const columns = randomRows(randomFrom(20_260_311), DATASETS[dataset], { rows: 20 });
  await publishSections(world.service, dataset, NEWEST[dataset], [
    { symbol: "600519", market: "SH", columns },
  ]);
}
await publishFiles(world.service, auctionPack("20260311"));
const answer = await call(`${world.service.baseUrl}/openapi.json`, { method: "GET" });
expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
const document: Document = JSON.parse(answer.text);
afterAll(() => world.stop());

const ask = (apiname: string, params: object, apikey = world.keys.flagship) =>
  world.service.post({ apiname, apikey, params }, { "accept-language": "en" });

describe("GET /openapi.json", () => {
  it("is OpenAPI 3.1 with this server's URL, and every reference in it resolves", () => {
    expect(document.openapi).toBe("3.1.0");
    expect(document.servers).toEqual([{ url: world.service.baseUrl }]);
    const refs = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)];
    expect(refs.length).toBeGreaterThan(10);
    expect(
      refs.map(([, name = ""]) => name).filter((name) => !(name in document.components.schemas)),
    ).toEqual([]);
  });

  it("lists every apiname and exactly its parameters", async () => {
    const { text } = await ask("nonsense", {});
    expect(/Accepted: ([\w, ]+)\./.exec(text)?.[1]?.split(", ").toSorted()).toEqual(APINAMES.toSorted());
    for (const apiname of APINAMES) {
      const answer = await ask(apiname, { "no-such-name-at-all": 1 });
      const accepted = /Accepted: ([\w, ]+)\./.exec(answer.text)?.[1]?.split(", ") ?? [];
      expect(accepted.toSorted(), apiname).toEqual(namesIn(apiname).toSorted());
    }
  });

  it("lists every reason with its code", () => {
    expect(Object.fromEntries(REFUSALS.map(({ reason, code }) => [reason, code]))).toEqual(CODE_OF_REASON);
    const inDocument = Object.values(document.paths["/api"].post.responses).flatMap(({ content }) =>
      Object.keys(content["application/json"].examples),
    );
    expect(new Set(inDocument)).toEqual(new Set([...Object.keys(CODE_OF_REASON), "first_page"]));
  });
});

/** Valid and invalid values of each parameter, on which schema and service must agree. */
const VALUES: Record<string, unknown[]> = {
  symbol: [
    "600519",
    "600519.SH",
    "sz000001",
    " 600519.xshg ",
    "600519.ss",
    "600519.SSE",
    "600519.Sse",
    600519,
    "60051",
    "600519.XX",
    "600519,000001",
    ["600519"],
    "SH600519.SH",
    "600519.",
    "sh.600519",
    "６００５１９",
  ],
  tradedate: [MAIN, "20260230", 20260311, "2026-03-11", "202603", "abcdefgh", [MAIN]],
  start_time: [
    "09:30",
    "09:30:00",
    "093000",
    "093000000",
    "9:30",
    "24:00",
    "0930",
    "09300000",
    "09:60",
    930,
    "09:30:00.000",
    "235959999",
  ],
  end_time: ["15:00", "23:59:59", "150000", "150000000", "24:00:00", "3pm", 150000, true],
  page_size: [1, 10_000, 50_000, "7", "007", "50000", 0, -1, 1.5, "1.5", "ten", true, "0", [1], {}],
  limit: [1, "20", 0, "x", 2.5],
  format: ["json", "parquet", "csv", "JSON", 1],
  cursor: ["v1.old", 5, {}],
  month: ["202603", "202613", "2026-03", 202603, "202600"],
  since: ["20260301", "yesterday", 20260301],
  after: [0, 5, "5", -1, "x", 1.5],
  limit_changes: [1, 50, "50", 0, 51, "0", "051", true],
  dataset: ["orders", "trades", "quotes", "auctions", "Orders", 1],
  market: ["SH", "sz", " Sh ", "BJ", "S", 1],
  data_type: ["level2", "auction_tick", "level1", "LEVEL2", 2],
  year: [2026, "2026", 2016, "26", 2026.5, true],
};

const HISTORIES = DATASET_NAMES.flatMap((name) => [DATASETS[name].apiname, DATASETS[name].estimate]);

/** Values that the document accepts although the service refuses them. */
const LOOSER = new Set([
  'data_changes limit "0"',
  'data_changes limit "051"',
  'data_changes since "yesterday"',
  'file_download year "26"',
  ...[...HISTORIES, "data_symbols"].map((apiname) => `${apiname} tradedate "20260230"`),
]);

const OF_A_SECURITY = { symbol: "600519", tradedate: MAIN };

const BASE: Record<Apiname, Record<string, unknown>> = {
  ...perDataset("apiname", () => OF_A_SECURITY),
  ...perDataset("estimate", () => OF_A_SECURITY),
  file_download: { data_type: "auction_tick", year: 2026 },
  account_info: {},
  data_status: {},
  data_changes: {},
  data_symbols: { tradedate: MAIN },
};

/** The reasons for which the service refuses the form of a parameter. */
const FORM = ["param_invalid", "param_unknown", "param_excluded", "field_unknown", "cursor_invalid"];

describe("the parameter schemas in openapi.json", () => {
  it.each(APINAMES)("accept for %s exactly the values that the service accepts", async (apiname) => {
    const schema = paramsSchemas()[apiname];
    const written = z.fromJSONSchema(
      document.components.schemas[`${apiname}_request`]?.properties?.params as z.core.JSONSchema.JSONSchema,
    );
    for (const name of namesIn(apiname)) {
      const values = VALUES[name === "limit" && apiname === "data_changes" ? "limit_changes" : name] ?? [];
      expect(values.length, name).toBeGreaterThan(0);
      for (const value of values) {
        const params = { ...BASE[apiname], [name]: value };
        const { reason } = await ask(apiname, params);
        // A refusal for another reason does not concern the value's form, so the schema accepts the value.
        const taken = !FORM.includes(reason ?? "");
        const about = `${name} ${JSON.stringify(value)}: ${reason}`;
        expect(schema.safeParse(params).success, about).toBe(taken);
        // For a string, a JSON Schema pattern cannot check that a number is within bounds or that a date exists.
        const told = taken || LOOSER.has(`${apiname} ${name} ${JSON.stringify(value)}`);
        expect(written.safeParse(params).success, `written: ${about}`).toBe(told);
      }
    }
  });

  it("accept null as absent, and refuse the parameters that the service excludes with format parquet", async () => {
    for (const name of ["tradedate", "format", "start_time", "end_time", "page_size", "limit", "cursor"]) {
      const params = { symbol: "600519", tradedate: MAIN, [name]: null };
      if (name !== "tradedate") expect((await ask("level2_order_history", params)).envelope.code).toBe(200);
      expect(pageParams().safeParse(params).success).toBe(true);
    }
    const file = { symbol: "600519", tradedate: MAIN, format: "parquet" };
    expect(fileParams().safeParse(file).success).toBe(true);
    for (const name of ["start_time", "end_time", "page_size", "limit", "cursor"]) {
      expect(paramsSchemas().level2_order_history.safeParse({ ...file, [name]: "093000" }).success).toBe(
        false,
      );
      expect((await ask("level2_order_history", { ...file, [name]: "093000" })).reason).toBe(
        "param_excluded",
      );
    }
  });
});

describe("the examples in openapi.json", () => {
  it.each(Object.keys(requestExamples(NEWEST)))(
    "include the request %s, which is served with data that matches its schema",
    async (name) => {
      const body = document.paths["/api"].post.requestBody.content["application/json"].examples[name]?.value;
      const answer = await world.service.post({ ...body, apikey: world.keys.flagship });
      if (name.endsWith("_file")) {
        expect(answer.headers["content-type"]).toBe("application/vnd.apache.parquet");
        return;
      }
      expect(answer.envelope.code, answer.text).toBe(200);
      const parsed = dataSchemas()[body?.apiname as Apiname].safeParse(answer.envelope.data);
      expect(parsed.error?.issues ?? []).toEqual([]);
    },
  );

  it("include first_page with the rows that the service returns for the documented day", async () => {
    const orders = [...exampleRows(MAIN), ["", "", "150000000", 0, 14, "A", "B", 1500, 100, 0]].map(orderOf);
    await publish(world.service, day({ tradedate: MAIN, securities: [security("600519", orders), CATL] }));
    const { apiname, ...rest } = requestExamples(NEWEST).first_page ?? { apiname: "" };
    const answer = await world.service.post({ apiname, apikey: world.keys.flagship, ...rest });
    const data = { ...(firstPage(MAIN).data as object), next_cursor: expect.stringMatching(/^v\d\.[\w-]+$/) };
    expect(answer.envelope).toEqual({ ...firstPage(MAIN), data });
  });

  it.each<[string, object, (keyof World["keys"] | "unknown")?]>([
    ["key_unknown", {}, "unknown"],
    ["plan_missing", { symbol: "600519", tradedate: MAIN }, "standard"],
    ["outside_window", { symbol: "600519", tradedate: OLDEST }, "professional"],
    ["param_invalid", { symbol: "600519", start_time: "9:30" }],
    ["param_unknown", { symbol: "600519", star_time: "09:30" }],
    ["param_excluded", { symbol: "600519", format: "parquet", page_size: 5 }],
    ["cursor_old_format", { symbol: "600519", cursor: "v1.600519" }],
    ["cursor_invalid", { symbol: "600519", cursor: "v3.nonsense" }],
    ["not_loaded", { symbol: "600519", tradedate: TODAY }],
    ["not_trading_day", { symbol: "600519", tradedate: SATURDAY }],
    ["future_day", { symbol: "600519", tradedate: "20260313" }],
    ["before_history", { symbol: "600519", tradedate: "20200102" }],
    ["security_unknown", { symbol: "300750.SH", tradedate: MAIN }],
  ])("include the refusal %s with the message that the service returns", async (reason, params, who) => {
    const key = who === "unknown" ? "unknown" : world.keys[who ?? "flagship"];
    const answer = await ask("level2_order_history", params, key);
    const examples = Object.values(document.paths["/api"].post.responses).map(
      ({ content }) => content["application/json"].examples[reason]?.value,
    );
    const shown = examples.find((each) => each !== undefined);
    const withoutId = (message: unknown) => String(message).replace(/ · [^\]]*\]$/, "]");
    expect(answer.envelope.code).toBe(shown?.code);
    expect(withoutId(answer.envelope.message)).toBe(withoutId(shown?.message));
  });

  it("include the refusal withdrawn with the message that the service returns", async () => {
    await asOperator(world.service, "POST", `/admin/days/${BEFORE_WINDOW}/withdraw`, { revision: 1 });
    const { text } = await ask("level2_order_history", { symbol: "600519", tradedate: BEFORE_WINDOW });
    const shown = REFUSALS.find(({ reason }) => reason === "withdrawn")?.message.en ?? "";
    expect(text.replaceAll(BEFORE_WINDOW, MAIN)).toContain(shown);
  });
});
