/**
 * The reasons for which the drive refuses a request, and the answers (contract 8.6): a page for browsers, one line for
 * tools. A wrong password and an unknown share have the same reason, so that callers cannot distinguish them.
 */
import { type Bilingual, inLanguage } from "../base/language.ts";
import { PAGE_POLICY } from "../pages/frame.tsx";
import { type DriveContext, driveAnswer } from "./context.ts";
import { passwordPage } from "./page/pages.tsx";
import { finiteDepthError } from "./webdav.ts";

const OVER = {
  expired: {
    zh: "此共享已到期，请用 file_download 重新获取。",
    en: "This share has expired; request a new one with file_download.",
  },
  revoked: {
    zh: "此共享已被撤销，请用 file_download 重新获取。",
    en: "This share was revoked; request a new one with file_download.",
  },
  plan_ended: {
    zh: "套餐已到期或不含文件下载。",
    en: "The plan has ended or does not include file downloads.",
  },
  account_disabled: { zh: "账户已停用。", en: "The account is disabled." },
} satisfies Record<string, Bilingual>;

type Answer = Bilingual & { status: number; retryAfterSeconds?: number };

/** The answers by reason, as functions of the facts that a denial has beside its reason. */
const ANSWERS = {
  /** The request has no password or a wrong one, or the share does not exist. */
  password_wrong: ({ given }: { given: boolean }) => ({
    status: 401,
    zh: `${given ? "共享不存在或密码不正确" : "此共享需要密码"}。程序的用户名是共享编号，即地址中 /s/ 之后的部分。`,
    en: `${given ? "There is no such share, or the password is wrong" : "This share needs its password"}. For programs, the user name is the share's id, which follows /s/ in the address.`,
  }),
  password_locked: ({ retryAfterSeconds }: { retryAfterSeconds: number }) => ({
    status: 429,
    retryAfterSeconds,
    zh: `此地址输错密码次数过多，请在 ${Math.ceil(retryAfterSeconds / 60)} 分钟后再试。`,
    en: `Too many wrong passwords from this address; try again in ${Math.ceil(retryAfterSeconds / 60)} min.`,
  }),
  form_foreign: () => ({
    status: 403,
    zh: "请在本页面上输入密码。",
    en: "Enter the password in the form on this page.",
  }),
  https_needed: () => ({ status: 403, zh: "请改用 https 地址。", en: "Use the https address." }),
  share_over: ({ why }: { why: keyof typeof OVER }) => ({ status: 403, ...OVER[why] }),
  /** `bySymbol`: the path is inside `by-symbol/`, but cannot be the path of a security's file. */
  not_found: ({ bySymbol }: { bySymbol?: boolean }) =>
    bySymbol
      ? {
          status: 404,
          zh: "没有这样的文件名；单只证券的文件名形如 600519.SH.parquet（委托）、600519.SH_trades.parquet（成交）、600519.SH_quotes.parquet（快照）。",
          en: "No file has this name. The files of a security are named like 600519.SH.parquet (orders), 600519.SH_trades.parquet and 600519.SH_quotes.parquet.",
        }
      : {
          status: 404,
          zh: "此共享目前不包含该路径。",
          en: "This share does not contain that path at present.",
        },
  method_not_allowed: ({ allowed }: { allowed: string }) => ({
    status: 405,
    zh: `此共享只读，可用：${allowed}。`,
    en: `This share is read-only; accepted methods: ${allowed}.`,
  }),
  depth_infinite: () => ({ status: 403, zh: "Depth 只能是 0 或 1。", en: "Depth must be 0 or 1." }),
  body_invalid: () => ({
    status: 400,
    zh: "请求正文不是有效的 PROPFIND 文档；正文留空表示请求全部属性。",
    en: "The request body is not a valid PROPFIND document; an empty body requests all properties.",
  }),
  condition_failed: () => ({
    status: 412,
    zh: "文件已更新，条件不成立。",
    en: "The file is not the version that the condition names.",
  }),
  /**
   * The file was replaced, and the request asks for a range but has no `If-Range`. The part that the client has may
   * belong to a different version.
   */
  version_unknown: () => ({
    status: 409,
    zh: "文件近日被替换，无法确定已下载的部分属于哪一版：请删除该部分后重新下载，或带 If-Range 续传。",
    en: "The file was replaced, and the part that you have may belong to the old version: delete it and start again, or resume with If-Range.",
  }),
  /**
   * The request asks for a range of a file that is generated at every request. The range begins after the first byte,
   * and the request has no `If-Range`.
   */
  no_ranges: () => ({
    status: 409,
    zh: "此文件每次请求都重新生成，请整体下载。",
    en: "This file is generated for each request: download it whole.",
  }),
  range_beyond_end: ({ sizeBytes }: { sizeBytes: number }) => ({
    status: 416,
    zh: `文件共 ${sizeBytes} 字节，所求范围不在其内。`,
    en: `The file has ${sizeBytes} bytes, and the range begins at or after its end.`,
  }),
  /** The limit of concurrent downloads is reached. */
  downloads_busy: () => ({
    status: 503,
    retryAfterSeconds: 5,
    zh: "同时进行的下载过多：请等其中一些结束后重试，并减少并行连接数。",
    en: "Too many downloads are running: wait until some have ended, then try again with fewer connections.",
  }),
  unavailable: () => ({
    status: 503,
    retryAfterSeconds: 5,
    zh: "暂时不可用，请稍后重试。",
    en: "The service is temporarily unavailable; try again later.",
  }),
} satisfies Record<string, (facts: never) => Answer>;

