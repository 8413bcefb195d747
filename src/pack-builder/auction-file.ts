/** An auction pack on disk, before it is sent anywhere. */
import type { BeijingDate } from "../calendar/beijing.ts";
import { auctionProblem } from "../packs/auction-file.ts";
import type { LocalFile } from "./local-file.ts";

/** Why `file` is no auction pack of `tradedate` as a clause, or null: the same look as the service's (spec 4.1). */
export function auctionPackProblem(file: LocalFile, tradedate: BeijingDate): Promise<string | null> {
  return auctionProblem(file.sizeBytes, file.read, tradedate);
}
