/** Runs the service's scheduled task at its scheduled time and through the admin route, with a webhook. */
import { describe, expect, it } from "vitest";
import { oneOrder } from "../support/builders.ts";
import { asOperator, loadWeekdays, publish } from "../support/operator.ts";
import { type Service, startService } from "../support/service.ts";
import { startReceiver } from "../support/webhook-receiver.ts";

interface Run {
  findings: { check: string; level: string; subject: string }[];
  told: boolean | null;
}

const run = (service: Service, tell: boolean) =>
  asOperator<Run>(service, "POST", "/admin/doctor/scheduled", { tell });

describe("the scheduled task", () => {
  it("sends problems to the webhook at its scheduled time, and sends nothing when there are no problems", async () => {
    await using receiver = await startReceiver();
    await using service = await startService({
      nowAt: "2026-03-12T20:40:00+08:00",
      settings: { WEBHOOK_URL: receiver.url, WEBHOOK_KIND: "dingtalk", WEBHOOK_SECRET: "SEC" },
    });
    receiver.answer = { status: 200, body: { errcode: 0, errmsg: "ok" } };
    await loadWeekdays(service, "20260301", "20260430");
    const worker = await service.mf.getWorker();
    await worker.scheduled({ cron: "40 12 * * *" });
    expect(receiver.received).toHaveLength(1);
    expect(receiver.received[0]?.path).toMatch(/&timestamp=\d+&sign=/);
    expect(receiver.received[0]?.body).toMatchObject({
      text: {
        content: expect.stringMatching(
          /^edgetape 失败 FAILED\n最新交易日 20260312 尚未发布。\nThe newest trading day 20260312 is not published\.\n/,
        ),
      },
    });
    const line = service.logs.find((each) => each.includes("scheduled_finding")) ?? "";
    expect(JSON.parse(line)).toMatchObject({ check: "days", level: "failed", subject: "20260312" });
    expect(service.logs.join("\n")).not.toMatch(/robot-key|SEC/);

    await publish(service, oneOrder("20260312"));
    await worker.scheduled({ cron: "10 1 * * *" });
    expect(receiver.received).toHaveLength(1);
  });

  it("runs on an operator's request, and sends a notice only if the request asks for it", async () => {
    await using receiver = await startReceiver();
    await using service = await startService({ settings: { WEBHOOK_URL: receiver.url, DAY_DUE: "09:30" } });
    await loadWeekdays(service, "20260301", "20260430");
    expect(await run(service, false)).toMatchObject({ findings: [{ subject: "20260312" }], told: null });
    expect(receiver.received).toHaveLength(0);
    expect(await run(service, true)).toMatchObject({ told: true });
    expect(receiver.received).toMatchObject([{ body: { event: "scheduled.findings", level: "failed" } }]);
    receiver.answer = { status: 400, body: {} };
    expect(await run(service, true)).toMatchObject({ told: false });
    expect(service.logs.join("\n")).toContain("webhook_not_told");
  });
});
