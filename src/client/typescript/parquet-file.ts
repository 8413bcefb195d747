/** The Parquet answer: one file of one security and day (contract 6.2). It cannot be resumed, only requested again. */
import { type Answer, answerIn, readAnswer, type Taker, wholeNumber } from "./calls.ts";
import { IntegrityError } from "./errors.ts";
import { BrokenConnection, joined, type Reply } from "./transport.ts";
import type { DatasetName } from "./types.ts";

/** What the response headers say about the file. */
export interface ParquetFacts {
  /**
   * The service's file name, such as `600519.SH_20260311_orders.parquet`. If it is missing or unsafe, the dataset's
   * name replaces it.
   */
  name: string;
  rows: number;
  revision: number | null;
  /** The day's build id. Equal ids mean equal contents, even on different deployments. */
  build: string | null;
  /** 0 when the length is unknown, for example because a proxy compresses it. */
  sizeBytes: number;
}

export interface ParquetFile extends ParquetFacts {
  bytes: Uint8Array<ArrayBuffer>;
}

export interface ParquetStream extends ParquetFacts {
  /** Fails when the connection breaks. The bytes are then incomplete: request the file again. */
  body: ReadableStream<Uint8Array>;
}

const MAGIC = "PAR1";
const MEDIA_TYPE = "application/vnd.apache.parquet";

/**
 * Returns a function that takes a whole file from an answer. A body that ends early is a broken connection and is
 * requested again. Each attempt may be charged, so the call ends when every base URL has failed twice in the same way.
 */
export function fileTaker(addressCount: number, dataset: DatasetName): Taker<ParquetFile> {
  const reasons = new Set<string>();
  const hopeless = new Set<string>();
  return async (baseUrl, reply) => {
    if (reply.status !== 200) return readAnswer(baseUrl, reply);
    const parts: Uint8Array[] = [];
    try {
      for await (const piece of reply.pieces()) parts.push(piece);
      return wholeFile(baseUrl, reply, factsOf(reply, dataset), joined(parts));
    } catch (error) {
      const received = parts.reduce((sum, { byteLength }) => sum + byteLength, 0);
      if (!(error instanceof BrokenConnection) || received === 0) throw error;
      const reason = `${baseUrl} ${received} ${error.message}`;
      if (reasons.has(reason)) hopeless.add(baseUrl);
      reasons.add(reason);
      if (hopeless.size < addressCount) throw error;
      const told = `${baseUrl} sent the same unusable answer twice: ${error.message}`;
      throw new IntegrityError(told, undefined, { cause: error });
    }
  };
}

/**
 * Returns the file, or the envelope if the body is not a file. The first bytes decide, because a proxy may drop or
 * change the headers.
 */
function wholeFile(
  baseUrl: string,
  reply: Reply,
  facts: ParquetFacts,
  bytes: Uint8Array<ArrayBuffer>,
): ParquetFile | Answer {
  if (textOf(bytes.subarray(0, 4)) !== MAGIC) {
    refuseAnnounced(baseUrl, reply);
    return answerIn(baseUrl, reply, bytes);
  }
  if (bytes.length < 12 || textOf(bytes.subarray(-4)) !== MAGIC) {
    const told = `${facts.name} is not a complete Parquet file: ${bytes.length} bytes`;
    // A file of announced length has arrived in full, so another attempt would return the same bytes.
    throw reply.length === null ? new BrokenConnection(told) : new IntegrityError(told);
  }
  return { ...facts, sizeBytes: bytes.length, bytes };
}

/**
 * Returns a function that takes the file from an answer as a stream. It calls `done` when the body has ended or broken
 * off, or was cancelled or aborted.
 */
export function streamTaker(
  done: () => void,
  signal: AbortSignal | undefined,
  dataset: DatasetName,
): Taker<ParquetStream> {
  return async (baseUrl, reply) => {
    if (reply.status !== 200) return readAnswer(baseUrl, reply);
    const pieces = reply.pieces();
    const head: Uint8Array[] = [];
    let next = await pieces.next();
    while (!next.done) {
      head.push(next.value);
      if (joined(head).length >= 4) break;
      next = await pieces.next();
    }
    if (textOf(joined(head).subarray(0, 4)) === MAGIC) {
      const facts = factsOf(reply, dataset);
      return {
        ...facts,
        body: streamOf({ head: joined(head), pieces, reply, name: facts.name, done, signal }),
      };
    }
    refuseAnnounced(baseUrl, reply);
    for await (const piece of pieces) head.push(piece);
    return answerIn(baseUrl, reply, joined(head));
  };
}

interface Streamed {
  head: Uint8Array;
  pieces: AsyncGenerator<Uint8Array, void, undefined>;
  reply: Reply;
  name: string;
  done: () => void;
  signal: AbortSignal | undefined;
}

function streamOf({ head, pieces, reply, name, done, signal }: Streamed): ReadableStream<Uint8Array> {
  let end = lastFour(new Uint8Array(), head);
  let onAbort = (): void => undefined;
  const finish = () => {
    signal?.removeEventListener("abort", onAbort);
    done();
  };
  return new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(head);
      // Ends the stream on an abort even while nothing reads it, because `pull` is not called then.
      onAbort = () => {
        controller.error(signal?.reason);
        reply.cancel();
        finish();
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      if (signal?.aborted) onAbort();
    },
    async pull(controller) {
      try {
        const next = await pieces.next();
        if (!next.done) {
          end = lastFour(end, next.value);
          controller.enqueue(next.value);
          return;
        }
        if (textOf(end) !== MAGIC) throw new IntegrityError(`${name} is not a complete Parquet file`);
        controller.close();
      } catch (error) {
        controller.error(error);
      }
      finish();
    },
    async cancel() {
      reply.cancel();
      finish();
    },
  });
}

function lastFour(before: Uint8Array, piece: Uint8Array): Uint8Array<ArrayBuffer> {
  return Uint8Array.from([...before, ...piece.subarray(-4)]).slice(-4);
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder("latin1").decode(bytes);
}

/** Throws for a response that claims to be a file and is not, because another attempt would return the same. */
function refuseAnnounced(baseUrl: string, { headers }: Reply): void {
  if (!headers.get("Content-Type")?.startsWith(MEDIA_TYPE)) return;
  throw new IntegrityError(`${baseUrl} announced a Parquet file and sent something else`);
}

function factsOf({ headers, length }: Reply, dataset: DatasetName): ParquetFacts {
  return {
    name: safeName(headers.get("Content-Disposition")) ?? `${dataset}.parquet`,
    rows: Number(headers.get("X-Row-Count") ?? 0),
    revision: wholeNumber(headers.get("X-Revision")),
    build: headers.get("X-Build"),
    sizeBytes: length ?? 0,
  };
}

/** Returns the name if it is a safe local name: letters, digits and `.-_`, without a leading dot. */
function safeName(disposition: string | null): string | undefined {
  const name = /filename="([\w.-]{1,200})"/.exec(disposition ?? "")?.[1];
  return name?.startsWith(".") ? undefined : name;
}
