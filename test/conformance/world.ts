/**
 * The data of the conformance tests: a calendar, a few days, and an account for every plan. The time is Thursday,
 * 12 March 2026, 10:00 in Beijing. Today's orders are not loaded yet.
 */
import { cp } from "node:fs/promises";
import type { DatasetName } from "../../src/datasets/registry.ts";
import type { PlanName } from "../../src/entitlement/principal.ts";
import { burst, day, order, security, type TestDay } from "../support/builders.ts";
import { largeSection, publishSections } from "../support/dataset-days.ts";
import type { Answer } from "../support/http-client.ts";
import { account, loadWeekdays, publish } from "../support/operator.ts";
import { orderHistory } from "../support/paging.ts";
import { randomFrom } from "../support/random.ts";
import {
  oncePerWorker,
  type Service,
  type ServiceOptions,
  startService,
  stateFolder,
} from "../support/service.ts";

export const DAY_MS = 86_400_000;
export const TODAY = "20260312";
/** The newest loaded day. */
export const MAIN = "20260311";
/** A Monday on which the exchanges were closed. */
export const HOLIDAY = "20260302";
export const SATURDAY = "20260307";
/** The first of the latest 30 calendar days. */
export const FIRST_OF_WINDOW = "20260211";
/** The last trading day before `FIRST_OF_WINDOW`. */
export const BEFORE_WINDOW = "20260210";
/** The oldest loaded day. */
export const OLDEST = "20250106";
/** The day that `publishLarge` publishes. */
export const LARGE = "20260310";

/** Thirteen records of 600519: a phase flag, four records in one millisecond, cancels, gaps. */
export const MAOTAI = security("600519", [
  order("091500000", { orderType: "S", orderCode: "OCALL", exchangeOrderId: 0, priceE4: 0, volume: 0 }),
  order("092500010", { exchangeOrderId: 11, orderCode: "S", priceE4: 15_000_100, volume: 100 }),
  order("093000000", { exchangeOrderId: 12, priceE4: 123_400, volume: 300 }),
  order("093000000", { exchangeOrderId: 13, orderId: 7, priceE4: 15_000_000, volume: 100 }),
  order("093000000", { exchangeOrderId: 14, orderId: 7, priceE4: 14_999_900, volume: 200 }),
  order("093000000", { exchangeOrderId: 13, orderId: 7, orderType: "D", priceE4: 15_000_000, volume: 60 }),
  order("093000001", { exchangeOrderId: 15, priceE4: 15_000_000, volume: 1 }),
  order("093000010", { exchangeOrderId: 16, priceE4: 15_000_000, volume: 7 }),
  order("093001000", { exchangeOrderId: 17, priceE4: 1, volume: 1 }),
  order("093100000", { exchangeOrderId: 18, priceE4: 15_000_000, volume: 300 }),
  order("112959990", { exchangeOrderId: 19, orderType: "D", orderCode: "S", volume: 100 }),
  order("130000000", { exchangeOrderId: 20, orderType: "C", orderCode: "I", volume: 100 }),
  order("145959990", { exchangeOrderId: 21, volume: 100 }),
]);

/** Records of a Shenzhen security: limit, market and best-own-side orders. */
export const CATL = security("300750", [
  order("091500000", { orderType: "0", exchangeOrderId: 1, priceE4: 2_500_000, volume: 100 }),
  order("093000000", { orderType: "1", exchangeOrderId: 2, orderCode: "S", priceE4: 0, volume: 500 }),
  order("093000020", { orderType: "U", exchangeOrderId: 3, orderCode: "B", priceE4: 0, volume: 200 }),
]);

const onBoth = (symbol: string) => [
  security(symbol, [order("093000000", { volume: 100 })], "SH"),
  security(symbol, [order("093000000", { volume: 200 }), order("093000001", { volume: 200 })], "SZ"),
];

