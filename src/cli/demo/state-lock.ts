/** One demo at a time on a state folder: two runtimes on the same database files damage them. */
import { lockFolder } from "../work-folder.ts";

/** Takes the lock of `stateDir` (made if absent) and returns what gives it back. */
export function lockState(stateDir: string): Promise<() => void> {
  return lockFolder(stateDir, {
    file: "demo.lock",
    commandLine: /start\.ts/,
    holder: "Another demo",
    advice: "stop it first, or give this one its own folder with --state",
  });
}
