/** The entry module of a worker thread: does one job at a time and answers with its progress, and its result or error. */
import { parentPort, workerData } from "node:worker_threads";
import { type Job, ThreadJobs } from "./work.ts";

const port = parentPort;
if (port === null) throw new Error("this file must run in a worker thread");
const jobs = new ThreadJobs(workerData as number);

port.on("message", async (job: Job) => {
  try {
    const result = await jobs.do(job, (progress) => port.postMessage({ progress }));
    const bytes = result !== null && "section" in result ? result.section.bytes : undefined;
    port.postMessage({ result }, bytes === undefined ? [] : [bytes.buffer]);
  } catch (error) {
    port.postMessage({ error });
  }
});
