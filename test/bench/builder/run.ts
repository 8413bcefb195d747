/**
 * Runs one contender in a separate process, so that only its memory is measured. Arguments: name, folder, date and
 * output folder; prints JSON.
 */
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import { CONTENDERS } from "./contenders.ts";
import { peakBytes } from "./peak-bytes.ts";

const [name = "", folder = "", tradedate = "", outFolder = ""] = process.argv.slice(2);
const build = CONTENDERS.get(name);
if (build === undefined) throw new Error(`there is no contender ${name}`);
const beganMs = performance.now();
const path = await build({ folder, tradedate: tradedate as BeijingDate }, outFolder);
const ms = performance.now() - beganMs;
console.log(JSON.stringify({ ms, path, peakBytes: peakBytes() }));
