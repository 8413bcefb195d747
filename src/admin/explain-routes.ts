/** `/admin/explain`: why a request was answered as it was, and how one would be answered now. */
import { Hono } from "hono";
import { type AdminEnv, answer } from "./exchange.ts";
import { explainId } from "./explain-id.ts";
import { explainRequest } from "./explain-request.ts";

/** The routes below `/admin/explain`. */
export function explainRoutes(): Hono<AdminEnv> {
  return new Hono<AdminEnv>()
    .get("/:requestId", async (c) => c.json(await explainId(c)))
    .post("/", async (c) => {
      const explained = await explainRequest(c);
      // Both have a `reason`; only an explanation has steps.
      return "steps" in explained ? c.json(explained) : answer(c, explained);
    });
}
