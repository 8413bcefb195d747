/** Writes archives, including invalid ones, and a substitute for the 7z program. */
import { spawnSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32, deflateRawSync } from "node:zlib";
import { expect } from "vitest";
import { temporaryFolder } from "./deliveries.ts";

/** Writes an archive into a new folder and returns its path. */
export function archive(name: string, bytes: Uint8Array): string {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, bytes);
  return path;
}

/** Runs the installed 7z in `cwd`. */
export function sevenZip(cwd: string, ...args: string[]): void {
  const { status, stdout } = spawnSync("7z", args, { cwd, env: { ...process.env, LC_ALL: "C.UTF-8" } });
  expect(status, String(stdout)).toBe(0);
}

/** Returns a folder that contains only an executable shell script named `7z`. */
export function substituteSevenZip(...script: string[]): string {
  const programs = temporaryFolder();
  writeFileSync(join(programs, "7z"), `#!/bin/sh\n${script.join("\n")}\n`);
  chmodSync(join(programs, "7z"), 0o755);
  return programs;
}

export interface ZipMember {
  name: string | Uint8Array;
  content: Uint8Array | string;
  /** Whether the content is stored instead of deflated. */
  stored?: boolean;
  /** Whether the name is UTF-8 (bit 11); true by default. */
  utf8?: boolean;
  /** Replaces the correct CRC. */
  crc?: number;
  encrypted?: boolean;
  /** Whether the member is a Unix symbolic link to `content`. */
  link?: boolean;
}

const UNIX = 3;

/** Returns the bytes of an archive with these members. */
export function zipOf(members: ZipMember[]): Buffer {
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const member of members) {
    const name = Buffer.from(member.name as string);
    const content = Buffer.from(member.content as string);
    const data = member.stored ? content : deflateRawSync(content);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE((member.utf8 === false ? 0 : 0x800) | (member.encrypted ? 1 : 0), 2);
    fields.writeUInt16LE(member.stored ? 0 : 8, 4);
    fields.writeUInt32LE(member.crc ?? crc32(content), 10);
    fields.writeUInt32LE(data.length, 14);
    fields.writeUInt32LE(content.length, 18);
    fields.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04"), fields, name, data]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    if (member.link) rest.writeUInt32LE(0o120777 * 0x10000, 6);
    const madeBy = Buffer.from([20, member.link ? UNIX : 0]);
    central.push(Buffer.concat([Buffer.from("PK\x01\x02"), madeBy, fields, rest, name]));
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(members.length, 8);
  end.writeUInt16LE(members.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
}
