import { describe, expect, it } from "vitest";
import { createApp } from "../../src/app.ts";

/** The public paths that the service answers. All paths below `/admin`, `/console` and `/docs` are allowed too. */
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
  it("are exactly the documented routes", () => {
    const paths = new Set(createApp().routes.map((route) => route.path));
    const catchAll = ["*", "/*"];
    const unexpected = [...paths].filter(
      (path) => !PUBLIC.includes(path) && !catchAll.includes(path) && !/^\/(admin|console|docs)\b/.test(path),
    );
    expect(unexpected).toEqual([]);
    expect(PUBLIC.filter((path) => !paths.has(path) && !paths.has(path.replace(/\/$/, "")))).toEqual([]);
  });
});
