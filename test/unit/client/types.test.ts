/** The documented schemas, which are held against real answers, describe the types that server and client share. */
import { describe, expectTypeOf, it } from "vitest";
import type * as z from "zod";
import type {
  Account,
  Change,
  Estimate,
  Field,
  OrderRow,
  ShareInfo,
  Status,
} from "../../../src/client/typescript/index.ts";
import type { dataSchemas } from "../../../src/docs/openapi/answers.ts";

type Schemas = ReturnType<typeof dataSchemas>;
type Data<Name extends keyof Schemas> = z.infer<Schemas[Name]>;

describe("the client's types", () => {
  it("are what the documented schemas describe, member for member", () => {
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
  });
});
