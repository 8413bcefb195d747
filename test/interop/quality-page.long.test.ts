/** The quality sheet's page in a real browser: languages, both themes, five widths, print. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { sheetPage } from "../../src/quality/sheet-page.ts";
import { axeFindings, findingsAtWidths, testBrowser } from "../support/browser.ts";
import { checkedTables, madeDay } from "../support/checked-day.ts";
import { tablesOf } from "../support/layout-sources.ts";
import { testFolder } from "../support/test-folder.ts";
import { isMissing } from "../support/tools.ts";

const folder = testFolder("edgetape-quality-");
const open = testBrowser();
let address: string;
beforeAll(async () => {
  if (isMissing("chromium")) return;
  const tables = tablesOf("vendor", "20230711", madeDay("quality page", 600));
  // Every second trade is removed.
  const halved = tables.map((table) =>
    table.dataset === "trades" ? { ...table, rows: table.rows.filter((_, row) => row % 2 === 0) } : table,
  );
  const { sheet } = await checkedTables(halved);
  expect(sheet.verdict).toBe("failed");
  const path = join(folder, "20230711_quality.html");
  writeFileSync(path, sheetPage(sheet));
  address = pathToFileURL(path).href;
});

describe.skipIf(isMissing("chromium"))("the page of a quality sheet", () => {
  it.each(["light", "dark"] as const)(
    "passes axe's rules in both languages at every width in the %s theme",
    async (colorScheme) => {
      const { page, requests, errors } = await open({ colorScheme });
      await page.goto(address);
      expect(await page.isVisible(".zh h1")).toBe(true);
      expect(await findingsAtWidths(page)).toEqual([]);
      await page.check("#en");
      expect([await page.isVisible(".zh h1"), await page.isVisible(".en h1")]).toEqual([false, true]);
      expect(await findingsAtWidths(page)).toEqual([]);
      expect([requests, errors]).toEqual([[address], []]);
    },
  );

  it("is printed in the shown language, in light colours and without its controls", async () => {
    const { page } = await open({ colorScheme: "dark" });
    await page.goto(address);
    await page.check("#en");
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    expect([await page.isVisible("header"), await page.isVisible(".en h1")]).toEqual([false, true]);
    expect(await page.evaluate("getComputedStyle(document.body).color")).toBe("rgb(23, 32, 31)");
    expect(await axeFindings(page)).toEqual([]);
  });
});
