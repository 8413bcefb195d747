/** Files of a 7z archive, unpacked with the installed `7z` program: solid archives cannot be read in place. */
import { spawn } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { listFolder } from "./folder.ts";
import { DeliveryError, type Listing } from "./source-file.ts";

/** Names under which the program is installed. */
const PROGRAMS = ["7z", "7zz", "7za"];
/** Files that are never orders and are most of an archive's bytes. */
const LEFT_OUT = ["逐笔成交.csv", "行情.csv"];

/**
 * Unpacks the archive `place` into `folder` and lists it under paths that begin with `path`. Throws `DeliveryError` when no 7z program is
 * installed, or with the program's own words when it fails.
 */
export async function unpackSevenZip(place: string, path: string, folder: string): Promise<Listing> {
  const target = join(folder, path);
  await mkdir(target, { recursive: true });
  const words = ["x", place, `-o${target}`, "-y", "-bd", ...LEFT_OUT.map((name) => `-xr!${name}`)];
  for (const program of PROGRAMS) {
    const ended = await run(program, words);
    if (ended === "not installed") continue;
    if (ended.status === 0) {
      const { files, folders } = await listFolder(target, path);
      return { files: files.map((file) => ({ ...file, delivered: { path, place } })), folders };
    }
    throw new DeliveryError(`${program} could not unpack ${place}: ${complaint(ended.output)}`);
  }
  throw new DeliveryError(
    `${place} is a 7z archive and no 7z program is installed: install p7zip-full or 7zip ` +
      "(apt install 7zip, brew install sevenzip), or unpack it and give the folder.",
  );
}

function run(
  program: string,
  words: string[],
): Promise<"not installed" | { status: number; output: string }> {
  return new Promise((resolve, reject) => {
    // The names inside are Chinese: in the C locale 7z would write question marks.
    const child = spawn(program, words, {
      env: { ...process.env, LC_ALL: "C.UTF-8" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    const keep = (text: Buffer) => {
      output = (output + text.toString("utf8")).slice(-4096);
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    child.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") resolve("not installed");
      else reject(error);
    });
    child.on("close", (status) => resolve({ status: status ?? 1, output }));
  });
}

/** The program's own word for what went wrong, which is not always its last one. */
function complaint(output: string): string {
  const lines = output.split("\n").filter((line) => line.trim() !== "");
  return lines.find((line) => /error/i.test(line)) ?? lines.at(-1) ?? "no reason given";
}
