/** Support for tests of the share drive: shares, and requests to them. */
import { askShare, type DailyFile, type ShareFields, shareIn } from "./files.ts";
import { type Answer, call } from "./http-client.ts";
import type { Service } from "./service.ts";

/** The share of a `file_download` answer (contract 8.1), with its id; `url` ends with a slash. */
export interface TestShare extends ShareFields {
  shareId: string;
}

/** Returns an operator's own level2 file with these bytes. */
export function tradesFile(date: string, bytes: Uint8Array, name = `${date}_trades.zip`): DailyFile {
  return { type: "level2", date, name, bytes };
}

/** Requests a share with `file_download`. Throws an error that contains the answer if the request is refused. */
export async function shareOf(
  service: Service,
  apikey: string,
  data_type: DailyFile["type"] = "level2",
  year = 2026,
): Promise<TestShare> {
  const share = shareIn(await askShare(service, apikey, { data_type, year }));
  return { ...share, shareId: share.url.split("/").at(-2) ?? "" };
}

/** Returns the `Authorization` header for a user and a password. */
export function basic(user: string, password: string): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}` };
}

export interface DriveCall {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** Sends a request to a path of the share with its password; `GET` by default. */
export function onDrive(share: TestShare, path: string, options: DriveCall = {}): Promise<Answer> {
  const headers = { ...basic(share.shareId, share.password), ...options.headers };
  return call(share.url + path, { method: "GET", ...options, headers });
}
