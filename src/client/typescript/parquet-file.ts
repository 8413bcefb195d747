/** The Parquet answer: one file of one security and day (spec 4.3). It cannot be resumed, only asked for again. */
import { type Answer, readAnswer } from "./envelope.ts";
import { IntegrityError, ServiceError } from "./errors.ts";
import { BrokenConnection, bytesOf, type Reply } from "./transport.ts";

/** What the answer tells of the file before its bytes. */
export interface ParquetFacts {
  /** The service's name for it: `600519.SH_20260311_orders.parquet`. */
  name: string;
  rows: number;
  revision: number | null;
  sizeBytes: number;
}

export interface ParquetFile extends ParquetFacts {
  bytes: Uint8Array<ArrayBuffer>;
}

export interface ParquetStream extends ParquetFacts {
  /** Errors when the line breaks: what was read is no file then, and has to be asked for again. */
  body: ReadableStream<Uint8Array>;
}

const MAGIC = "PAR1";

/** The whole file. A body that breaks off is a broken connection, so that it is asked for once more. */
export async function takeFile(baseUrl: string, reply: Reply): Promise<ParquetFile | Answer> {
  const facts = factsOf(reply);
  if (facts === null) return readAnswer(baseUrl, reply);
  const bytes = await bytesOf(reply);
  const ends = [bytes.subarray(0, 4), bytes.subarray(-4)].map((end) => new TextDecoder().decode(end));
  if (ends.some((end) => end !== MAGIC) || (facts.sizeBytes > 0 && bytes.length !== facts.sizeBytes)) {
    throw new BrokenConnection(`${facts.name} is no whole Parquet file: ${bytes.length} bytes`);
  }
  return { ...facts, sizeBytes: bytes.length, bytes };
}

/** The file as a stream; `done` is called once, when its body ended, broke off or was cancelled. */
export function streamTaker(done: () => void) {
  return async (baseUrl: string, reply: Reply): Promise<ParquetStream | Answer> => {
    const facts = factsOf(reply);
    if (facts === null) return readAnswer(baseUrl, reply);
    return { ...facts, body: streamOf(reply, facts, done) };
  };
}

function streamOf(reply: Reply, { name }: ParquetFacts, done: () => void): ReadableStream<Uint8Array> {
  const pieces = reply.pieces();
  let end = new Uint8Array();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const next = await pieces.next();
        if (!next.done) {
          end = lastFour(end, next.value);
          controller.enqueue(next.value);
          return;
        }
        if (new TextDecoder().decode(end) !== MAGIC)
          throw new IntegrityError(`${name} is no whole Parquet file`);
        controller.close();
      } catch (error) {
        controller.error(error);
      }
      done();
    },
    async cancel() {
      reply.cancel();
      done();
    },
  });
}

function lastFour(before: Uint8Array, piece: Uint8Array): Uint8Array<ArrayBuffer> {
  return Uint8Array.from([...before, ...piece.subarray(-4)]).slice(-4);
}

/** Null when the answer is an envelope, not a file. */
function factsOf({ status, headers }: Reply): ParquetFacts | null {
  if (status !== 200 || !headers.get("Content-Type")?.startsWith("application/vnd.apache.parquet"))
    return null;
  const name = /filename="([^"]*)"/.exec(headers.get("Content-Disposition") ?? "")?.[1] ?? "orders.parquet";
  const revision = headers.get("X-Revision");
  return {
    name,
    rows: Number(headers.get("X-Row-Count") ?? 0),
    revision: revision === null ? null : Number(revision),
    sizeBytes: Number(headers.get("Content-Length") ?? 0),
  };
}

/** Narrows what was taken: an `Answer` here is always a refusal. */
export function isAnswer(taken: object): taken is Answer {
  return "waitMs" in taken;
}

/** For answers that say success and bring no file. */
export function noFile(answer: Answer): ServiceError {
  return new ServiceError(`${answer.baseUrl} sent no file`, answer);
}
