/** Tests read-only WebDAV (RFC 4918, class 1; contract 8.9). */
import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, describe, expect, it } from "vitest";
import { basic, onDrive } from "../support/drive.ts";
import type { Answer } from "../support/http-client.ts";
import { DAY, PACKS, sharedDriveWorld } from "./drive-world.ts";

const world = await sharedDriveWorld();
afterAll(() => world.stop());

function propfind(path: string, depth: string | null, body = ""): Promise<Answer> {
  return onDrive(world.share, path, {
    method: "PROPFIND",
    body,
    headers: { "content-type": "application/xml", ...(depth === null ? {} : { depth }) },
  });
}

/** Returns the resources in a 207 answer by path. Reads only XML in the form that this service writes. */
function responsesOf({ text }: Answer): Map<string, { xml: string; of(name: string): string | null }> {
  const base = `/s/${world.share.shareId}/`;
  const responses = new Map<string, { xml: string; of(name: string): string | null }>();
  for (const [, xml = ""] of text.matchAll(/<D:response>([\s\S]*?)<\/D:response>/g)) {
    const href = /<D:href>([^<]*)<\/D:href>/.exec(xml)?.[1] ?? "";
    const of = (name: string) => new RegExp(`<D:${name}>(.*?)</D:${name}>`).exec(xml)?.[1] ?? null;
    responses.set(href.startsWith(base) ? href.slice(base.length) : href, { xml, of });
  }
  return responses;
}

describe("OPTIONS on a share", () => {
  it("returns DAV class 1 and the accepted methods", async () => {
    const answer = await onDrive(world.share, "", { method: "OPTIONS" });
    expect(answer.status).toBe(200);
    expect(answer.headers.dav).toBe("1");
    expect(answer.headers.allow).toBe("GET, HEAD, OPTIONS, PROPFIND");
  });
});

