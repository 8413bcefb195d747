/** `GET /openapi.json`: the operation `POST /api` as OpenAPI 3.1, built from the schemas beside this file. */
import * as z from "zod";
import { DATASET_NAMES, DATASETS } from "../../datasets/registry.ts";
import { BODY_LIMIT_BYTES, envelopeSchema } from "../../http/envelope.ts";
import { messageOf } from "../../http/outcome.ts";
import { dataSchemas } from "../../operations/wire.ts";
import { fieldsOf } from "../../orders/query/fields.ts";
import { FIELDS } from "../../orders/record.ts";
import { EXAMPLE, type ExampleDays, type ExampleFacts, exampleRows } from "../example-day.ts";
import { type Apiname, paramsSchemas, SUMMARIES } from "./parameters.ts";
import { REFUSALS } from "./refusals.ts";

type Json = Record<string, unknown>;

const APINAMES = Object.keys(SUMMARIES) as Apiname[];

/** Returns the document for a service of `version`, with examples for its URL and newest days. */
export function openApiDocument(facts: ExampleFacts, version: string): Json {
  const { base, days } = facts;
  return {
    openapi: "3.1.0",
    info: {
      title: "edgetape",
      version,
      summary: "Tick-by-tick orders and trades, and quotes, of the Chinese exchanges.",
      description:
        "Every request is a JSON body with apiname, apikey and params. Read the code of the body: 200 served, 1002 no data, 403 not allowed, 422 wrong parameter, 429 quota used, 503 busy or unavailable. X-Reason and the end of every message name the reason.",
      license: { name: "MIT", identifier: "MIT" },
    },
    externalDocs: { url: `${base}/docs/` },
    servers: [{ url: base }],
    paths: { "/api": { post: operation(days) } },
    components: { schemas: schemas() },
  };
}

function operation(days: ExampleDays): Json {
  const examples = Object.entries(requestExamples(days)).map(([name, { apiname, ...rest }]) => [
    name,
    { value: { apiname, apikey: EXAMPLE.key, ...rest } },
  ]);
  return {
    operationId: "call",
    summary: "All operations, chosen by apiname.",
    requestBody: {
      required: true,
      description: `JSON in UTF-8 of at most ${BODY_LIMIT_BYTES / 1024} KiB; the Content-Type does not matter. Other members are ignored.`,
      content: {
        "application/json": {
          schema: {
            oneOf: APINAMES.map((name) => ref(`${name}_request`)),
            discriminator: {
              propertyName: "apiname",
              mapping: Object.fromEntries(APINAMES.map((name) => [name, ref(`${name}_request`).$ref])),
            },
          },
          examples: Object.fromEntries(examples),
        },
      },
    },
    responses: responses(days.orders),
  };
}

/**
 * Returns the responses by HTTP status. A refused request for a file gets an error status; a refused request for JSON
 * usually gets 200 (contract 1.4).
 */
function responses(tradedate: string): Json {
  const statuses = new Set([200, ...REFUSALS.flatMap(({ status }) => [status.json, status.parquet])]);
  return Object.fromEntries([...statuses].map((status) => [status, response(status, tradedate)]));
}

function response(status: number, tradedate: string): Json {
  const refused = REFUSALS.filter((each) => each.status.json === status || each.status.parquet === status);
  const examples = Object.fromEntries(
    refused.map((outcome) => {
      const summary = `${outcome.code}${outcome.status.json === status ? "" : ", with format parquet"}`;
      const message = messageOf(outcome, "en", EXAMPLE.requestId);
      return [outcome.reason, { summary, value: { code: outcome.code, message, data: null } }];
    }),
  );
  if (status !== 200) {
    const content = { "application/json": { schema: ref("refusal"), examples } };
    return { description: "Refused.", headers: COMMON_HEADERS, content };
  }
  return {
    description: "Served, or refused with a code in the body.",
    headers: { ...COMMON_HEADERS, ...SERVED_HEADERS },
    content: {
      "application/json": {
        schema: { oneOf: [...APINAMES.map((name) => ref(`${name}_answer`)), ref("refusal")] },
        examples: { first_page: { value: firstPage(tradedate) }, ...examples },
      },
      "application/vnd.apache.parquet": { schema: { type: "string", format: "binary" } },
    },
  };
}

const header = (description: string, schema: Json = { type: "string" }) => ({ description, schema });
const whole = { type: "integer", minimum: 0 };

const COMMON_HEADERS: Json = {
  "X-Request-Id": header("The request's id, for support."),
  "X-Reason": header("Why the request was refused; absent when it was served.", {
    type: "string",
    enum: REFUSALS.map(({ reason }) => reason),
  }),
  "Retry-After": header("Seconds to wait; absent if waiting does not help.", whole),
  RateLimit: header('What is left of the day\'s counters: `"files";r=29;t=3600`; t: seconds to the reset.'),
  "RateLimit-Policy": header('The day\'s limits: `"files";q=30;w=86400`.'),
};

