/**
 * Starts two deployments with different secrets. Both accept the same keys and serve the same days, but under different
 * revision numbers. Each is behind a relay that can fail. The date is Thursday, 12 March 2026, in Beijing.
 */
import type { DatasetName } from "../../src/datasets/registry.ts";
import { day, order, security, type TestDay } from "../support/builders.ts";
import { type FaultLine, startFaultLine } from "../support/fault-line.ts";
import { asOperator, loadWeekdays, publish, publishPack } from "../support/operator.ts";
import { packOf } from "../support/packs.ts";
import { type Service, startService } from "../support/service.ts";

const DAY_MS = 86_400_000;

export interface Deployment {
  service: Service;
  line: FaultLine;
}

export interface TwoDeployments {
  first: Deployment;
  second: Deployment;
  /** The URLs of the relays. The first deployment's relay comes first. */
  urls: string[];
  /** Publishes the day on both deployments. */
  publish(each: TestDay, dataset: DatasetName): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts both deployments, each with a flagship account that owns `key`. On the second deployment, the first revision
 * of every day has different rows, which must never be read.
 */
export async function startTwoDeployments(key: string): Promise<TwoDeployments> {
  const [first, second] = await Promise.all(["first", "second"].map(startDeployment));
  if (first === undefined || second === undefined) throw new Error("a deployment was not started");
  const both = [first, second];
  for (const { service } of both) {
    const [start, end] = [-365, 365].map((days) => Math.floor(service.nowMs() + days * DAY_MS));
    const rows = [{ key, account: "holder", plan: "flagship", start, end }];
    await asOperator(service, "POST", "/admin/keys/import", { rows });
  }
  return {
    first,
    second,
    urls: both.map(({ line }) => line.baseUrl),
    publish: async (each, dataset) => {
      const { tradedate } = each;
      await publish(
        second.service,
        day({ tradedate, securities: [security("600001", [order("093000000")])] }),
        dataset,
      );
      const { bytes } = await packOf(each, dataset);
      for (const { service } of both) await publishPack(service, tradedate, bytes, { dataset });
    },
    stop: async () => {
      for (const { line, service } of both) {
        await line.stop();
        await service.stop();
      }
    },
  };
}

async function startDeployment(name: string): Promise<Deployment> {
  const service = await startService({
    settings: {
      CURSOR_SECRET: `cursor-secret-of-the-${name}-deployment-0001`,
      SHARE_SECRET: `1:share-secret-of-the-${name}-deployment-0001`,
    },
  });
  await loadWeekdays(service, "20250101", "20261231");
  return { service, line: await startFaultLine(service.baseUrl) };
}
