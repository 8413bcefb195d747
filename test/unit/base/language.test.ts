import { describe, expect, it } from "vitest";
import { inLanguage, preferredLanguage } from "../../../src/base/language.ts";

describe("preferredLanguage (contract 1.8)", () => {
  it.each([
    [null, "both"],
    ["", "both"],
    ["*", "both"],
    ["fr-FR, de;q=0.5", "both"],
    ["zh", "zh"],
    ["zh-Hant-TW", "zh"],
    ["ZH-cn,zh;q=0.9,en;q=0.8", "zh"],
    ["en-US,en;q=0.9,zh-CN;q=0.8", "en"],
    ["fr, en;q=0.5", "en"],
    ["en;q=0.3,zh;q=0.7", "zh"],
    ["zh;q=0.7 , en ; q = 0.7", "zh"],
    ["en;q=0,zh;q=0.001", "zh"],
    ["en;q=0", "both"],
    ["en;q ,zh;q=0.1", "en"],
    ["en;q=high,zh;q=0.1", "zh"],
    ["zhuang,english", "both"],
    [";;;,,,=", "both"],
  ])("given the header %j returns %s", (header, language) => {
    expect(preferredLanguage(header)).toBe(language);
  });
});

describe("inLanguage", () => {
  it("puts Chinese before English when both are wanted", () => {
    expect(inLanguage({ zh: "好。", en: "Fine." }, "both")).toBe("好。 Fine.");
  });
});
