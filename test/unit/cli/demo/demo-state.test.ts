import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { placesOf } from "../../../../src/cli/demo/demo-state.ts";

describe("the demo's file for scripts", () => {
  it("is .edgetape/demo.json for the default state, even when the options name that state", () => {
    for (const options of [{}, { state: ".wrangler/state" }, { state: resolve(".wrangler/state/") }]) {
      expect(placesOf(options)).toEqual({
        stateDir: resolve(".wrangler/state"),
        demoFile: resolve(".edgetape/demo.json"),
      });
    }
  });

  it("is demo.json in the state folder if this folder is not the default one", () => {
    expect(placesOf({ state: "other" })).toEqual({
      stateDir: resolve("other"),
      demoFile: resolve("other/demo.json"),
    });
    expect(placesOf({ state: "/srv/demo", empty: true }).demoFile).toBe("/srv/demo/demo.json");
    expect(placesOf({ empty: true }).demoFile).toBe(resolve(".wrangler/empty/demo.json"));
  });

  it("is written to the path that --out states", () => {
    expect(placesOf({ state: "other", out: "keys.json" }).demoFile).toBe(resolve("keys.json"));
  });
});
