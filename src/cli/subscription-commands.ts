/** `edgetape subscription` and `edgetape plan`: customers' plans, and the daily limits of plans. */
import { Argument } from "commander";
import * as wire from "../admin/wire.ts";
import { accountOf, printAccount } from "./account-commands.ts";
import { type Call, command, group } from "./command.ts";
import { limitArgument, limitOf, table } from "./command-line.ts";
import { UsageFailure } from "./exit.ts";
import * as option from "./option.ts";

const PLANS = wire.planNameSchema.options;
const PLAN = option.choice("<plan>", PLANS, "the plan").required();
const BELOW = "/subscriptions";

const set = command("set <account>", {
  says: "replace all plans of an account with this one",
  options: {
    plan: PLAN,
    start: option.instant("start, inclusive: a date (its beginning in Beijing) or RFC 3339").required(),
    end: option.instant("end, exclusive: a date or RFC 3339").required(),
    keep: option.flag("keep the account's other plans; where plans overlap, the best one applies"),
    yes: option.YES,
  },
  async run(call, { plan, start, end, keep }, id: string) {
    if (!keep) await confirmLoss(call, id);
    const body = { plan, start, end };
    const account = keep
      ? await accountOf(call, "post", id, BELOW, { body })
      : await accountOf(call, "put", id, BELOW, { body: { subscriptions: [body] } });
    printAccount(call, account);
  },
});

/** Asks for confirmation when `set` removes plans of the account. */
async function confirmLoss(call: Call, id: string): Promise<void> {
  const { subscriptions } = await accountOf(call, "get", id);
  if (subscriptions.length === 0) return;
  const had = subscriptions.map(({ plan, start, end }) => `${plan} from ${start} to ${end}`);
  await call.confirm(`Remove these plans of ${id}: ${had.join(", ")}?`);
}

const extend = command("extend <account>", {
  says: "extend a plan; an ended plan starts again now",
  options: {
    plan: PLAN,
    by: option.span("extend the plan by this duration, for example 30d"),
    until: option.instant("extend the plan to this end, exclusive: a date or RFC 3339"),
  },
  async run(call, { plan, by, until }, id: string) {
    if ((by === undefined) === (until === undefined)) {
      throw new UsageFailure("Give either --by or --until.");
    }
    const body = { plan, until, byMs: by };
    printAccount(call, await accountOf(call, "post", id, `${BELOW}/extend`, { body }));
  },
});

const weekly = command("weekly <account>", {
  says: "add a weekly card (7 × 24 hours) to the account's plans",
  options: { start: option.instant("start, inclusive (default: now)") },
  async run(call, { start }, id: string) {
    // JSON omits an undefined start.
    printAccount(call, await accountOf(call, "post", id, BELOW, { body: { plan: "weekly", start } }));
  },
});

export const subscription = group("subscription", "manage the plans of an account", [set, extend, weekly]);

const listPlans = command("list", {
  says: "show the limits of every plan",
  alias: "show",
  isDefault: true,
  async run(call) {
    printPlans(call, await call.client.get(wire.planListSchema, "/admin/plans"));
  },
});

const limit = option.parsed("<count>", limitArgument("a whole number or unlimited", "unlimited"));

const setPlan = command("set", {
  says: "set both limits of a plan, for every account without limits of its own",
  args: { "<plan>": new Argument("<plan>").choices(PLANS) },
  options: {
    requests: limit("requests per Beijing day, or unlimited").required(),
    files: limit("Parquet files per Beijing day, or unlimited").required(),
  },
  async run(call, { requests, files }, plan: wire.PlanName) {
    const body = { plans: [{ plan, requests: limitOf(requests), files: limitOf(files) }] };
    printPlans(call, await call.client.put(wire.planListSchema, "/admin/plans", { body }));
  },
});

export const plan = group("plan", "show and set daily limits by plan; changes take effect within 30 s", [
  listPlans,
  setPlan,
]);

function printPlans({ print }: Call, list: wire.PlanList): void {
  const limit = (plan: wire.PlanName, count: number | null) =>
    wire.hasOrderHistory(plan) ? String(count ?? "unlimited") : "no tick history";
  const rows = list.plans.map(({ plan, requests, files }) => [
    plan,
    limit(plan, requests),
    limit(plan, files),
  ]);
  print(list, table(["plan", "requests a day", "files a day"], rows));
}
