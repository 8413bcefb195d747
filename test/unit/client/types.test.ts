/** The client's types of answers are those of the documented schemas, which are held against real answers. */
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
import type { AccountInfo } from "../../../src/operations/account-info.ts";
import type { ShareResult } from "../../../src/operations/file-download/share-result.ts";

type Schemas = ReturnType<typeof dataSchemas>;
type Data<Name extends keyof Schemas> = z.infer<Schemas[Name]>;

describe("the client's types", () => {
  it("take every answer that the service may give", () => {
    expectTypeOf<Data<"account_info">>().toExtend<Account>();
    expectTypeOf<AccountInfo>().toExtend<Account>();
    expectTypeOf<Data<"data_status">>().toExtend<Status>();
    expectTypeOf<Data<"data_changes">["changes"][number]>().toExtend<Change>();
    expectTypeOf<Data<"order_history_estimate">>().toExtend<Estimate>();
    expectTypeOf<Data<"file_download">["data"]>().toExtend<ShareInfo>();
    expectTypeOf<ShareResult>().toExtend<ShareInfo>();
  });

  it("name no member that no answer has", () => {
    expectTypeOf<keyof Account>().toEqualTypeOf<keyof Data<"account_info">>();
    expectTypeOf<keyof Status["days"][number]>().toEqualTypeOf<keyof Data<"data_status">["days"][number]>();
    expectTypeOf<keyof Change>().toEqualTypeOf<keyof Data<"data_changes">["changes"][number]>();
    expectTypeOf<keyof Estimate>().toEqualTypeOf<keyof Data<"order_history_estimate">>();
    expectTypeOf<keyof ShareInfo>().toEqualTypeOf<keyof Data<"file_download">["data"]>();
    expectTypeOf<keyof OrderRow>().toEqualTypeOf<Field>();
  });
});
