/**
 * A year's share: its list of files, and their downloads. A download resumes after broken connections and is verified
 * when complete.
 */
import { mayPass, refusalOf, refuseRedirect } from "./calls.ts";
import { IntegrityError, ProtocolError, type ServiceError, Unavailable } from "./errors.ts";
import { sha256 } from "./sha256.ts";
import { BrokenConnection, bytesOf, type Reply, type Transport } from "./transport.ts";
import type { ShareFile, ShareInfo } from "./types.ts";
import { Patience, parseRetryAfter, UNTOLD_WAIT_MS } from "./waiting.ts";

interface DriveAsk {
  signal: AbortSignal | undefined;
  headers?: Readonly<Record<string, string>>;
  patience?: Patience;
}

/** The API's codes for a share's HTTP statuses. */
const CODES: Readonly<Record<number, number>> = { 401: 403, 403: 403, 404: 1002, 429: 429, 503: 503 };

class Drive {
  readonly #url: string;
  readonly #authorization: string;
  readonly #transport: Transport;
  readonly #maxWaitMs: number;

  constructor(
    { url, password }: Pick<ShareInfo, "url" | "password">,
    transport: Transport,
    maxWaitMs: number,
  ) {
    const shareId = url.split("/").filter(Boolean).at(-1) ?? "";
    this.#url = url;
    this.#authorization = `Basic ${btoa(`${shareId}:${password}`)}`;
    this.#transport = transport;
    this.#maxWaitMs = maxWaitMs;
  }

