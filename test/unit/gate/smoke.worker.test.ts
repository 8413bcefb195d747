import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import type { Env } from "../../../src/env.ts";

it("has D1", async () => {
  expect((await (env as unknown as Env).DB.prepare("select 1 as x").first<{ x: number }>())?.x).toBe(1);
});
