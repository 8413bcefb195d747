/** The messages of a share's pages in both languages. Messages with numbers or dates are functions. */

import type { PackQuality } from "../../catalog/publish-day.ts";
import type { DatasetName } from "../../datasets/registry.ts";
import type { DataType } from "../../entitlement/data-types.ts";
import { CALENDAR_NAMES } from "../../pages/figures.ts";
import type { PageLanguage } from "../../pages/look.ts";

const EN = {
  dataType: { auction_tick: "Auction ticks", level2: "Full-day ticks" } satisfies Record<DataType, string>,
  title: (type: string, year: number) => `${type} ${year}`,
  covers: (from: string, to: string) => `Daily files from ${from} to ${to}`,
  coversNothing: "No file can be downloaded now",
  files: "Files",
  size: "Total size",
  fileSize: "Size",
  tradingDays: "Trading days",
  ofDays: (expected: number) => `of ${expected}`,
  validUntil: "Valid until",
  beijing: "Beijing time",
  calendar: "The year",
  ...CALENDAR_NAMES.en,
  states: {
    present: "Published",
    incomplete: "Incomplete",
    missing: "Missing",
    closed: "Not a trading day",
    outside: "Outside the plan's window",
    upcoming: "Still to come",
  },
  dayLabel: (date: string, state: string, detail: string) =>
    [date, state, detail].filter((part) => part !== "").join(", "),
  missingDays: (count: number, days: string) =>
    `${count} trading ${count === 1 ? "day is" : "days are"} missing: ${days}`,
  nothingMissing: "No trading day is missing",
  lineJoint: "; ",
  incompleteDays: (count: number, days: string) =>
    `${count} ${count === 1 ? "is" : "are"} incomplete: ${days}`,
  without: (lacks: readonly DatasetName[]) => ` (without ${lacks.join(", ")})`,
  getIt: "Download",
  passwordNote:
    "The commands ask for the password; it is never part of a URL. For Linux, macOS, and WSL or Git Bash on Windows.",
  copy: "Copy",
  copied: "Copied",
  checkIt: "Check",
  checkNote: "Run this in the download folder. It compares the files with the current checksums",
  allFiles: "All files",
  name: "Name",
  published: "Published",
  revision: (revision: number) => `revision ${revision}`,
  bySymbol: "Only one security?",
  bySymbolNote:
    "For each day, every security has its own complete Parquet files. curl asks for the password. File names:",
  datasets: { orders: "orders", trades: "trades", quotes: "quotes" } satisfies Record<DatasetName, string>,
  verdicts: {
    passed: "quality check passed",
    failed: "quality check failed",
    not_provable: "quality check not provable",
  } satisfies Record<PackQuality["verdict"], string>,
  readOnly: "Read-only, with resumable downloads, HTTP ranges and WebDAV",
  folderUp: "Back to the share",
  folderFiles: (count: number) => `${count} ${count === 1 ? "file" : "files"}`,
  enter: "Open a share",
  password: "Password",
  passwordHint: "The response of file_download contains it. It has 24 characters.",
  open: "Open",
  requestId: "Request id",
};

/** The type of the messages of one language. */
export type Messages = typeof EN;

const ZH: Messages = {
  dataType: { auction_tick: "集合竞价逐笔", level2: "全天逐笔" },
  title: (type, year) => `${type} ${year}`,
  covers: (from, to) => `${from} 至 ${to} 的每日文件`,
  coversNothing: "目前没有可下载的文件",
  files: "文件",
  size: "总大小",
  fileSize: "大小",
  tradingDays: "交易日",
  ofDays: (expected) => `/ ${expected}`,
  validUntil: "有效期至",
  beijing: "北京时间",
  calendar: "全年日历",
  ...CALENDAR_NAMES.zh,
  states: {
    present: "已发布",
    incomplete: "不完整",
    missing: "缺失",
    closed: "非交易日",
    outside: "不在套餐窗口内",
    upcoming: "尚未到来",
  },
  dayLabel: (date, state, detail) => [date, state, detail].filter((part) => part !== "").join("，"),
  missingDays: (count, days) => `缺 ${count} 个交易日：${days}`,
  nothingMissing: "没有缺失的交易日",
  lineJoint: "；",
  incompleteDays: (count, days) => `${count} 个交易日不完整：${days}`,
  without: (lacks) => `（缺${lacks.map((dataset) => ZH.datasets[dataset]).join("、")}）`,
  getIt: "下载",
  passwordNote:
    "命令会询问密码，密码不会出现在网址里。适用于 Linux、macOS，以及 Windows 的 WSL 或 Git Bash。",
  copy: "复制",
  copied: "已复制",
  checkIt: "校验",
  checkNote: "在下载目录中运行，与当前校验值比对",
  allFiles: "全部文件",
  name: "文件名",
  published: "发布于",
  revision: (revision) => `第 ${revision} 版`,
  bySymbol: "只要一只证券？",
  bySymbolNote: "每只证券每天都有单独的完整 Parquet 文件；curl 会询问密码。文件名：",
  datasets: { orders: "委托", trades: "成交", quotes: "快照" },
  verdicts: { passed: "质量检查：通过", failed: "质量检查：未通过", not_provable: "质量检查：无法证实" },
  readOnly: "只读，支持断点续传、HTTP Range 与 WebDAV",
  folderUp: "返回共享首页",
  folderFiles: (count) => `${count} 个文件`,
  enter: "打开共享",
  password: "密码",
  passwordHint: "密码在 file_download 的返回结果中，共 24 个字符。",
  open: "打开",
  requestId: "请求编号",
};

export const MESSAGES: Readonly<Record<PageLanguage, Messages>> = { zh: ZH, en: EN };
