/** `edgetape changes`: lists the changes of the days that the service serves, in the order in which they happened. */
import * as wire from "../admin/wire.ts";
import { dayName } from "../datasets/day-name.ts";
import { command } from "./command.ts";
import { countArgument, table } from "./command-line.ts";
import { datasetsOf, inDataset } from "./dataset-days.ts";
import * as option from "./option.ts";

/** The maximum number of codes that are shown from a list. */
const SHOWN_CODES = 5;

export const changes = command("changes", {
  says: "list which days were published, restored, withdrawn or damaged, and which securities differ",
  options: {
    since: option.instant(
      "only changes at or after this instant: a day (its beginning in Beijing), today, yesterday or RFC 3339",
    ),
    after: option.parsed("<number>", countArgument)("only changes after the one with this number"),
    dataset: option.dataset("only this dataset (default: all)"),
  },
  async run({ client, print }, { since, after = 0, ...of }) {
    const changes: wire.Change[] = [];
    let nextAfter = after;
    for (const dataset of datasetsOf(of)) {
      let page: wire.ChangeList | undefined;
      do {
        const query = new URLSearchParams({ after: String(page?.nextAfter ?? after) });
        if (since !== undefined) query.set("since", new Date(since).toISOString());
        page = await client.get(wire.changeListSchema, inDataset(`/admin/changes?${query}`, dataset));
        changes.push(...page.changes);
      } while (page.hasMore);
      nextAfter = Math.max(nextAfter, page.nextAfter);
    }
    changes.sort((a, b) => a.change - b.change);
    const rows = changes.map((each) => [
      String(each.change),
      each.at,
      dayName(each.tradedate, each.dataset ?? "orders"),
      each.kind,
      each.previous === null ? String(each.revision) : `${each.previous} → ${each.revision}`,
      differences(each),
    ]);
    const headings = ["change", "at", "day", "what", "revision", "securities that differ"];
    print({ changes, nextAfter }, table(headings, rows, "Nothing has changed."));
  },
});

function differences({ securities }: wire.Change): string {
  if (securities === null) return "-";
  const { added, removed, changed } = securities;
  const told = Object.entries({ added, removed, changed })
    .filter(([, codes]) => codes.length > 0)
    .map(([what, codes]) => {
      const more = codes.length - SHOWN_CODES;
      return `${codes.slice(0, SHOWN_CODES).join(" ")}${more <= 0 ? "" : ` and ${more} more`} ${what}`;
    });
  return told.length === 0 ? "none" : told.join(", ");
}
