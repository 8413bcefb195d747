/** The messages of a share's pages in both languages. Messages with numbers or dates are functions. */

import type { PackQuality } from "../../catalog/publish-day.ts";
import type { DatasetName } from "../../datasets/registry.ts";
import type { DataType } from "../../entitlement/data-types.ts";
import { CALENDAR_NAMES } from "../../pages/figures.ts";
import { byLanguage, type Pair } from "../../pages/texts.ts";

const DATASET_TEXTS = {
  orders: ["委托", "orders"],
  trades: ["成交", "trades"],
  quotes: ["快照", "quotes"],
} as const satisfies Record<DatasetName, Pair>;

const TEXTS = byLanguage({
  dataType: {
    auction_tick: ["集合竞价逐笔", "Auction ticks"],
    level2: ["全天逐笔", "Full-day ticks"],
  } satisfies Record<DataType, Pair>,
  covers: (from: string, to: string) => [`${from} 至 ${to} 的每日文件`, `Daily files from ${from} to ${to}`],
  coversNothing: ["目前没有可下载的文件", "No file can be downloaded now"],
  files: ["文件", "Files"],
  size: ["总大小", "Total size"],
  fileSize: ["大小", "Size"],
  tradingDays: ["交易日", "Trading days"],
  ofDays: (expected: number) => [`/ ${expected}`, `of ${expected}`],
  validUntil: ["有效期至", "Valid until"],
  beijing: ["北京时间", "Beijing time"],
  calendar: ["全年日历", "The year"],
  states: {
    present: ["已发布", "Published"],
    incomplete: ["不完整", "Incomplete"],
    missing: ["缺失", "Missing"],
    closed: ["非交易日", "Not a trading day"],
    outside: ["不在套餐窗口内", "Outside the plan's window"],
    upcoming: ["尚未到来", "Still to come"],
  },
  dayLabel: (...parts: string[]) => {
    const given = parts.filter((part) => part !== "");
    return [given.join("，"), given.join(", ")];
  },
  missingDays: (count: number, days: string) => [
    `缺 ${count} 个交易日：${days}`,
    `${count} trading ${count === 1 ? "day is" : "days are"} missing: ${days}`,
  ],
  nothingMissing: ["没有缺失的交易日", "No trading day is missing"],
  lineJoint: ["；", "; "],
  incompleteDays: (count: number, days: string) => [
    `${count} 个交易日不完整：${days}`,
    `${count} ${count === 1 ? "is" : "are"} incomplete: ${days}`,
  ],
  without: (lacks: readonly DatasetName[]) => [
    `（缺${lacks.map((dataset) => DATASET_TEXTS[dataset][0]).join("、")}）`,
    ` (without ${lacks.join(", ")})`,
  ],
  getIt: ["下载", "Download"],
  passwordNote: [
    "命令会询问密码，密码不会出现在网址里。适用于 Linux、macOS，以及 Windows 的 WSL 或 Git Bash。",
    "The commands ask for the password; it is never part of a URL. For Linux, macOS, and WSL or Git Bash on Windows.",
  ],
  copy: ["复制", "Copy"],
  copied: ["已复制", "Copied"],
  checkIt: ["校验", "Check"],
  checkNote: [
    "在下载目录中运行，与当前校验值比对",
    "Run this in the download folder. It compares the files with the current checksums",
  ],
  allFiles: ["全部文件", "All files"],
  name: ["文件名", "Name"],
  published: ["发布于", "Published"],
  revision: (revision: number) => [`第 ${revision} 版`, `revision ${revision}`],
  bySymbol: ["只要一只证券？", "Only one security?"],
  bySymbolNote: [
    "每只证券每天都有单独的完整 Parquet 文件；curl 会询问密码。文件名：",
    "For each day, every security has its own complete Parquet files. curl asks for the password. File names:",
  ],
  datasets: DATASET_TEXTS,
  verdicts: {
    passed: ["质量检查：通过", "quality check passed"],
    failed: ["质量检查：未通过", "quality check failed"],
    not_provable: ["质量检查：无法证实", "quality check not provable"],
  } satisfies Record<PackQuality["verdict"], Pair>,
  readOnly: [
    "只读，支持断点续传、HTTP Range 与 WebDAV",
    "Read-only, with resumable downloads, HTTP ranges and WebDAV",
  ],
  folderUp: ["返回共享首页", "Back to the share"],
  folderFiles: (count: number) => [`${count} 个文件`, `${count} ${count === 1 ? "file" : "files"}`],
  enter: ["打开共享", "Open a share"],
  password: ["密码", "Password"],
  passwordHint: [
    "密码在 file_download 的返回结果中，共 24 个字符。",
    "The response of file_download contains it. It has 24 characters.",
  ],
  open: ["打开", "Open"],
  requestId: ["请求编号", "Request id"],
});

export const MESSAGES = {
  zh: { ...TEXTS.zh, ...CALENDAR_NAMES.zh },
  en: { ...TEXTS.en, ...CALENDAR_NAMES.en },
};

/** The type of the messages of one language. */
export type Messages = (typeof MESSAGES)["zh"];