const SERVED_HEADERS: Json = {
  "X-Window": header("Histories: the time window, HHMMSSmmm-HHMMSSmmm, the end exclusive."),
  "X-Revision": header("Histories: the day's revision.", whole),
  "X-Build": header("Histories: the build id of the day's pack; equal build ids mean equal contents.", {
    type: "string",
    pattern: "^[0-9a-f]{32}$",
  }),
  "X-Row-Count": header("Histories: the number of rows in this answer.", whole),
  "X-Warning": header("Unknown parameters that the deployment ignored."),
  "Content-Disposition": header("Parquet: the file's name."),
  "Content-Length": header("Parquet: the exact number of bytes; a shorter body is truncated.", whole),
};

function schemas(): Json {
  const parts = APINAMES.flatMap((name) => {
    const { apikey } = envelopeSchema.shape;
    const params = paramsSchemas()[name];
    const dataset = DATASET_NAMES.find((each) => DATASETS[each].apiname === name);
    const fields = dataset === undefined ? {} : { fields: fieldsOf(dataset).schema };
    const request = z
      .object({ apiname: z.literal(name), apikey, params, ...fields })
      .meta({ title: name, description: SUMMARIES[name] });
    const answer = z.strictObject({
      code: z.literal(200),
      message: z.literal("success"),
      data: dataSchemas()[name],
    });
    return [
      [`${name}_request`, jsonSchema(request, "input")],
      [`${name}_answer`, jsonSchema(answer, "output")],
    ];
  });
  const codes = [...new Set(REFUSALS.map(({ code }) => code))];
  const refusal = z.strictObject({
    code: z.union(codes.map((code) => z.literal(code))),
    message: z.string().meta({ description: "What to do; ends with [reason · request id]." }),
    data: z.null(),
  });
  return { ...Object.fromEntries(parts), refusal: jsonSchema(refusal, "output") };
}

function jsonSchema(schema: z.ZodType, io: "input" | "output"): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io });
  return rest;
}

function ref(name: string): { $ref: string } {
  return { $ref: `#/components/schemas/${name}` };
}

const example = (apiname: Apiname, params: Json, fields?: string) => ({ apiname, params, fields });

/** Returns the examples by name; each requests the day of its dataset in `days`. */
export function requestExamples(days: ExampleDays): Record<string, ReturnType<typeof example>> {
  const { symbol } = EXAMPLE;
  const { orders: tradedate } = days;
  const month = tradedate.slice(0, 6);
  const minute = { start_time: "09:30", end_time: "09:31" };
  const onDay = { symbol, tradedate };
  const trades = { symbol, tradedate: days.trades };
  const quotes = { symbol, tradedate: days.quotes };
  const levelOne = "time,close,volume,bid1,bid_vol1,ask1,ask_vol1";
  return {
    first_page: example("level2_order_history", { ...onDay, page_size: exampleRows(tradedate).length }),
    one_minute: example(
      "level2_order_history",
      { symbol: `${symbol}.SH`, tradedate, ...minute },
      "time,price,volume",
    ),
    parquet_file: example("level2_order_history", { ...onDay, format: "parquet" }),
    // The year of the quotes, because the auction files are made from quotes.
    share: example("file_download", { data_type: "auction_tick", year: Number(days.quotes.slice(0, 4)) }),
    account: example("account_info", {}),
    status: example("data_status", { month }),
    changes: example("data_changes", { since: `${month}01`, limit: 50 }),
    symbols: example("data_symbols", { tradedate, market: "SH" }),
    estimate: example("order_history_estimate", onDay),
    trades_page: example("level2_trade_history", { ...trades, ...minute }),
    trades_file: example("level2_trade_history", { ...trades, format: "parquet" }),
    trades_estimate: example("trade_history_estimate", trades),
    quotes_page: example("level2_quote_history", { ...quotes, ...minute }, levelOne),
    quotes_file: example("level2_quote_history", { ...quotes, format: "parquet" }),
    quotes_estimate: example("quote_history_estimate", quotes),
  };
}

/** Returns an example of the answer to `first_page`. The cursor is invented. */
export function firstPage(tradedate: string): Json {
  const items = exampleRows(tradedate);
  return {
    code: 200,
    message: "success",
    data: {
      fields: FIELDS,
      items,
      tradedate,
      page_size: items.length,
      next_cursor: `v5.${"A".repeat(88)}`,
      has_more: true,
    },
  };
}
