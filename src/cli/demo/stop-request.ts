/** When a demo shall end. */
import { readFileSync } from "node:fs";

/** How often the demo looks whether the npm that started it is still there. */
const PARENT_CHECK_MS = 1_000;

export interface StopRequest {
  /** Settles when somebody asked. */
  asked: Promise<void>;
  wasAsked(): boolean;
}

/** Hears Ctrl-C, a polite kill, and the end of the npm that started the demo. */
export function hearStopRequest(): StopRequest {
  let was = false;
  const asked = new Promise<void>((settle) => {
    const stop = () => {
      was = true;
      settle();
    };
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
    // A killed npm does not pass its end on. Started by hand, the demo may well outlive its shell.
    if (process.env.npm_lifecycle_event === undefined) return;
    const starter = npmAboveUs();
    setInterval(() => npmAboveUs() !== starter && stop(), PARENT_CHECK_MS).unref();
  });
  return { asked, wasAsked: () => was };
}

/**
 * The process id of the npm that runs us: our parent, or the parent of the shell in between. It changes
 * when npm dies, because orphans get another parent. Where there is no /proc the shell is all we see.
 */
function npmAboveUs(): number {
  try {
    const shell = readFileSync(`/proc/${process.ppid}/cmdline`, "utf8").split("\0");
    if (shell[1] !== "-c") return process.ppid;
    // "pid (name) state ppid …", and the name may hold blanks and brackets.
    const stat = readFileSync(`/proc/${process.ppid}/stat`, "utf8");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return process.ppid;
  }
}
