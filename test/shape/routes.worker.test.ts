import { describe, expect, it } from "vitest";
import { createApp } from "../../src/app.ts";

/** All public paths below which the service answers; `/admin`, `/console` and `/docs` stand for all their routes. */
const PUBLIC = [
  "/",
  "/api",
  "/api/",
  "/health",
  "/-assets/:name",
  "/s/:share",
  "/s/:share/*",
  "/openapi.json",
];

describe("the worker's routes", () => {
  it("are exactly the documented ones", () => {
    const paths = new Set(createApp().routes.map((route) => route.path));
    const catchAll = ["*", "/*"];
    const unexpected = [...paths].filter(
      (path) => !PUBLIC.includes(path) && !catchAll.includes(path) && !/^\/(admin|console|docs)\b/.test(path),
    );
    expect(unexpected).toEqual([]);
    expect(PUBLIC.filter((path) => !paths.has(path) && !paths.has(path.replace(/\/$/, "")))).toEqual([]);
  });
});
