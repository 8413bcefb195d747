/** Runs the `edgetape` command in a separate process and returns its output and exit status. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Service } from "./service.ts";

export interface Run {
  status: number;
  stdout: string;
  stderr: string;
}

const manifest = JSON.parse(readFileSync("package.json", "utf8")) as { bin: { edgetape: string } };

/** Runs `edgetape` with these arguments. With a service, the environment has its URL and the operator's token. */
export function edgetape(args: string[], service?: Service): Promise<Run> {
  const address =
    service === undefined ? {} : { EDGETAPE_URL: service.baseUrl, EDGETAPE_TOKEN: service.adminToken };
  const options = { env: { ...process.env, ...address }, maxBuffer: 64 * 1024 * 1024 };
  return new Promise((resolve) => {
    execFile(process.execPath, [manifest.bin.edgetape, ...args], options, (failure, stdout, stderr) => {
      const status = failure === null ? 0 : typeof failure.code === "number" ? failure.code : 1;
      resolve({ status, stdout, stderr });
    });
  });
}
