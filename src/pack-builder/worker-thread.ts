/** Entry of a worker thread: handles one piece of work at a time and answers with its result or error. */
import { parentPort, workerData } from "node:worker_threads";
import { type Work, Workbench, type WorkerSettings } from "./work.ts";

const port = parentPort;
if (port === null) throw new Error("this file runs in a worker thread");
const worker = new Workbench(workerData as WorkerSettings);

port.on("message", (work: Work) => {
  try {
    const result = worker.do(work);
    const bytes = "section" in result ? result.section.bytes : undefined;
    port.postMessage({ result }, bytes === undefined ? [] : [bytes.buffer]);
  } catch (error) {
    port.postMessage({ error });
  }
});
