/** `edgetape backfill`: a folder of days to the service. */
import { type Command, Option } from "commander";
import { dataTypeSchema, type FileSummary, type Notice } from "../../admin/wire.ts";
import type { BeijingDate } from "../../calendar/beijing.ts";
import { dateArgument } from "../arguments.ts";
import { EXIT } from "../exit.ts";
import { type LoadingOptions, loadOptionsOf, lockWork, withLoading } from "../nightly/nightly-command.ts";
import { print, serviceOf } from "../service-options.ts";
import { tell, type WebhookOptions, webhookOf, withWebhook } from "../webhook/webhook-options.ts";
import { type Backfilled, backfill } from "./backfill.ts";

interface BackfillOptions extends LoadingOptions, WebhookOptions {
  from?: BeijingDate;
  to?: BeijingDate;
  oldestFirst?: boolean;
  expect?: FileSummary["dataType"][];
}

/** Registers `backfill`. */
export function registerBackfill(program: Command): void {
  const command = program
    .command("backfill")
    .description("build and publish every day of a folder, the newest first; run it again to go on")
    .argument("<folder of days>", "deliveries as `nightly` knows them, also in folders of years and months")
    .option("--from <YYYYMMDD>", "the first day; the oldest one there when absent", dateArgument)
    .option("--to <YYYYMMDD>", "the last day; the newest one there when absent", dateArgument)
    .option("--oldest-first", "the other way round")
    .addOption(
      new Option(
        "--expect <type...>",
        "kinds of files for shares without which a day is not complete",
      ).choices(dataTypeSchema.options),
    );
  withWebhook(withLoading(command)).addHelpText(
    "after",
    "\nWhat happened to each day is written to backfill.jsonl in the work folder.\n" +
      "Exit status 1: some days failed or are withdrawn, and the next run tries them again. 3: rows were left out of some.",
  );
  command.action(run);
}

async function run(folder: string, options: BackfillOptions): Promise<void> {
  const client = serviceOf(options);
  const webhook = webhookOf(options);
  const load = loadOptionsOf(folder, options);
  const unlock = await lockWork(load);
  try {
    const ask = {
      folder,
      from: options.from ?? null,
      to: options.to ?? null,
      oldestFirst: options.oldestFirst ?? false,
      expected: { marker: null, types: options.expect ?? [] },
      load,
    };
    const result = await backfill(client, ask, (line) => process.stderr.write(`${line}\n`));
    const notice = noticeOf(result);
    print(options, result, [`${notice.title.en}.`, ...notice.lines.map(({ en }) => en)]);
    process.exitCode = result.failed.length > 0 ? EXIT.failed : result.degraded > 0 ? EXIT.degraded : EXIT.ok;
    if (result.loaded + result.failed.length > 0) await tell(webhook, notice);
  } finally {
    unlock();
  }
}

function noticeOf(result: Backfilled): Notice {
  const { days, loaded, degraded, before, failed, untried } = result;
  const isWell = failed.length === 0;
  const lines = failed.map(({ tradedate, problem }) => {
    const line = `${tradedate}: ${problem}`;
    return { zh: line, en: line };
  });
  if (untried > 0) {
    lines.push({
      zh: `${failed.length} 天失败之后，${untried} 天没有尝试`,
      en: `${untried} days were not tried after ${failed.length} failures`,
    });
  }
  return {
    event: isWell ? "backfill.done" : "backfill.failed",
    level: isWell ? (degraded > 0 ? "warning" : "ok") : "failed",
    title: {
      zh: `${days} 天中已加载 ${loaded} 天（${degraded} 天有坏行未收入），此前已加载 ${before} 天，失败 ${failed.length} 天`,
      en: `${loaded} of ${days} days were loaded (${degraded} with rows left out), ${before} were before, ${failed.length} failed`,
    },
    lines,
    facts: { ...result },
  };
}
