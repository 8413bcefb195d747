/** `edgetape subscription` and `edgetape plan`: customers' plans, and the daily limits of plans. */
import { Argument, type Command, Option } from "commander";
import {
  hasOrderHistory,
  type PlanList,
  type PlanName,
  planListSchema,
  planNameSchema,
} from "../admin/wire.ts";
import { accountOf, printAccount } from "./account-commands.ts";
import {
  confirm,
  instantArgument,
  type LimitWord,
  limitArgument,
  limitOf,
  print,
  type ServiceOptions,
  serviceCommand,
  serviceOf,
  spanArgument,
  table,
  YES_OPTION,
} from "./command-line.ts";
import { CommandFailure, EXIT } from "./exit.ts";

/** Registers `subscription …`. */
export function registerSubscriptions(program: Command): void {
  const subscription = serviceCommand(program, "subscription").description("manage the plans of an account");
  subscription
    .command("set <account>")
    .description("replace all plans of an account with this one")
    .addOption(planOption())
    .requiredOption(
      "--start <instant>",
      "start, inclusive: a date (its beginning in Beijing) or RFC 3339",
      instantArgument,
    )
    .requiredOption("--end <instant>", "end, exclusive: a date or RFC 3339", instantArgument)
    .option("--keep", "keep the account's other plans; where plans overlap, the best one applies")
    .option(...YES_OPTION)
    .action(set);
  subscription
    .command("extend <account>")
    .description("extend a plan; an ended plan starts again now")
    .addOption(planOption())
    .option("--by <span>", "extend the plan by this duration, for example 30d", spanArgument)
    .option(
      "--until <instant>",
      "extend the plan to this end, exclusive: a date or RFC 3339",
      instantArgument,
    )
    .action(extend);
  subscription
    .command("weekly <account>")
    .description("add a weekly card (7 × 24 hours) to the account's plans")
    .option("--start <instant>", "start, inclusive (default: now)", instantArgument)
    .action(weekly);
}

/** Registers `plan …`. */
export function registerPlans(program: Command): void {
  const plan = serviceCommand(program, "plan").description(
    "show and set daily limits by plan; changes take effect within 30 s",
  );
  plan
    .command("list", { isDefault: true })
    .alias("show")
    .description("show the limits of every plan")
    .action(showPlans);
  plan
    .command("set")
    .description("set both limits of a plan, for every account without limits of its own")
    .addArgument(new Argument("<plan>").choices(planNameSchema.options))
    .requiredOption("--requests <count>", "requests per Beijing day, or unlimited", limitArgument)
    .requiredOption("--files <count>", "Parquet files per Beijing day, or unlimited", limitArgument)
    .action(setPlan);
}

function planOption(): Option {
  return new Option("--plan <plan>", "the plan").choices(planNameSchema.options).makeOptionMandatory();
}

const BELOW = "/subscriptions";

async function set(
  id: string,
  options: ServiceOptions & { plan: PlanName; start: number; end: number; keep?: boolean },
): Promise<void> {
  const { plan, start, end, keep } = options;
  if (!keep) await confirmLoss(id, options);
  const subscription = { plan, start, end };
  const account = keep
    ? await accountOf(options, "POST", id, BELOW, { body: subscription })
    : await accountOf(options, "PUT", id, BELOW, { body: { subscriptions: [subscription] } });
  printAccount(options, account);
}

/** Asks for confirmation when `set` removes plans of the account. */
async function confirmLoss(id: string, options: ServiceOptions): Promise<void> {
  const { subscriptions } = await accountOf(options, "GET", id);
  if (subscriptions.length === 0) return;
  const had = subscriptions.map(({ plan, start, end }) => `${plan} from ${start} to ${end}`);
  await confirm(`Remove these plans of ${id}: ${had.join(", ")}?`, options);
}

async function extend(
  id: string,
  options: ServiceOptions & { plan: PlanName; by?: number; until?: number },
): Promise<void> {
  const { plan, by, until } = options;
  if ((by === undefined) === (until === undefined)) {
    throw new CommandFailure("Give either --by or --until.", EXIT.usage);
  }
  const body = { plan, ...(by === undefined ? { until } : { byMs: by }) };
  printAccount(options, await accountOf(options, "POST", id, `${BELOW}/extend`, { body }));
}

async function weekly(id: string, options: ServiceOptions & { start?: number }): Promise<void> {
  // JSON omits an undefined start.
  const body = { plan: "weekly", start: options.start };
  printAccount(options, await accountOf(options, "POST", id, BELOW, { body }));
}

async function showPlans(options: ServiceOptions): Promise<void> {
  printPlans(options, await serviceOf(options).request(planListSchema, "GET", "/admin/plans"));
}

async function setPlan(
  plan: PlanName,
  options: ServiceOptions & { requests: LimitWord; files: LimitWord },
): Promise<void> {
  const body = { plans: [{ plan, requests: limitOf(options.requests), files: limitOf(options.files) }] };
  printPlans(options, await serviceOf(options).request(planListSchema, "PUT", "/admin/plans", { body }));
}

function printPlans(options: ServiceOptions, list: PlanList): void {
  const limit = (plan: PlanName, count: number | null) =>
    hasOrderHistory(plan) ? String(count ?? "unlimited") : "no tick history";
  const rows = list.plans.map(({ plan, requests, files }) => [
    plan,
    limit(plan, requests),
    limit(plan, files),
  ]);
  print(options, list, table(["plan", "requests a day", "files a day"], rows));
}
