/** Runs the `edgetape` command in a separate process to its end. */

import { type Ended, startEdgetape } from "./running-command.ts";
import type { Service } from "./service.ts";

/** Runs `edgetape` with these arguments. With a service, the environment has its URL and the operator's token. */
export function edgetape(args: string[], service?: Service, input = ""): Promise<Ended> {
  return startEdgetape(args, service, {}, input).ended;
}

/** Runs `edgetape`, which must succeed without a line on stderr. Returns its output. */
export async function succeed(args: string[], service: Service, input = ""): Promise<string> {
  const { status, stdout, stderr } = await edgetape(args, service, input);
  if (status !== 0 || stderr !== "") throw new Error(`edgetape ${args[0]} exited with ${status}: ${stderr}`);
  return stdout;
}