type Answers = typeof ANSWERS;

/** A refusal of the drive: its reason, and the facts that the answer names. */
export type DriveDenial = {
  [R in keyof Answers]: Answers[R] extends (facts: infer Facts) => Answer ? { reason: R } & Facts : never;
}[keyof Answers];

/**
 * Tools are asked for Basic credentials. A browser would then open its own dialog, which cannot explain anything.
 * Browsers therefore get a challenge of an unknown type and the page with a form.
 */
const BASIC = 'Basic realm="edgetape share", charset="UTF-8"';
const FORM = 'Edgetape-Form realm="edgetape share"';

/** Returns the answer to a denied request and logs the reason. */
export function refuse(context: DriveContext, denial: DriveDenial): Response {
  const { request, log, language, look, access } = context;
  const { reason } = denial;
  log.note({ reason });
  const answer: (facts: never) => Answer = ANSWERS[reason];
  const { status, retryAfterSeconds, ...message } = answer(denial as never);
  const isPage = wantsPage(request);
  const headers: Record<string, string> = { "X-Reason": reason };
  if (retryAfterSeconds !== undefined) headers["Retry-After"] = String(retryAfterSeconds);
  if (reason === "password_wrong") headers["WWW-Authenticate"] = isPage ? FORM : BASIC;
  if (reason === "method_not_allowed") headers.Allow = denial.allowed;
  if (reason === "range_beyond_end") headers["Content-Range"] = `bytes */${denial.sizeBytes}`;
  const send = (type: string, text: string) =>
    driveAnswer(context, status, text, { ...headers, "Content-Type": `${type}; charset=utf-8` });
  if (reason === "depth_infinite") return send("application/xml", finiteDepthError());
  if (!isPage) {
    return send("text/plain", `${inLanguage(message, language)} [${reason} · ${log.requestId}]\n`);
  }
  headers["Content-Security-Policy"] = PAGE_POLICY;
  const mayEnter = ["password_wrong", "form_foreign"].includes(reason);
  const isUntried = reason === "password_wrong" && !denial.given;
  const page = passwordPage({
    look,
    action: mayEnter ? `/s/${encodeURIComponent(access.shareId)}/` : null,
    shareId: access.shareId,
    problem: isUntried ? null : message[look.language],
    requestId: log.requestId,
  });
  return send("text/html", page);
}

/** Returns whether the answer is for a person: browsers accept HTML when they navigate, tools do not. */
export function wantsPage({ method, headers }: Request): boolean {
  return ["GET", "HEAD", "POST"].includes(method) && (headers.get("Accept") ?? "").includes("text/html");
}
