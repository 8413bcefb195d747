/** Entry of a worker thread: takes one piece of work at a time and answers with its result or its error. */
import { parentPort, workerData } from "node:worker_threads";
import { type Work, Worker, type WorkerSettings } from "./work.ts";

const port = parentPort;
if (port === null) throw new Error("this file runs in a worker thread");
const worker = new Worker(workerData as WorkerSettings);

port.on("message", (work: Work) => {
  try {
    const result = done(work);
    const bytes = "section" in result ? result.section.bytes : undefined;
    port.postMessage({ result }, bytes === undefined ? [] : [bytes.buffer]);
  } catch (error) {
    port.postMessage({ error });
  }
});

function done(work: Work) {
  switch (work.kind) {
    case "section-of-chunk":
      return worker.sectionOfChunk(work.chunk, work.key);
    case "spill-chunk":
      return worker.spillChunk(work.chunk);
    case "section-of-spill":
      return worker.sectionOfSpill(work.key, work.extents);
  }
}
