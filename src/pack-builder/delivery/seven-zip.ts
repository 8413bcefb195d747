/**
 * Unpacks 7z and tar archives with the installed `7z` program, because solid archives cannot be read in place. The
 * archive is listed first. Links and members whose path leaves the archive are never unpacked.
 */
import { spawn } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import type { WorkFolder } from "../work-folder.ts";
import { listFolder } from "./folder.ts";
import {
  DeliveryError,
  type LeftOutReason,
  type Listing,
  leavesItsArchive,
  type SourceFile,
} from "./source-file.ts";

/** Names under which the program is installed. */
const PROGRAMS = ["7z", "7zz", "7za"];
/** The line between the properties of the archive and the properties of its members. */
const MEMBERS = /^-{10}$/m;
const OUTPUT_BYTES = 64 * 1024 * 1024;

/** Patterns of 7z's messages, each with the clause that the report puts after the archive's name. */
const COMPLAINTS: readonly [RegExp, string][] = [
  [
    /wrong password|encrypted|enter password/i,
    "is protected with a password; unpack it and deliver the folder",
  ],
  [/no space left|disk full/i, "cannot be unpacked: the disk of the output folder is full"],
  [
    /unexpected end|headers error|is not archive|can ?not open|missing volume|there are data after/i,
    "is truncated or damaged, or a part of it is missing; deliver it again",
  ],
  [/crc failed|data error/i, "is damaged: its content does not match its checksums; deliver it again"],
  [
    /unsupported method/i,
    "uses a compression that the installed 7z does not read; unpack it and deliver the folder",
  ],
];

interface Member {
  path: string;
  isFolder: boolean;
  reason: LeftOutReason | null;
}

/** An archive on disk. */
type PackedArchive = Pick<SourceFile, "path" | "delivered"> & { place: string };

/** Unpacks an archive into `work` and lists its files, whose paths begin with the archive's path. */
export async function unpackSevenZip(archive: PackedArchive, work: WorkFolder): Promise<Listing> {
  const { place, path, delivered } = archive;
  const listing = await sevenZip(["l", "-slt", "-p", "--", place], archive, work);
  if (!MEMBERS.test(listing)) throw new DeliveryError(`${path} holds no files or cannot be listed`);
  const members = membersOf(listing);
  refuseTwice(members, path);
  const target = work.next();
  await mkdir(target);
  const options = [`-o${target}`, "-y", "-bd", "-p"];
  const wanted = members.filter(({ reason, isFolder }) => reason === null && !isFolder);
  if (members.every(({ reason }) => reason === null)) {
    options.push("--", place);
  } else {
    const list = work.next(".list");
    await writeFile(list, wanted.map((member) => `${member.path}\n`).join(""));
    options.push("-spd", "-scsUTF-8", `-i@${list}`, "--", place);
  }
  if (wanted.length > 0) await sevenZip(["x", ...options], archive, work);
  const found = await listFolder(target, path);
  if (found.files.length !== wanted.length) {
    throw new DeliveryError(
      `${path} is damaged: its list of files differs from its content; deliver it again`,
    );
  }
  const leftOut = members.flatMap(({ reason, path: member }) =>
    reason === null ? [] : [{ path: `${path}/${member}`, reason }],
  );
  const folders = members.filter(({ isFolder, reason }) => isFolder && reason === null);
  return {
    files: found.files.map((file) => ({ ...file, delivered })),
    folders: folders.map((folder) => `${path}/${folder.path}`),
    leftOut: [...leftOut, ...found.leftOut],
  };
}

/** Parses the members from 7z's technical listing, which has one block of `Name = value` lines for each member. */
function membersOf(listing: string): Member[] {
  const [, text = ""] = listing.split(MEMBERS, 2);
  return text.split(/\r?\n\r?\n/).flatMap((block) => {
    const facts = new Map(
      block.split(/\r?\n/).map((line) => {
        const [name = "", ...value] = line.split(" = ");
        return [name.trim(), value.join(" = ")] as const;
      }),
    );
    const path = facts.get("Path")?.replaceAll("\\", "/");
    if (path === undefined) return [];
    // The attributes of Windows, of Unix, or both, for example `D drwxr-xr-x`.
    const kinds = `${facts.get("Attributes") ?? ""} ${facts.get("Mode") ?? ""}`.trim().split(/\s+/);
    const unix = kinds.find((kind) => /^[-dlbcps][-r][-w]/.test(kind))?.[0] ?? "";
    const windows = kinds.find((kind) => /^[A-Z]+$/.test(kind)) ?? "";
    const isFolder = facts.get("Folder") === "+" || unix === "d" || windows.includes("D");
    const target = `${facts.get("Symbolic Link") ?? ""}${facts.get("Hard Link") ?? ""}`;
    const isLink = unix === "l" || windows.includes("L") || target !== "";
    return [{ path, isFolder, reason: isLink ? "link" : reasonOf(path, unix) }];
  });
}

function reasonOf(path: string, unix: string): LeftOutReason | null {
  if (leavesItsArchive(`archive/${path}`)) return "outside";
  return unix !== "" && "bcps".includes(unix) ? "special" : null;
}

/** Refuses two members of the same name, because unpacking would lose one of them. */
function refuseTwice(members: readonly Member[], path: string): void {
  const seen = new Set<string>();
  for (const member of members) {
    if (member.isFolder) continue;
    if (seen.has(member.path))
      throw new DeliveryError(`${path} holds ${member.path} twice; unpack it and deliver the folder`);
    seen.add(member.path);
  }
}

/** Runs the installed program and returns its output. */
async function sevenZip(args: string[], { place, path }: PackedArchive, work: WorkFolder): Promise<string> {
  for (const program of PROGRAMS) {
    const ended = await work.during(run(program, args, work.signal));
    if (ended === "not installed") continue;
    if (ended.status === 0) return ended.output;
    const known = COMPLAINTS.find(([pattern]) => pattern.test(ended.complaint));
    throw new DeliveryError(
      `${path} ${known?.[1] ?? `cannot be unpacked: ${program} ends with status ${ended.status}`}`,
    );
  }
  throw new DeliveryError(
    `${place} is a 7z or tar archive and no 7z program is installed: install p7zip-full or 7zip ` +
      "(apt install 7zip, brew install sevenzip), or unpack it and give the folder.",
  );
}

interface Ended {
  status: number;
  output: string;
  complaint: string;
}

function run(program: string, args: string[], signal: AbortSignal): Promise<"not installed" | Ended> {
  return new Promise((resolve, reject) => {
    // In the C locale 7z would write Chinese names as question marks.
    const child = spawn(program, args, {
      env: { ...process.env, LC_ALL: "C.UTF-8" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    // Spawn's own `signal` option would report the end while the program still writes.
    const kill = () => child.kill("SIGKILL");
    signal.addEventListener("abort", kill);
    const output: Buffer[] = [];
    const complaint: Buffer[] = [];
    let bytes = 0;
    child.stdout.on("data", (piece: Buffer) => {
      bytes += piece.length;
      if (bytes <= OUTPUT_BYTES) output.push(piece);
    });
    child.stderr.on("data", (piece: Buffer) => complaint.push(piece));
    child.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") resolve("not installed");
      else reject(error);
    });
    child.on("close", (status) => {
      signal.removeEventListener("abort", kill);
      const text = Buffer.concat(output).toString("utf8");
      // Versions of 7z differ in the stream to which they write errors.
      const complaints = `${Buffer.concat(complaint).toString("utf8")}\n${status === 0 ? "" : text}`;
      resolve({ status: status ?? 1, output: text, complaint: complaints });
    });
  });
}
