/** Loads the demo's calendar, sample days and auction packs as an operator does. */
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { dayListSchema } from "../../admin/wire.ts";
import { auctionPackName } from "../../auction/columns.ts";
import { addDays, type BeijingDate } from "../../calendar/beijing.ts";
import { dayName } from "../../datasets/day-name.ts";
import { DATASET_NAMES, type DatasetName } from "../../datasets/registry.ts";
import { writeSamplePacks } from "../../pack-builder/sample/sample-pack.ts";
import type { AdminClient } from "../admin-client.ts";
import { publishAuction, refuseFailedAuction } from "../auction-publishing.ts";
import {
  type ExchangeDay,
  exchangeDays,
  knowsHolidays,
  LIBRARY_SOURCE,
  loadCalendar,
  weekdays,
} from "../calendar-commands.ts";
import { inDataset } from "../dataset-days.ts";
import { openPack, publishPack } from "../publish-command.ts";

/** The age of the two older sample days: outside the 30-day and the 365-day window. */
const OLDER_DAYS_BACK = [40, 400];

/** Returns the calendar that a demo on the day `today` needs, and the years without holidays. */
export function demoCalendar(today: BeijingDate): { days: ExchangeDay[]; withoutHolidays: number[] } {
  const thisYear = Number(today.slice(0, 4));
  const firstYear = Number(addDays(today, -Math.max(...OLDER_DAYS_BACK) - 30).slice(0, 4));
  const days: ExchangeDay[] = [];
  const withoutHolidays: number[] = [];
  for (let year = firstYear; year <= thisYear + 1; year++) {
    const known = knowsHolidays(year);
    if (known) days.push(...exchangeDays(year));
    else if (year <= thisYear) {
      days.push(...weekdays(year));
      withoutHolidays.push(year);
    }
  }
  return { days, withoutHolidays };
}

/**
 * Returns the trading days that a demo on the day `today` serves, ascending: the newest three up to today, and the
 * newest ones at least 40 and at least 400 days old.
 */
export function sampleDates(calendar: ExchangeDay[], today: BeijingDate): BeijingDate[] {
  const open = calendar.filter(({ day, open }) => open && day <= today).map(({ day }) => day);
  const older = OLDER_DAYS_BACK.map((back) => open.findLast((day) => day <= addDays(today, -back)));
  return [...new Set([...older, ...open.slice(-3)])].filter((day) => day !== undefined).sort();
}

/** Loads the demo's calendar. Returns it with the years without holidays. */
export async function loadDemoCalendar(client: AdminClient, today: BeijingDate) {
  const { days, withoutHolidays } = demoCalendar(today);
  const isGuessed = ({ day }: ExchangeDay) => withoutHolidays.includes(Number(day.slice(0, 4)));
  const known = days.filter((day) => !isGuessed(day));
  const guessed = days.filter(isGuessed);
  if (known.length > 0) await loadCalendar(client, known, LIBRARY_SOURCE);
  if (guessed.length > 0) await loadCalendar(client, guessed, "weekdays");
  return { days, withoutHolidays };
}

/** Returns the datasets of each day of `wanted` that were never loaded; no entry for a day that has them all. */
export async function unloadedDatasets(
  client: AdminClient,
  wanted: BeijingDate[],
): Promise<Map<BeijingDate, DatasetName[]>> {
  const loaded = new Set<string>();
  for (const month of new Set(wanted.map((day) => day.slice(0, 6)))) {
    for (const dataset of DATASET_NAMES) {
      const path = inDataset(`/admin/days?month=${month}`, dataset);
      const { days } = await client.request(dayListSchema, "GET", path);
      for (const { tradedate, revision } of days)
        if (revision !== null) loaded.add(dayName(tradedate, dataset));
    }
  }
  const lacking = wanted.map((day): [BeijingDate, DatasetName[]] => [
    day,
    DATASET_NAMES.filter((dataset) => !loaded.has(dayName(day, dataset))),
  ]);
  return new Map(lacking.filter(([, datasets]) => datasets.length > 0));
}

/** Creates the sample packs of `tradedate` and returns their paths. */
export async function buildSampleDay(
  tradedate: BeijingDate,
  stateDir: string,
  datasets: readonly DatasetName[] = DATASET_NAMES,
): Promise<string[]> {
  const written = await writeSamplePacks({ tradedate }, join(stateDir, "demo-packs"), datasets);
  return written.map(({ path }) => path);
}

/** Publishes the sample packs at `paths`, and of quotes the auction pack; removes the files. */
export async function publishSampleDay(client: AdminClient, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const pack = await openPack(path);
    const { dataset, tradedate } = pack.index;
    const auctionPath = join(dirname(path), auctionPackName(tradedate));
    try {
      // Sample days differ more in size than real ones.
      await publishPack(client, pack, { force: true });
      if (dataset === "quotes") refuseFailedAuction([await publishAuction(client, { path, pack }, {})]);
    } finally {
      await pack.close();
      for (const each of [path, auctionPath]) await rm(each, { force: true });
    }
  }
}
