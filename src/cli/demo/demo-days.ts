/** Loads the demo's calendar, sample days and auction packs as an operator does. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { auctionPackName } from "../../auction/columns.ts";
import { addDays, type BeijingDate } from "../../calendar/beijing.ts";
import { DATASET_NAMES } from "../../datasets/registry.ts";
import { checkFolder, sheetPageName } from "../../pack-builder/check-packs.ts";
import { packName } from "../../pack-builder/pack-file.ts";
import { writeSamplePacks } from "../../pack-builder/sample/sample-pack.ts";
import type { AdminClient } from "../admin-client.ts";
import { publishAuction, refuseFailedAuction } from "../auction-publishing.ts";
import {
  type ExchangeDay,
  exchangeDays,
  LIBRARY_SOURCE,
  loadCalendar,
  weekdays,
} from "../calendar-commands.ts";
import { loadedDays } from "../dataset-days.ts";
import { ServiceRefusal } from "../exit.ts";
import { openPack, publishPack, saidBeside } from "../publish-command.ts";

/** The minimum ages of the two older sample days, in days. They are outside the windows of 30 and 365 days. */
const OLDER_DAYS_BACK = [40, 400];

/** Returns the calendar for a demo on the day `today`, and the years up to this one whose holidays the library lacks. */
export function demoCalendar(today: BeijingDate) {
  const thisYear = Number(today.slice(0, 4));
  const firstYear = Number(addDays(today, -Math.max(...OLDER_DAYS_BACK) - 30).slice(0, 4));
  const days: ExchangeDay[] = [];
  const withoutHolidays: number[] = [];
  for (let year = firstYear; year <= thisYear + 1; year++) {
    const known = exchangeDays(year);
    if (known !== null) days.push(...known);
    else if (year <= thisYear) {
      days.push(...weekdays(year));
      withoutHolidays.push(year);
    }
  }
  return { days, withoutHolidays };
}

/**
 * Returns the trading days that a demo on the day `today` serves, ascending. They are the newest three up to today, the
 * newest at least 40 days old, and the newest at least 400 days old.
 */
export function sampleDates(calendar: ExchangeDay[], today: BeijingDate): BeijingDate[] {
  const open = calendar.filter(({ day, open }) => open && day <= today).map(({ day }) => day);
  const older = OLDER_DAYS_BACK.map((back) => open.findLast((day) => day <= addDays(today, -back)));
  return [...new Set([...older, ...open.slice(-3)])].filter((day) => day !== undefined).sort();
}

/** Loads the demo's calendar. The source of a year without known holidays is recorded as `weekdays`. */
export async function loadDemoCalendar(
  client: AdminClient,
  { days, withoutHolidays }: ReturnType<typeof demoCalendar>,
): Promise<void> {
  const isGuessed = ({ day }: ExchangeDay) => withoutHolidays.includes(Number(day.slice(0, 4)));
  const bySource = Map.groupBy(days, (day) => (isGuessed(day) ? "weekdays" : LIBRARY_SOURCE));
  for (const [source, ofSource] of bySource) await loadCalendar(client, ofSource, source);
}

/** Returns the days of `wanted` for which at least one dataset was never loaded. */
export async function unloadedDays(client: AdminClient, wanted: BeijingDate[]): Promise<BeijingDate[]> {
  const loaded = await Promise.all(DATASET_NAMES.map((dataset) => loadedDays(client, dataset)));
  return wanted.filter((day) => loaded.some((days) => !days.includes(day)));
}

/** The folder of quality sheets, and of sample packs until they are published. */
const packFolder = (stateDir: string) => join(stateDir, "demo-packs");

/** Returns the path of the page that shows a sample day's quality sheet. The page exists after the day was checked. */
export function samplePage(tradedate: BeijingDate, stateDir: string): string {
  return join(packFolder(stateDir), sheetPageName(tradedate));
}

/** Creates the sample packs of `tradedate`. */
export async function buildSampleDay(tradedate: BeijingDate, stateDir: string): Promise<void> {
  await writeSamplePacks({ tradedate }, packFolder(stateDir), DATASET_NAMES);
}

/**
 * Publishes the sample packs of `tradedate` and the auction pack. If there is a quality sheet beside the packs, they
 * are published with its verdict. If the day was loaded before (`isLoaded`), packs that are already served receive the
 * verdict and nothing else. Refusals by the service are then ignored, because the user may have withdrawn the day.
 */
export async function publishSampleDay(
  client: AdminClient,
  tradedate: BeijingDate,
  { stateDir, isLoaded }: { stateDir: string; isLoaded: boolean },
): Promise<void> {
  const keepDecision = (error: unknown) => {
    if (!isLoaded || !(error instanceof ServiceRefusal)) throw error;
  };
  for (const dataset of DATASET_NAMES) {
    const path = join(packFolder(stateDir), packName(dataset, tradedate));
    const pack = await openPack(path);
    try {
      // Without `force` the service would refuse sample days, because they differ more in size than real ones.
      const options = { force: !isLoaded, ...(await saidBeside(path, pack)) };
      await publishPack(client, pack, options).catch(keepDecision);
      if (dataset === "quotes")
        refuseFailedAuction([{ auction: await publishAuction(client, { path, pack }, {}) }]);
    } finally {
      await pack.close();
    }
  }
}

/**
 * Checks the sample packs of `tradedate`, publishes them like `publishSampleDay`, and removes them; the quality sheet
 * stays. Returns its verdict.
 */
export async function finishSampleDay(
  client: AdminClient,
  tradedate: BeijingDate,
  place: { stateDir: string; isLoaded: boolean },
): Promise<string> {
  const folder = packFolder(place.stateDir);
  const { sheet } = await checkFolder(folder, tradedate);
  await publishSampleDay(client, tradedate, place);
  const names = DATASET_NAMES.map((dataset) => packName(dataset, tradedate));
  for (const name of [...names, auctionPackName(tradedate)]) rmSync(join(folder, name), { force: true });
  return sheet.verdict;
}
