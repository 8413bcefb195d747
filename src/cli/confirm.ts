/** A question before anything that takes something away. */
import { createInterface } from "node:readline/promises";
import { CommandFailure, EXIT } from "./exit.ts";

export interface ConfirmOptions {
  /** The operator has said yes on the command line. */
  yes?: boolean;
}

export const YES_OPTION = ["--yes", "do it without asking"] as const;

/**
 * Returns when the operator answered yes to `question` or gave `--yes`; ends the command otherwise, also where
 * nobody is there to be asked.
 */
export async function confirm(question: string, { yes = false }: ConfirmOptions): Promise<void> {
  if (yes) return;
  if (!process.stdin.isTTY)
    throw new CommandFailure(`${question} Nobody can be asked here: add --yes.`, EXIT.usage);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const reply = await terminal.question(`${question} [y/N] `);
  terminal.close();
  if (!/^y(es)?$/i.test(reply.trim())) throw new CommandFailure("Nothing was changed.");
}
