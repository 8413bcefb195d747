/** `edgetape publish`: a day pack becomes the served revision of its day. */
import type { Command } from "commander";
import { countText, sizeText } from "../amounts.ts";
import { byteProgress } from "../progress.ts";
import { print, type ServiceOptions, serviceOf, withService } from "../service-options.ts";
import { openPack, publishPack } from "./publish-pack.ts";

export interface PublishCommandOptions extends ServiceOptions {
  force?: boolean;
  degraded?: boolean;
}

/** Registers `publish`. */
export function registerPublish(program: Command): void {
  withService(
    program
      .command("publish")
      .description(
        "upload a day pack and serve it as the day's next revision; run it again after any interruption",
      )
      .argument("<pack>", "a pack made by `edgetape pack build` or `edgetape sample`")
      .option("--force", "publish even if the service finds the day implausible or unchanged")
      .option("--degraded", "mark the day: its build left rows out"),
  ).action(publish);
}

/** Publishes the pack at `path` and says which revision is served now. */
export async function publish(path: string, options: PublishCommandOptions): Promise<void> {
  const client = serviceOf(options);
  const pack = await openPack(path);
  try {
    const progress = byteProgress(`publishing ${pack.index.tradedate}`, pack.sizeBytes);
    const { day, newRevision } = await publishPack(client, pack, {
      force: options.force ?? false,
      degraded: options.degraded ?? false,
      onSent: progress.update,
    });
    progress.end();
    const facts = `${countText(day.securities)} securities, ${countText(day.rows)} orders, ${sizeText(day.sizeBytes)}`;
    print(
      options,
      { day, newRevision },
      newRevision
        ? `${day.tradedate} is served as revision ${day.revision}: ${facts}.`
        : `${day.tradedate} was already served with this content, as revision ${day.revision}: ${facts}.`,
    );
  } finally {
    await pack.close();
  }
}
