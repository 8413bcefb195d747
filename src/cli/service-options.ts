/** Options and output that every command over the admin API shares. */
import type { Command } from "commander";
import { type AdminClient, adminClient } from "./admin-client.ts";

export interface ServiceOptions {
  url?: string;
  token?: string;
  json?: boolean;
}

/** Adds `--url`, `--token` and `--json` to a command. */
export function withService(command: Command): Command {
  return command
    .option("--url <address>", "the service, for example https://api.example.com (or EDGETAPE_URL)")
    .option(
      "--token <token>",
      "the operator's token (better in EDGETAPE_TOKEN: other users see command lines)",
    )
    .option("--json", "print the answer as JSON");
}

/** The service that a command's options name. */
export function serviceOf(options: ServiceOptions): AdminClient {
  return adminClient(options);
}

/** Prints a command's result on stdout: `answer` itself with `--json`, else the lines for people. */
export function print(options: ServiceOptions, answer: unknown, lines: string | string[]): void {
  const text = options.json ? JSON.stringify(answer, null, 2) : [lines].flat().join("\n");
  process.stdout.write(`${text}\n`);
}

/** Rows as aligned columns under their headings; the last column is not padded. */
export function table(headings: string[], rows: string[][]): string[] {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => (row[column] ?? "").length)),
  );
  return [headings, ...rows].map((row) =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join("  "),
  );
}
