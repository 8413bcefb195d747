/** `edgetape explain`: says why a request was answered as it was, or how it would be answered now. */
import * as wire from "../admin/wire.ts";
import { type Call, command } from "./command.ts";
import { table } from "./command-line.ts";
import { EXIT, UsageFailure } from "./exit.ts";
import { readOperatorText } from "./operator-text.ts";
import * as option from "./option.ts";

export const explain = command("explain", {
  says: "explain why a request was answered as it was, or how it would be answered now; nothing is charged",
  args: {
    "[request id]":
      "the id at the end of a message or in X-Request-Id; the command prints a text for the customer",
  },
  options: {
    request: option.text(
      "<json>",
      "instead of an id: the body of a request, or @ and the path of a file that contains it",
    ),
    key: option.text(
      "<key>",
      "explain --request as if it were sent with this key (prefer EDGETAPE_KEY: other users can see command lines)",
    ),
    keyId: option.text("<id>", "explain --request as if it were sent by the holder of this key"),
    account: option.text(
      "<account>",
      "explain --request as if it were sent by this account, or search only this account for the id",
    ),
  },
  async run(call, { request, account, key, keyId }, requestId?: string) {
    if (requestId !== undefined && request === undefined) return explainMade(call, requestId, account);
    if (requestId !== undefined || request === undefined) {
      throw new UsageFailure("Give either a request id or --request.");
    }
    const isNamed = keyId !== undefined || account !== undefined;
    await explainWhatIf(call, {
      request: request.startsWith("@") ? await readOperatorText(request.slice(1)) : request,
      key: key ?? (isNamed ? undefined : process.env.EDGETAPE_KEY),
      keyId,
      account,
    });
  },
});

async function explainMade({ client, print }: Call, requestId: string, account?: string): Promise<void> {
  const query = account === undefined ? "" : `?account=${encodeURIComponent(account)}`;
  const path = `/admin/explain/${encodeURIComponent(requestId)}${query}`;
  const explained = await client.get(wire.explainedRequestSchema, path);
  const { accountId, keyId, text, state } = explained;
  print(explained, [
    ...(accountId === null ? [] : [`account ${accountId}${keyId === null ? "" : `, key ${keyId}`}`, ""]),
    text.zh,
    text.en,
  ]);
  if (state === "unknown") process.exitCode = EXIT.failed;
}

async function explainWhatIf({ client, print }: Call, body: wire.Explain): Promise<void> {
  const request = { body, repeatable: true };
  const explanation = await client.post(wire.explanationSchema, "/admin/explain", request);
  const { steps, code, reason, httpStatus, message } = explanation;
  print(explanation, [
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