/** The main day: shares, funds and bonds whose six digits exist on both exchanges, and one security without orders. */
export const MAIN_DAY = day({
  tradedate: MAIN,
  securities: [
    MAOTAI,
    CATL,
    ...onBoth("000001"),
    ...onBoth("600036"),
    ...onBoth("159915"),
    ...onBoth("510300"),
    ...onBoth("110001"),
    burst({ symbol: "600000", time: "093000000", rows: 25 }),
    security("688111", []),
  ],
});

const smallDay = (tradedate: string) => day({ tradedate, securities: [MAOTAI] });

export interface World {
  service: Service;
  /** A key for each plan. Each key belongs to a separate account. */
  keys: Record<PlanName, string>;
  main: TestDay;
  /** Sends a history request, by default with the flagship account. */
  ask(params: Record<string, unknown>, options?: AskOptions): Promise<Answer>;
  stop(): Promise<void>;
}

export interface AskOptions {
  apikey?: string;
  fields?: unknown;
  headers?: Record<string, string>;
}

/**
 * Starts a separate service with calendar, days and accounts, for tests that need a different time or setting, or that
 * change existing data.
 */
export async function startWorld(options: ServiceOptions = {}): Promise<World> {
  const service = await startMarket(options);
  return inhabit(service, () => service.stop());
}

/**
 * Returns the service that all test files of a worker process share for one kind of tests, with new accounts. `days` is
 * for tests that only read, or that publish or damage their own days and files. `drive` is for tests of shares
 * (`drive-world.ts`). `refusals` is for tests that read stored refusals, because an isolate stores only a limited
 * number of them. Tests must not change the data of other tests. `stop` leaves the service running.
 */
export async function sharedWorld(use: "days" | "drive" | "refusals" = "days"): Promise<World> {
  const service = await oncePerWorker(`world of ${use}`, () => startMarket());
  return inhabit(service, async () => service.checkLog());
}

/**
 * Publishes the day `LARGE` of a dataset in the service of `sharedWorld("days")`, unless it exists there. The day
 * contains 600519, whose Parquet answer occupies the slot until the client has read it.
 */
export async function publishLarge({ service }: World, dataset: DatasetName = "orders"): Promise<void> {
  await oncePerWorker(`large day of ${dataset}`, async () => {
    const large = largeSection(randomFrom(20_260_310), dataset, "600519");
    await publishSections(service, dataset, LARGE, [large]);
  });
}

/** The time at which `startMarket` publishes calendar and days, an hour before the default time of a test's clock. */
const PUBLISHED_AT = "2026-03-12T09:00:00+08:00";

/**
 * Starts a service with a copy of a state that contains the calendar and the days. Copying is faster than publishing.
 */
async function startMarket(options: ServiceOptions = {}): Promise<Service> {
  const published = await oncePerWorker("state of the market", async () => {
    const folder = await stateFolder();
    // The services that use copies of this state start at the default time. The data must have been published earlier.
    await using service = await startService({ persistDir: folder, nowAt: PUBLISHED_AT });
    await loadWeekdays(service, "20250101", "20261231", [HOLIDAY]);
    for (const each of [OLDEST, BEFORE_WINDOW, FIRST_OF_WINDOW]) await publish(service, smallDay(each));
    await publish(service, MAIN_DAY);
    return folder;
  });
  const persistDir = await stateFolder();
  await cp(published, persistDir, { recursive: true });
  return startService({ persistDir, ...options });
}

/** Creates an account for every plan and returns a key of each. */
export async function keysOfPlans(service: Service): Promise<Record<PlanName, string>> {
  const plans: PlanName[] = ["free", "standard", "trial", "weekly", "professional", "flagship"];
  const keys = {} as Record<PlanName, string>;
  for (const plan of plans) keys[plan] = (await account(service, { plan })).key;
  return keys;
}

/** Creates an account for every plan and returns a `World` with the service and the accounts' keys. */
async function inhabit(service: Service, stop: () => Promise<void>): Promise<World> {
  const keys = await keysOfPlans(service);
  return {
    service,
    keys,
    main: MAIN_DAY,
    ask: (params, { apikey = keys.flagship, fields, headers = {} } = {}) =>
      service.post(orderHistory({ apikey, params, ...(fields === undefined ? {} : { fields }) }), headers),
    stop,
  };
}
