/** `edgetape changes`: what changed of the served days, and of which securities. */
import type { Command } from "commander";
import { type Change, type ChangeList, changeListSchema } from "../admin/wire.ts";
import { countArgument, instantArgument } from "./arguments.ts";
import { print, type ServiceOptions, serviceOf, table, withService } from "./service-options.ts";

interface ChangesOptions extends ServiceOptions {
  /** Unix milliseconds. */
  since?: number;
  after?: number;
}

/** Codes shown of a longer list. */
const SHOWN_CODES = 5;

/** Registers `changes`. */
export function registerChanges(program: Command): void {
  withService(
    program
      .command("changes")
      .description("which days were published, restored, withdrawn or damaged, and which securities differ")
      .option(
        "--since <instant>",
        "from a day (its beginning in Beijing), today, yesterday or RFC 3339 on",
        instantArgument,
      )
      .option("--after <number>", "behind a change's number", countArgument),
  ).action(list);
}

async function list(options: ChangesOptions): Promise<void> {
  const client = serviceOf(options);
  const changes: Change[] = [];
  let page: ChangeList | undefined;
  do {
    const query = new URLSearchParams({ after: String(page?.nextAfter ?? options.after ?? 0) });
    if (options.since !== undefined) query.set("since", new Date(options.since).toISOString());
    page = await client.request(changeListSchema, "GET", `/admin/changes?${query}`);
    changes.push(...page.changes);
  } while (page.hasMore);
  const lines =
    changes.length === 0
      ? ["Nothing has changed."]
      : table(
          ["change", "at", "day", "what", "revision", "securities that differ"],
          changes.map((each) => [
            String(each.change),
            each.at,
            each.tradedate,
            each.kind,
            each.previous === null ? String(each.revision) : `${each.previous} → ${each.revision}`,
            differences(each),
          ]),
        );
  print(options, { changes, nextAfter: page.nextAfter }, lines);
}

function differences({ securities }: Change): string {
  if (securities === null) return "-";
  const { added, removed, changed } = securities;
  const lists = [
    [added, "added"],
    [removed, "removed"],
    [changed, "changed"],
  ] as const;
  const told = lists.filter(([codes]) => codes.length > 0).map(([codes, what]) => `${short(codes)} ${what}`);
  return told.length === 0 ? "none" : told.join(", ");
}

function short(codes: readonly string[]): string {
  const more = codes.length - SHOWN_CODES;
  return more <= 0 ? codes.join(" ") : `${codes.slice(0, SHOWN_CODES).join(" ")} and ${more} more`;
}
