/** Whether the demo can listen where it was told to. */
import { createServer } from "node:net";
import { CommandFailure } from "../exit.ts";

/** Returns when `port` of 127.0.0.1 is free; ends the start with a sentence when it is not. */
export async function refuseTakenPort(port: number): Promise<void> {
  const probe = createServer();
  const code = await new Promise<string | undefined>((settle) => {
    probe.once("error", (error: NodeJS.ErrnoException) => settle(error.code ?? error.message));
    probe.listen(port, "127.0.0.1", () => settle(undefined));
  });
  if (code === undefined) {
    await new Promise((settle) => probe.close(settle));
    return;
  }
  const sentence =
    code === "EADDRINUSE"
      ? `Port ${port} is in use; give another one: npm start -- --port ${port + 1}`
      : `Port ${port} cannot be used (${code}).`;
  throw new CommandFailure(sentence);
}