describe("PROPFIND on a share", () => {
  it("with depth 0 describes only the resource itself", async () => {
    for (const path of ["", `${DAY}/`, `${DAY}/${DAY}_trades.zip`, "manifest.json"]) {
      const answer = await propfind(path, "0");
      expect(answer.status).toBe(207);
      expect([...responsesOf(answer).keys()]).toEqual([path]);
    }
  });

  it("with depth 1 lists a folder's content, except the folder by-symbol", async () => {
    const root = [...responsesOf(await propfind("", "1")).keys()];
    expect(root).toEqual(["", "20260210/", "20260211/", `${DAY}/`, "manifest.json", "SHA256SUMS"]);
    const ofDay = [...responsesOf(await propfind(`${DAY}/`, "1")).keys()];
    const files = [...PACKS, `${DAY}_trades.zip`].map((name) => `${DAY}/${name}`);
    expect(ofDay).toEqual([`${DAY}/`, ...files]);
  });

  it("lists the folder `by-symbol` when the request names that folder", async () => {
    const listed = [...responsesOf(await propfind(`${DAY}/by-symbol/`, "1")).keys()];
    expect(listed).toContain(`${DAY}/by-symbol/600519.SH.parquet`);
  });

  it("returns the size, ETag, date and type that a GET of the same file returns", async () => {
    for (const path of [`${DAY}/${DAY}_trades.zip`, "SHA256SUMS", `${DAY}/by-symbol/600519.SH.parquet`]) {
      const got = await onDrive(world.share, path);
      const told = responsesOf(await propfind(path, "0")).get(path);
      expect(told?.of("getcontentlength")).toBe(String(got.bytes.length));
      expect(told?.of("getetag")?.replaceAll("&quot;", '"')).toBe(got.headers.etag);
      expect(told?.of("getlastmodified")).toBe(got.headers["last-modified"]);
      expect(told?.of("getcontenttype")).toBe(got.headers["content-type"]);
      expect(told?.of("resourcetype")).toBe("");
    }
    expect(
      responsesOf(await propfind("", "0"))
        .get("")
        ?.of("resourcetype"),
    ).toBe("<D:collection/>");
  });

  it("returns a folder's URL with the final slash when the request omits it", async () => {
    expect([...responsesOf(await propfind(DAY, "0")).keys()]).toEqual([`${DAY}/`]);
  });

  it("returns known properties under status 200, and unknown properties of any XML namespace under status 404", async () => {
    const body = `<?xml version="1.0"?><a:propfind xmlns:a="DAV:" xmlns:o="http://owncloud.org/ns">
      <a:prop><a:getcontentlength/><a:quota-used-bytes/><o:checksums/></a:prop></a:propfind>`;
    const path = `${DAY}/${DAY}_trades.zip`;
    const { xml } = responsesOf(await propfind(path, "0", body)).get(path) ?? { xml: "" };
    const [found = "", missing = ""] = xml.split("<D:status>HTTP/1.1 200 OK</D:status>");
    expect(found).toContain("<D:getcontentlength>10000</D:getcontentlength>");
    expect(found).not.toContain("getetag");
    expect(missing).toContain("<D:quota-used-bytes/>");
    expect(missing).toContain('<x:checksums xmlns:x="http://owncloud.org/ns"/>');
    expect(missing).toContain("HTTP/1.1 404 Not Found");
  });

  it("returns only the names of the properties when the body asks for propname", async () => {
    const body = '<propfind xmlns="DAV:"><propname/></propfind>';
    const { xml } = responsesOf(await propfind(DAY, "0", body)).get(`${DAY}/`) ?? { xml: "" };
    expect(xml).toContain("<D:displayname/>");
  });

  it("with a depth other than 0 or 1, or without a depth, is refused with 403 and WebDAV's error element", async () => {
    for (const depth of ["infinity", "2", null]) {
      const answer = await propfind("", depth);
      expect(answer.status).toBe(403);
      expect(answer.text).toContain("<D:propfind-finite-depth/>");
    }
  });

  it.each([
    ["<propfind", 400],
    ["<a><b></a></b>", 400],
    ['<!DOCTYPE x [<!ENTITY e "e">]><propfind xmlns="DAV:"><allprop/></propfind>', 400],
    ["hello", 400],
    [`<propfind xmlns="DAV:"><prop>${"<x/>".repeat(1000)}</prop></propfind>`, 400],
    ["x".repeat(70_000), 400],
    ['<propfind xmlns="DAV:"><allprop/></propfind>', 207],
    ["<!-- hi --><D:propfind xmlns:D='DAV:'><D:allprop/></D:propfind>", 207],
  ])("with the body %j returns %i", async (body, status) => {
    expect((await propfind("", "0", body)).status).toBe(status);
  });

  it("is refused as soon as a body of undeclared length exceeds the limit", async () => {
    const { shareId, password, url } = world.share;
    const { authorization } = basic(shareId, password);
    const { hostname, port, pathname } = new URL(url);
    const socket = connect(Number(port), hostname);
    socket.on("error", () => undefined);
    socket.write(
      `PROPFIND ${pathname} HTTP/1.1\r\nHost: x\r\nDepth: 0\r\nAuthorization: ${authorization}\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    const document = '<propfind xmlns="DAV:"><allprop/></propfind>'.padEnd(10_000);
    for (let sent = 0; sent < 70_000; sent += document.length) {
      socket.write(`${document.length.toString(16)}\r\n${sent === 0 ? document : " ".repeat(10_000)}\r\n`);
    }
    const [answer] = (await once(socket, "data")) as [Buffer];
    socket.destroy();
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 400 /);
  });

  it("returns 404 for a path that the share does not cover", async () => {
    for (const path of ["20250106/", `${DAY}/nothing.zip`, "x", `${DAY}/by-symbol/999999.SH.parquet`]) {
      expect((await propfind(path, "0")).status).toBe(404);
    }
  });
});
