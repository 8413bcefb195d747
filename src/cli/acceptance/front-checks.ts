/** What stands in front of the worker: it must let every client through, with every method. */
import type { Finding } from "../../admin/wire.ts";
import { checkClients, checkPlainHttp } from "../doctor/public-host.ts";
import { type Check, failed, type Outcome, ok, skipped } from "./check.ts";
import { ask, headerOf } from "./probe.ts";

/** The checks of the way to the worker. */
export function frontChecks(baseUrl: string): Check[] {
  return [
    {
      name: "clients",
      says: "urllib, curl, wget, aria2 and rclone reach the service by their own names",
      run: async () => outcomeOf(await checkClients(baseUrl), "five of five"),
    },
    {
      name: "plain HTTP",
      says: "a POST over plain HTTP is answered and not redirected",
      run: async () =>
        baseUrl.startsWith("https:")
          ? outcomeOf(await checkPlainHttp(baseUrl), "answered")
          : skipped("the address is plain HTTP itself"),
    },
    {
      name: "methods",
      says: "HEAD and GET of /api are 405 with Allow, and nothing is redirected",
      run: () => methods(baseUrl),
    },
  ];
}

function outcomeOf(findings: Finding[], detail: string): Outcome {
  const [first] = findings;
  return first === undefined ? ok(detail) : failed(`${first.sentence} ${first.advice}`);
}

async function methods(baseUrl: string): Promise<Outcome> {
  for (const method of ["HEAD", "GET"]) {
    for (const path of ["/api", "/api/"]) {
      const { status, headers, bytes } = await ask(`${baseUrl}${path}`, { method });
      const allow = headerOf(headers, "allow");
      if (status !== 405 || allow === null)
        return failed(`${method} ${path} gets HTTP ${status}, Allow ${allow}`);
      if (method === "HEAD" && bytes.length > 0) return failed(`HEAD ${path} has a body`);
    }
  }
  return ok("405, with Allow");
}
