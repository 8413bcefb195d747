/** Installs `edgetape-client` as users get it: packed and unpacked below `node_modules`. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

/** The name of the package. */
export const PACKAGE_NAME = "edgetape-client";

const run = promisify(execFile);

/**
 * Returns a new folder in which the packed client is installed and scripts are ES modules. The caller removes the
 * folder.
 */
export async function folderWithClient(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "edgetape-client-"));
  // Packing builds the client, as publishing does.
  await run("npm", ["pack", "./src/client/typescript", "--pack-destination", folder], { maxBuffer: 1 << 24 });
  const [archive] = (await readdir(folder)).filter((name) => name.endsWith(".tgz"));
  if (archive === undefined) throw new Error("npm pack made no archive");
  const installed = join(folder, "node_modules", PACKAGE_NAME);
  await mkdir(installed, { recursive: true });
  await run("tar", ["-xzf", join(folder, archive), "-C", installed, "--strip-components=1"]);
  await writeFile(join(folder, "package.json"), '{"name": "caller", "private": true, "type": "module"}\n');
  const compilerOptions = {
    strict: true,
    noEmit: true,
    module: "nodenext",
    target: "es2024",
    lib: ["es2024", "dom", "dom.iterable"],
    typeRoots: [resolve("node_modules", "@types")],
    types: ["node"],
  };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions }));
  return folder;
}

/** Runs a TypeScript file of the folder with Node and returns its output. Throws with the file's error output. */
export async function runScript(folder: string, name: string, env: Record<string, string>): Promise<string> {
  const options = { cwd: folder, env: { ...process.env, ...env }, maxBuffer: 1 << 26 };
  const { stdout } = await run(process.execPath, [name], options);
  return stdout;
}

/** Checks the types of the folder's scripts with strict settings. Throws with the compiler's message. */
export async function checkTypes(folder: string): Promise<void> {
  const compiler = resolve("node_modules", "typescript", "bin", "tsc");
  await run(process.execPath, [compiler, "--project", folder]).catch((failure) => {
    throw new Error(failure.stdout || String(failure));
  });
}
