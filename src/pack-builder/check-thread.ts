/** Entry of a thread of the quality check: checks its slice and answers with the reports. */
import { parentPort, workerData } from "node:worker_threads";
import { type CheckedSlice, checkSlice } from "./check-slice.ts";

parentPort?.postMessage(await checkSlice(workerData as CheckedSlice));
