/** `edgetape account` and `edgetape subscription`: customers and what they may use. */
import { type Command, InvalidArgumentError, Option } from "commander";
import { type Account, accountSchema, planNameSchema, type SubscriptionInput } from "../admin/wire.ts";
import { parseInstant } from "../calendar/instant.ts";
import { print, type ServiceOptions, serviceOf, table, withService } from "./service-options.ts";

/** Registers `account …` and `subscription set`. */
export function registerAccounts(program: Command): void {
  const account = program.command("account").description("customers");
  withService(
    account
      .command("create")
      .description("make an account")
      .argument("[account]", "your own name for the customer; made up when absent")
      .option("--contact <text>", "how to reach the customer")
      .option("--note <text>", "anything worth remembering"),
  ).action(create);
  withService(
    account.command("show").description("plans, limits and keys of an account").argument("<account>"),
  ).action(async (id: string, options: ServiceOptions) =>
    showAccount(options, await request(options, "GET", id)),
  );
  for (const change of ["disable", "enable"] as const) {
    withService(
      account.command(change).description(`${change} an account with all its keys`).argument("<account>"),
    ).action(async (id: string, options: ServiceOptions) =>
      showAccount(options, await request(options, "POST", id, `/${change}`)),
    );
  }
  withService(
    account
      .command("limits")
      .description("the account's own daily limits; a limit that is not given falls back to the plan's")
      .argument("<account>")
      .option("--requests <count>", "requests a Beijing day and interface, or unlimited", limitArgument)
      .option("--files <count>", "Parquet files a Beijing day and interface, or unlimited", limitArgument),
  ).action(setLimits);
  withService(
    program
      .command("subscription")
      .description("plans of an account")
      .command("set")
      .description("give an account this plan in place of all it has")
      .argument("<account>")
      .addOption(
        new Option("--plan <plan>", "the plan").choices(planNameSchema.options).makeOptionMandatory(),
      )
      .requiredOption(
        "--start <instant>",
        "first instant: a date (its beginning in Beijing) or RFC 3339",
        instantArgument,
      )
      .requiredOption("--end <instant>", "first instant after the plan, likewise", instantArgument)
      .option("--keep", "keep the account's other plans: of overlapping ones the best counts"),
  ).action(setSubscription);
}

function instantArgument(text: string): number {
  const instant = parseInstant(text);
  if (instant === null) throw new InvalidArgumentError("expected YYYY-MM-DD or RFC 3339 with an offset.");
  return instant;
}

function limitArgument(text: string): number | null {
  if (text === "unlimited") return null;
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("expected a whole number or unlimited.");
  return Number(text);
}

async function create(
  accountId: string | undefined,
  options: ServiceOptions & { contact?: string; note?: string },
): Promise<void> {
  const body = {
    ...(accountId === undefined ? {} : { accountId }),
    contact: options.contact ?? "",
    note: options.note ?? "",
  };
  showAccount(options, await serviceOf(options).request(accountSchema, "POST", "/admin/accounts", { body }));
}

function request(
  options: ServiceOptions,
  method: "GET" | "POST" | "PUT",
  accountId: string,
  below = "",
  body?: unknown,
): Promise<Account> {
  const path = `/admin/accounts/${encodeURIComponent(accountId)}${below}`;
  return serviceOf(options).request(accountSchema, method, path, { body, repeatable: true });
}

async function setLimits(
  id: string,
  options: ServiceOptions & { requests?: number | null; files?: number | null },
): Promise<void> {
  const body = {
    ...(options.requests === undefined ? {} : { requests: options.requests }),
    ...(options.files === undefined ? {} : { files: options.files }),
  };
  showAccount(options, await request(options, "PUT", id, "/limits", body));
}

async function setSubscription(
  id: string,
  options: ServiceOptions & { plan: SubscriptionInput["plan"]; start: number; end: number; keep?: boolean },
): Promise<void> {
  const kept = options.keep ? (await request(options, "GET", id)).subscriptions : [];
  const subscriptions = [...kept, { plan: options.plan, start: options.start, end: options.end }];
  showAccount(options, await request(options, "PUT", id, "/subscriptions", { subscriptions }));
}

function showAccount(options: ServiceOptions, account: Account): void {
  const limit = (own: number | null | undefined) => (own === undefined ? "the plan's" : (own ?? "unlimited"));
  print(options, account, [
    `account ${account.accountId}${account.disabled ? " (disabled)" : ""}, made ${account.createdAt}`,
    ...(account.contact ? [`contact: ${account.contact}`] : []),
    ...(account.note ? [`note: ${account.note}`] : []),
    `limits a day: requests ${limit(account.ownLimits.requests)}, files ${limit(account.ownLimits.files)}`,
    ...account.subscriptions.map(({ plan, start, end }) => `plan ${plan} from ${start} until before ${end}`),
    ...(account.keys.length === 0
      ? ["no keys"]
      : table(
          ["key id", "begins", "name", "state"],
          account.keys.map((key) => [
            key.keyId,
            key.firstCharacters || "(hash)",
            key.name,
            key.revokedAt
              ? `revoked ${key.revokedAt}`
              : key.expiresAt
                ? `until ${key.expiresAt}`
                : "in force",
          ]),
        )),
  ]);
}
