/** A year's share: which files it holds, and each of them over lines that break. */

import { Drive } from "./drive.ts";
import { ProtocolError, Unavailable } from "./errors.ts";
import { type DownloadOptions, FileDownload } from "./file-download.ts";
import { bytesOf, type Transport } from "./transport.ts";
import type { ShareFile, ShareInfo } from "./types.ts";

/** The path becomes one of the caller's machine: a folder named after a day, and a plain name in it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what a path must not hold
const SAFE_PATH = /^\d{8}\/[^./\\:\u0000-\u001f][^/\\:\u0000-\u001f]*$/;

export class Share {
  /** As `file_download` gave it, with address and password for a browser, rclone or curl. */
  readonly info: ShareInfo;
  readonly #drive: Drive;

  constructor(info: ShareInfo, transport: Transport, maxWaitMs: number) {
    this.info = info;
    this.#drive = new Drive(info, transport, maxWaitMs);
  }

  /**
   * The files that the share covers now, by day. Throws `Unavailable` while the share is not ready, and
   * `ProtocolError` when it lies on a drive of another kind, which has no manifest.
   */
  async files({ signal }: { signal?: AbortSignal | undefined } = {}): Promise<ShareFile[]> {
    const { status, retry_after: seconds } = this.info;
    if (status !== "ready") throw new Unavailable(`the share is ${status}: ask again in ${seconds} s`);
    const body = await this.#drive.get("manifest.json", { signal }, bytesOf);
    const files = filesIn(new TextDecoder().decode(body));
    if (files === null) throw new ProtocolError(`${this.info.url} has no manifest of ours`);
    return files;
  }

  /**
   * The bytes of one file, checked against its SHA-256 at the end; a line that breaks is taken up where it
   * broke. Nothing is asked before the bytes are read.
   */
  download(file: ShareFile, options: DownloadOptions = {}): FileDownload {
    return new FileDownload(this.#drive, file, options);
  }
}

function filesIn(text: string): ShareFile[] | null {
  try {
    const { files } = JSON.parse(text) as { files: ShareFile[] };
    const isSafe = files.every(({ path }) => SAFE_PATH.test(path));
    return isSafe ? files : null;
  } catch {
    return null;
  }
}
