import { describe, expect, it } from "vitest";
import { openRequestLog, type RequestFacts } from "../../../src/http/request-log.ts";

function lineFor(facts: Partial<RequestFacts>): Record<string, unknown> {
  const lines: string[] = [];
  const log = openRequestLog("r1", { writeLine: (line) => lines.push(line) });
  log.note(facts);
  log.write();
  return JSON.parse(lines[0] ?? "{}") as Record<string, unknown>;
}

describe("the request log", () => {
  it("distinguishes a busy slot from a fault, although both return 503", () => {
    expect(lineFor({ code: 503, reason: "slot_busy", status: 503 }).kind).toBe("busy");
    expect(lineFor({ reason: "downloads_busy", status: 503 }).kind).toBe("busy");
    expect(lineFor({ code: 503, reason: "unavailable", status: 503 }).kind).toBe("fault");
    expect(lineFor({ code: 503, reason: "unavailable", lacking: "memory_of_account" }).kind).toBe("busy");
    expect(lineFor({ code: 503, reason: "unavailable", lacking: "memory" }).kind).toBe("fault");
    expect(lineFor({ code: 503, reason: "day_damaged", status: 200 }).kind).toBe("fault");
  });

  it("distinguishes served from refused requests, with and without an envelope", () => {
    expect(lineFor({ code: 200, reason: "success", status: 200 }).kind).toBe("served");
    expect(lineFor({ code: 403, reason: "key_unknown", status: 200 }).kind).toBe("refused");
    expect(lineFor({ interface: "admin", status: 200 }).kind).toBe("served");
    expect(lineFor({ interface: "admin", status: 401 }).kind).toBe("refused");
    expect(lineFor({ interface: "admin", status: 503 }).kind).toBe("fault");
  });

  it("writes one line per request, after the body has ended if a body is sent", async () => {
    const lines: string[] = [];
    const log = openRequestLog("r2", { writeLine: (line) => lines.push(line) });
    const ended = log.holdOpen();
    log.write();
    expect(lines).toEqual([]);
    log.note({ ended: "whole" });
    ended();
    log.write();
    ended();
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? "{}")).toMatchObject({ event: "request", requestId: "r2", ended: "whole" });
  });

  it("writes every refusal and fault, but only a sample of successes, each with the number of successes that it represents", () => {
    const written = (facts: Partial<RequestFacts>, random: number) => {
      const lines: string[] = [];
      const options = { successShare: () => 0.25, random: () => random };
      const log = openRequestLog("r4", { ...options, writeLine: (line) => lines.push(line) });
      log.note(facts);
      log.write();
      return lines.map((line) => JSON.parse(line).standsFor ?? "one");
    };
    const served = { code: 200, reason: "success", status: 200 };
    expect([written(served, 0.249), written(served, 0.25)]).toEqual([[4], []]);
    expect(written({ ...served, ended: "whole" }, 0.9)).toEqual([]);
    const others: Partial<RequestFacts>[] = [
      { code: 1002, reason: "not_loaded", status: 200 },
      { code: 503, reason: "slot_busy", status: 503 },
      { code: 503, reason: "unavailable", status: 503 },
      { ...served, ended: "client_gone" },
      { ...served, ended: "fault" },
      { interface: "admin", status: 200 },
    ];
    for (const each of others) expect(written(each, 0.999), JSON.stringify(each)).toEqual(["one"]);
  });

  it("records the time of a stage and rethrows the error of a failed call", async () => {
    const lines: string[] = [];
    const log = openRequestLog("r3", { writeLine: (line) => lines.push(line) });
    await log.stage("d1", async () => 1);
    await expect(
      log.stage("d1", async () => {
        throw new Error("lost");
      }),
    ).rejects.toThrow("lost");
    log.write();
    expect(JSON.parse(lines[0] ?? "{}").stageMs).toHaveProperty("d1");
  });
});
