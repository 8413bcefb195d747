import type { RequestListener } from "node:http";
import { describe, expect, it } from "vitest";
import { checkoutFindings, clockFindings } from "../../../../src/cli/doctor/doctor.ts";
import { checkPublicHost } from "../../../../src/cli/doctor/public-host.ts";
import { listening } from "../../../support/listening.ts";

/** Answers like a service that passes the checks. */
const well: RequestListener = (request, response) => {
  response.setHeader("X-Request-Id", "r1");
  if (request.url === "/api") response.end(JSON.stringify({ code: 422, message: "apiname", data: null }));
  else response.writeHead(401, { "WWW-Authenticate": "Basic" }).end();
};

async function found(listener: RequestListener): Promise<string[]> {
  await using host = await listening(listener);
  const findings = await checkPublicHost(host.url);
  return findings.map(
    ({ level, subject, sentence }) => `${level} ${subject}: ${sentence.replaceAll(host.url, "")}`,
  );
}

describe("the doctor's check of the public host", () => {
  it("has no finding when the service itself answers every client", async () => {
    expect(await found(well)).toEqual([]);
  });

  it("reports a client that is refused before the request reaches the service", async () => {
    const refusing: RequestListener = (request, response) =>
      /urllib/.test(request.headers["user-agent"] ?? "")
        ? response.writeHead(403, { "Content-Type": "text/html" }).end("<html>error code: 1010</html>")
        : well(request, response);
    expect(await found(refusing)).toEqual([
      "failed urllib: urllib (Python-urllib/3.12) at /api gets HTTP 403, not from the service.",
      "failed urllib: urllib (Python-urllib/3.12) at /s/ gets HTTP 403 instead of a request for the password.",
    ]);
  });

  it("reports a host that redirects POST, answers with a page, or does not answer", async () => {
    const all = async (listener: RequestListener) =>
      (await found(listener)).filter((each) => each.includes("curl:"));
    const redirecting = await all((_, response) => response.writeHead(301, { Location: "https://h/" }).end());
    expect(redirecting[0]).toContain("is redirected to https://h/");
    const page = await all((_, response) => response.end("<html>"));
    expect(page[0]).toContain("gets HTTP 200, not from the service");
    const nothing = await all((request) => request.socket.destroy());
    expect(nothing).toEqual(["failed curl: curl (curl/8.5.0) at  got no answer (ECONNRESET)."]);
  });
});

describe("the doctor's check of the clock", () => {
  it("accepts a service time from 5 s before the request to 5 s after the answer", () => {
    expect(clockFindings(1_000_000, 990_000, 1_010_000)).toEqual([]);
    expect(clockFindings(1_000_000, 1_005_000, 1_006_000)).toEqual([]);
    expect(clockFindings(1_000_000, 1_060_000, 1_061_000)[0]?.sentence).toContain("60 s behind");
    expect(clockFindings(1_100_000, 1_000_000, 1_010_000)[0]?.sentence).toContain("90 s ahead of");
  });
});

describe("the doctor's comparison of deployment and checkout", () => {
  it("reports missing migrations, unknown migrations and a different version", () => {
    const found = (migrations: string[] | null, version = "0.0.0") =>
      checkoutFindings({ migrations, version }).map(({ check, level }) => `${check} ${level}`);
    expect(found(null)).toEqual(["version warning", "migrations warning"]);
    expect(found(["9999_future.sql"])).toEqual([
      "version warning",
      "migrations failed",
      "migrations warning",
    ]);
  });
});
