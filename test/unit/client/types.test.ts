/** Tests that the client's types equal the documented schemas, which other tests compare with real answers. */
import { describe, expectTypeOf, it } from "vitest";
import type * as z from "zod";
import type {
  Account,
  CallOptions,
  Change,
  ClientOptions,
  DatasetOptions,
  DownloadOptions,
  Estimate,
  Field,
  FieldName,
  HistoryQuery,
  OrderRecord,
  OrderRow,
  ParquetQuery,
  ShareInfo,
  Status,
  TimeQuery,
  TradeFieldName,
  TradeRecord,
  TradeRow,
  WaitOptions,
} from "../../../src/client/typescript/index.ts";
import type { dataSchemas } from "../../../src/operations/wire.ts";

type Schemas = ReturnType<typeof dataSchemas>;
type Data<Name extends keyof Schemas> = z.infer<Schemas[Name]>;

describe("the TypeScript client's types", () => {
  it("match the documented schemas property by property", () => {
    expectTypeOf<Data<"account_info">>().toExtend<Account>();
    expectTypeOf<Account>().toExtend<Data<"account_info">>();
    expectTypeOf<Data<"data_status">>().toExtend<Status>();
    expectTypeOf<Status>().toExtend<Data<"data_status">>();
    expectTypeOf<Data<"data_changes">["changes"][number]>().toExtend<Change>();
    expectTypeOf<Change>().toExtend<Data<"data_changes">["changes"][number]>();
    expectTypeOf<Data<"order_history_estimate">>().toExtend<Estimate>();
    expectTypeOf<Estimate>().toExtend<Data<"order_history_estimate">>();
    expectTypeOf<Data<"file_download">["data"]>().toExtend<ShareInfo>();
    expectTypeOf<ShareInfo>().toExtend<Data<"file_download">["data"]>();
    expectTypeOf<keyof OrderRow>().toEqualTypeOf<Field>();
    expectTypeOf<FieldName>().toEqualTypeOf<Field | "order_no" | "side">();
    expectTypeOf<TradeFieldName>().toEqualTypeOf<keyof TradeRow | "order_kind">();
    expectTypeOf<Pick<OrderRecord, "time" | "side" | "order_no" | "amount">>().toEqualTypeOf<{
      time: string;
      side: string;
      order_no: number;
      amount: number;
    }>();
    expectTypeOf<TradeRecord["bs_flag" | "order_kind"]>().toEqualTypeOf<string>();
    expectTypeOf<TradeRecord["price" | "buy_order_id"]>().toEqualTypeOf<number>();
  });

  it("accept undefined for every option, even under exactOptionalPropertyTypes", () => {
    type Undefined<T> = { [Name in keyof T]: undefined };
    type Optional<T> = Omit<T, "symbol" | "key" | "baseUrls">;
    expectTypeOf<Undefined<Optional<Required<HistoryQuery>>>>().toExtend<Optional<HistoryQuery>>();
    expectTypeOf<Undefined<Optional<Required<ParquetQuery>>>>().toExtend<Optional<ParquetQuery>>();
    expectTypeOf<Undefined<Optional<Required<TimeQuery>>>>().toExtend<Optional<TimeQuery>>();
    expectTypeOf<Undefined<Optional<Required<ClientOptions>>>>().toExtend<Optional<ClientOptions>>();
    expectTypeOf<Undefined<Required<CallOptions>>>().toExtend<CallOptions>();
    expectTypeOf<Undefined<Required<DownloadOptions>>>().toExtend<DownloadOptions>();
    expectTypeOf<Undefined<Required<DatasetOptions>>>().toExtend<DatasetOptions>();
    expectTypeOf<Undefined<Required<WaitOptions>>>().toExtend<WaitOptions>();
  });
});
