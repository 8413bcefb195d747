/**
 * Repeats one stage of a build on a day's packs, in a separate process. `auction` writes the auction pack to a new
 * file; `quality` checks the day and writes its quality sheet. Arguments: the stage, the date, the folder of the packs;
 * prints JSON.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import { writeAuctionPack } from "../../../src/pack-builder/auction-pack.ts";
import { checkFolder } from "../../../src/pack-builder/check-packs.ts";
import { openPackFile, packName } from "../../../src/pack-builder/pack-file.ts";
import { Meter } from "./meter.ts";

const [stage = "", date = "", folder = ""] = process.argv.slice(2);
const tradedate = date as BeijingDate;
const meter = new Meter();
if (stage === "auction") {
  const opened = await openPackFile(join(folder, packName("quotes", tradedate)), ["quotes"]);
  if (!opened.ok) throw new Error(`there is no quote pack: ${opened.refusal.reason}`);
  const pack = opened.value;
  const path = join(folder, "auction.parquet");
  await writeAuctionPack(pack, path);
  await pack.close();
  await rm(path);
} else if (stage === "quality") {
  await checkFolder(folder, tradedate);
} else throw new Error(`there is no stage ${stage}`);
console.log(JSON.stringify(meter.spent()));
