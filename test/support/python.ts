/** Python for the tests: finds the interpreter and libraries, and runs scripts that answer line by line. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** The interpreter of all tests: `EDGETAPE_PYTHON`, which may have more libraries, or the system's `python3`. */
export const PYTHON = process.env.EDGETAPE_PYTHON ?? "python3";

/** The folder of the package, for `PYTHONPATH`. */
export const PACKAGE = "src/client/python";

/** Returns the version of `command`, or null when it cannot be run. */
export function versionOf(command: string): string | null {
  try {
    const program = "import platform; print(platform.python_version())";
    return execFileSync(command, ["-c", program], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  } catch {
    return null;
  }
}

/** Returns whether Python is missing or too old for the client. If so, prints a message, or throws when `CI=true`. */
export function isPythonMissing(test: string): boolean {
  const version = versionOf(PYTHON);
  const [major = 0, minor = 0] = (version ?? "").split(".").map(Number);
  if (version !== null && (major > 3 || minor >= 9)) return false;
  const sentence = `${test}: needs Python 3.9 or newer; ${PYTHON} is ${version ?? "not installed"}`;
  if (process.env.CI === "true") throw new Error(sentence);
  console.error(`SKIPPED ${sentence}`);
  return true;
}

/**
 * Returns the first interpreter that can import all `libraries`: `PYTHON` or `/usr/bin/python3`. Prints a message and
 * returns null when neither can. This is never a failure, because some machines cannot install the libraries.
 */
export function pythonWith(...libraries: string[]): string | null {
  const found = [PYTHON, "/usr/bin/python3"].find((command) => canImport(command, ...libraries));
  if (found !== undefined) return found;
  console.error(
    `SKIPPED tests that need ${libraries.join(", ")}: no Python here has them. pip install ${libraries.join(" ")}`,
  );
  return null;
}

/** Returns whether the interpreter `command` exists and can import all `libraries`. */
export function canImport(command: string, ...libraries: string[]): boolean {
  try {
    execFileSync(command, ["-c", `import ${libraries.join(", ")}`], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Returns the folders in which the interpreter `command` has these libraries, for `PYTHONPATH`. */
export function foldersOf(command: string, ...libraries: string[]): string {
  const program = `import os, ${libraries.join(", ")}
print(os.pathsep.join(dict.fromkeys(os.path.dirname(os.path.dirname(m.__file__)) for m in (${libraries.join(", ")},))))`;
  return execFileSync(command, ["-c", program], { encoding: "utf8" }).trim();
}

export interface PythonOptions {
  command?: string;
  env?: Record<string, string>;
}

/** Returns the environment of this process with `env`, but without proxies and edgetape's own settings. */
export function pythonEnvironment(env: Record<string, string> = {}): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(https?|all)_proxy$|^EDGETAPE_/i.test(name));
  return { ...Object.fromEntries(kept), PYTHONPATH: PACKAGE, PYTHONDONTWRITEBYTECODE: "1", ...env };
}

/** The exception that a program raised. */
export interface PythonError {
  error: string;
  code: number | null;
  reason: string | null;
  request_id: string | null;
  message: string;
  trace: string;
}

/** A Python process that keeps its variables between programs. */
export interface PythonSession {
  /** Runs a program and returns its variable `result`. Throws when it raises. */
  run<T>(program: string): Promise<T>;
  /** Runs a program that must raise and returns the exception. */
  raises(program: string): Promise<PythonError>;
  stop(): void;
}

/** Starts a session that has run `from edgetape import *`. */
export async function startSession(options: PythonOptions = {}): Promise<PythonSession> {
  const script = startPython("test/support/python_session.py", options);
  const ask = (program: string) => script.ask<{ result: unknown } | PythonError>(program);
  const session: PythonSession = {
    run: async <T>(program: string) => {
      const answer = await ask(program);
      if ("error" in answer) throw new Error(`${answer.error}: ${answer.message}\n${answer.trace}`);
      return answer.result as T;
    },
    raises: async (program) => {
      const answer = await ask(program);
      if (!("error" in answer))
        throw new Error(`the program raised no exception: ${JSON.stringify(answer.result)}`);
      return answer;
    },
    stop: script.stop,
  };
  await session.run("from edgetape import *");
  return session;
}

/** A script that answers each line of JSON on standard input with a line of JSON on standard output. */
export interface PythonScript {
  ask<T>(question: unknown): Promise<T>;
  stop(): void;
}

/** Starts a script that keeps running. Its standard error becomes part of the error of an unanswered request. */
export function startPython(path: string, { command = PYTHON, env = {} }: PythonOptions = {}): PythonScript {
  const child: ChildProcess = spawn(command, [path], { env: pythonEnvironment(env) });
  const waiting: { resolve: (line: string) => void; reject: (error: Error) => void }[] = [];
  let said = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-4_000);
  });
  if (child.stdout === null) throw new Error("the script has no output");
  createInterface({ input: child.stdout }).on("line", (line) => waiting.shift()?.resolve(line));
  child.on("close", () => {
    for (const { reject } of waiting.splice(0)) reject(new Error(`the script ended: ${said}`));
  });
  return {
    ask: async <T>(question: unknown) => {
      const line = await new Promise<string>((resolve, reject) => {
        waiting.push({ resolve, reject });
        child.stdin?.write(`${JSON.stringify(question)}\n`);
      });
      return JSON.parse(line) as T;
    },
    stop: () => void child.kill(),
  };
}
