/** `edgetape explain`: says why a request was answered as it was, or how it would be answered now. */
import type { Command } from "commander";
import { type Explain, explainedRequestSchema, explanationSchema } from "../admin/wire.ts";
import { print, type ServiceOptions, serviceCommand, serviceOf, table } from "./command-line.ts";
import { CommandFailure, EXIT } from "./exit.ts";
import { readOperatorText } from "./operator-text.ts";

interface ExplainOptions extends ServiceOptions {
  account?: string;
  request?: string;
  key?: string;
  keyId?: string;
}

/** Registers `explain`. */
export function registerExplain(program: Command): void {
  serviceCommand(program, "explain")
    .description(
      "explain why a request was answered as it was, or how it would be answered now; nothing is charged",
    )
    .argument(
      "[request id]",
      "the id at the end of a message or in X-Request-Id; the command prints a text for the customer",
    )
    .option(
      "--request <json>",
      "instead of an id: the body of a request, or @ and the path of a file that contains it",
    )
    .option(
      "--key <key>",
      "explain --request as sent with this key (prefer EDGETAPE_KEY: other users can see command lines)",
    )
    .option("--key-id <id>", "explain --request as sent by the holder of this key")
    .option(
      "--account <account>",
      "explain --request as sent by this account, or search only this account for the id",
    )
    .action(explain);
}

async function explain(requestId: string | undefined, options: ExplainOptions): Promise<void> {
  if ((requestId === undefined) === (options.request === undefined)) {
    throw new CommandFailure("Give either a request id or --request.", EXIT.usage);
  }
  if (requestId !== undefined) await explainMade(requestId, options);
  else await explainWhatIf(options.request ?? "", options);
}

async function explainMade(requestId: string, options: ExplainOptions): Promise<void> {
  const query = options.account === undefined ? "" : `?account=${encodeURIComponent(options.account)}`;
  const path = `/admin/explain/${encodeURIComponent(requestId)}${query}`;
  const explained = await serviceOf(options).request(explainedRequestSchema, "GET", path);
  const { accountId, keyId, text, state } = explained;
  print(options, explained, [
    ...(accountId === null ? [] : [`account ${accountId}${keyId === null ? "" : `, key ${keyId}`}`, ""]),
    text.zh,
    text.en,
  ]);
  if (state === "unknown") process.exitCode = EXIT.failed;
}

async function explainWhatIf(given: string, options: ExplainOptions): Promise<void> {
  const { keyId, account } = options;
  const named = keyId !== undefined || account !== undefined;
  const key = options.key ?? (named ? undefined : process.env.EDGETAPE_KEY);
  const body: Explain = {
    request: given.startsWith("@") ? await readOperatorText(given.slice(1)) : given,
    key,
    keyId,
    account,
  };
  const request = { body, repeatable: true };
  const explanation = await serviceOf(options).request(explanationSchema, "POST", "/admin/explain", request);
  const { steps, code, reason, httpStatus, message } = explanation;
  print(options, explanation, [
    ...table(
      ["step", "about", "", "what was found"],
      steps.map(({ step, about, result, detail }) => [String(step), about, result.replace("_", " "), detail]),
    ),
    "",
    `code ${code} (${reason}), HTTP ${httpStatus}`,
    message.zh,
    message.en,
  ]);
}