  newPatience(): Patience {
    return new Patience(this.#maxWaitMs);
  }

  /** Reads `path` with `take`. Retries after broken connections and temporary refusals; throws other refusals. */
  async get<T>(path: string, ask: DriveAsk, take: (reply: Reply) => Promise<T>): Promise<T> {
    const { signal, headers, patience = this.newPatience() } = ask;
    const url = this.#url + path.split("/").map(encodeURIComponent).join("/");
    for (;;) {
      try {
        const sent = { Authorization: this.#authorization, ...headers };
        const timeoutMs = patience.begun();
        const reply = await this.#transport.send({ method: "GET", url, headers: sent, signal, timeoutMs });
        if ([200, 206].includes(reply.status)) return await take(reply);
        const refusal = await refusalIn(reply, path);
        // An error page of a proxy has no Retry-After.
        const untold = reply.headers.has("X-Request-Id") ? null : UNTOLD_WAIT_MS;
        const told = parseRetryAfter(reply.headers.get("Retry-After")) ?? untold;
        if (told === null || !mayPass(reply.status)) throw refusal;
        await patience.waitTold(told, refusal, signal);
      } catch (error) {
        if (!(error instanceof BrokenConnection)) throw error;
        await patience.waitFailed(error, this.#url, { signal });
      }
    }
  }
}

async function refusalIn(reply: Reply, path: string): Promise<ServiceError> {
  refuseRedirect(reply, `the share redirects ${path}`);
  const { status, headers } = reply;
  const said = new TextDecoder()
    .decode(await bytesOf(reply.pieces()))
    .trim()
    .slice(0, 300);
  return refusalOf({
    code: CODES[status] ?? null,
    message: `${path}: ${said || `HTTP ${status}`}`,
    reason: headers.get("X-Reason"),
    requestId: headers.get("X-Request-Id"),
    // A share has no quota, so its 429 is temporary.
    waitMs: 0,
    resetsInMs: null,
  });
}

export interface DownloadOptions {
  /** The bytes that an interrupted download left, such as a stream of the partial file. They are only hashed. */
  have?: AsyncIterable<Uint8Array> | Iterable<Uint8Array> | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * The missing bytes of a file; iterate them once. Throws `IntegrityError` when the share has a newer version than the
 * manifest (read `files()` again), or after the last byte when the SHA-256 of the whole file is wrong (discard it).
 *
 * @example await pipeline(share.download(file), createWriteStream(path));
 */
export class FileDownload implements AsyncIterable<Uint8Array> {
  readonly file: ShareFile;
  readonly #drive: Drive;
  readonly #options: DownloadOptions;

  /** @internal */
  constructor(drive: Drive, file: ShareFile, options: DownloadOptions) {
    this.file = file;
    this.#drive = drive;
    this.#options = options;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    const { path, size_bytes: size, sha256: expected } = this.file;
    const hash = sha256();
    let at = 0;
    for await (const piece of this.#options.have ?? []) {
      hash.update(piece);
      at += piece.byteLength;
    }
    for await (const piece of this.#missing(at)) {
      hash.update(piece);
      at += piece.byteLength;
      yield piece;
    }
    if (at !== size) throw new IntegrityError(`${path} has ${at} bytes instead of ${size}`);
    if (hash.digest("hex") !== expected)
      throw new IntegrityError(`${path} does not have the announced SHA-256`);
  }

  /** Returns the bytes that `have` lacks. */
  bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return bytesOf(this);
  }

  async *#missing(from: number): AsyncGenerator<Uint8Array, void, undefined> {
    const { path, size_bytes: size } = this.file;
    const { signal } = this.#options;
    const patience = this.#drive.newPatience();
    let at = from;
    while (at < size) {
      const headers = at > 0 ? { Range: `bytes=${at}-` } : {};
      const reply = await this.#drive.get(path, { signal, headers, patience }, async (head) => head);
      try {
        this.#checkVersion(reply, at);
        for await (const piece of reply.pieces()) {
          patience.progressed();
          at += piece.byteLength;
          yield piece;
        }
        if (at < size) throw new BrokenConnection(`the body ended after ${at} of ${size} bytes`);
      } catch (error) {
        if (!(error instanceof BrokenConnection)) throw error;
        await patience.waitFailed(error, path, { signal });
      }
    }
  }

  /**
   * Throws if the file was replaced; this check runs before the first byte of the body is read. A proxy's page counts
   * as a broken connection and is retried, so the bytes downloaded so far stay valid.
   */
  #checkVersion({ status, headers, length, cancel }: Reply, at: number): void {
    const { path, sha256: expected, size_bytes: size } = this.file;
    const digest = /sha-256=:([^:]+):/.exec(headers.get("Repr-Digest") ?? "")?.[1];
    const isOther = digest !== undefined && hexOf(atob(digest)) !== expected;
    const begins = status === 206 ? /^bytes (\d+)-/.exec(headers.get("Content-Range") ?? "")?.[1] : "0";
    const kind = headers.get("Content-Type") ?? "of no type";
    const isPage =
      digest === undefined &&
      (kind.includes("html") || (status === 200 && length !== null && length !== size));
    if (!isOther && !isPage && begins === String(at)) return;
    cancel();
    if (isPage) throw new BrokenConnection(`something else arrived instead of ${path}: ${kind}`);
    throw new IntegrityError(
      isOther
        ? `${path} was replaced since the manifest was read: read files() again`
        : `the share cannot continue ${path} at byte ${at}: download it from its beginning`,
    );
  }
}

function hexOf(binary: string): string {
  return Array.from(binary, (each) => each.charCodeAt(0).toString(16).padStart(2, "0")).join("");
}

/** A path that is safe on the caller's machine: a folder named after a day, and a plain file name. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a path must not contain them
const SAFE_PATH = /^\d{8}\/[^./\\:\u0000-\u001f][^/\\:\u0000-\u001f]*$/;

export class Share {
  /** The answer of `file_download`: URL and password for a browser, rclone or curl. */
  readonly info: ShareInfo;
  readonly #drive: Drive;

  /** @internal */
  constructor(info: ShareInfo, transport: Transport, maxWaitMs: number) {
    this.info = info;
    this.#drive = new Drive(info, transport, maxWaitMs);
  }

  /**
   * Returns the files that the share covers now, by day. Throws `Unavailable` while the share is not ready, and
   * `ProtocolError` for an external share, which has no manifest.
   */
  async files(options: { signal?: AbortSignal | undefined } = {}): Promise<ShareFile[]> {
    const { status, retry_after: seconds } = this.info;
    if (status !== "ready") throw new Unavailable(`the share is ${status}: ask again in ${seconds} s`);
    const body = await this.#drive.get("manifest.json", { signal: options.signal }, (reply) =>
      bytesOf(reply.pieces()),
    );
    const files = filesIn(new TextDecoder().decode(body));
    if (files === null) throw new ProtocolError(`${this.info.url} has no edgetape manifest`);
    return files;
  }

  /**
   * Returns the bytes of one file, checked against its SHA-256 at the end; a broken download is resumed. No request is
   * sent before the bytes are read.
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
