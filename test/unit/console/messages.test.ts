import { describe, expect, it } from "vitest";
import { MESSAGES, reasonText } from "../../../src/console/messages.ts";
import { TRY_MESSAGES } from "../../../src/console/messages-try.ts";
import { FORMS } from "../../../src/console/try-forms.ts";
import { DATASET_NAMES, DATASETS } from "../../../src/datasets/registry.ts";
import { DATA_TYPES } from "../../../src/entitlement/data-types.ts";
import { OPERATIONS } from "../../../src/operations/registry.ts";
import { EVERY_DENIAL } from "../http/every-denial.ts";

/** Returns the names of the placeholders in a sentence, sorted. */
const places = (sentence: string) => [...sentence.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();
const isChinese = (text: string) => /\p{Script=Han}/u.test(text);

describe("the console's messages", () => {
  it("exist in both languages, with the same placeholders", () => {
    for (const [name, english] of Object.entries(TRY_MESSAGES.en)) {
      const chinese = TRY_MESSAGES.zh[name as keyof typeof TRY_MESSAGES.zh];
      if (typeof english === "string") expect(places(String(chinese)), name).toEqual(places(english));
    }
    for (const problem of Object.values(MESSAGES.zh.problems)) expect(isChinese(problem)).toBe(true);
  });

  it("include a name for every service and every dataset", () => {
    const named = [...DATASET_NAMES.map((name) => DATASETS[name].apiname), ...DATA_TYPES];
    for (const { services, datasets } of Object.values(MESSAGES)) {
      expect(Object.keys(services)).toEqual(expect.arrayContaining(named));
      expect(Object.keys(datasets)).toEqual(expect.arrayContaining(DATASET_NAMES));
    }
  });

  it("include a short text for every reason", () => {
    for (const { reason } of EVERY_DENIAL) {
      expect(reasonText(reason, "en"), reason).toMatch(/^[A-Z].{3,50}$/);
      expect(isChinese(reasonText(reason, "zh")), reason).toBe(true);
    }
  });
});

describe("the Try it page", () => {
  it("has a form for every operation", () => {
    expect(FORMS.map(({ apiname }) => apiname).toSorted()).toEqual([...OPERATIONS.keys()].toSorted());
  });
});
