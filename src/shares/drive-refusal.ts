/**
 * Why the drive refuses a request, and its answer (contract 8.6): a page for browsers, one line for tools. A wrong
 * password and an unknown share have the same reason, so that callers cannot distinguish them.
 */
import type { Bilingual } from "../base/language.ts";
import { PAGE_POLICY } from "../pages/frame.tsx";
import { type Look, lookOf } from "../pages/look.ts";
import { type DriveContext, driveHeaders } from "./context.ts";
import { passwordPage } from "./page/password-page.tsx";
import { finiteDepthError } from "./webdav.ts";

export type DriveDenial =
  /** The request has no password or a wrong one, or the share does not exist. */
  | { reason: "password_wrong"; given: boolean }
  | { reason: "password_locked"; retryAfterSeconds: number }
  | { reason: "form_foreign" }
  | { reason: "https_needed" }
  | { reason: "share_over"; why: "expired" | "revoked" | "plan_ended" | "account_disabled" }
  /** `bySymbol`: inside `by-symbol/`, with a name that no security's file can have. */
  | { reason: "not_found"; bySymbol?: boolean }
  | { reason: "method_not_allowed"; allowed: string }
  | { reason: "depth_infinite" }
  | { reason: "body_invalid" }
  | { reason: "condition_failed" }
  /** A range without `If-Range` of a replaced file: the client's part may belong to a different version. */
  | { reason: "version_unknown" }
  /** A range without `If-Range` of a file that is generated at every request. */
  | { reason: "no_ranges" }
  | { reason: "range_beyond_end"; sizeBytes: number }
  /** The limit of concurrent downloads is reached. */
  | { reason: "downloads_busy" }
  | { reason: "unavailable" };

/** HTTP status and message of a denial. */
interface Described {
  status: number;
  message: Bilingual;
}

/** Maps every denial of the drive to its status and message. */
export function describe(denial: DriveDenial): Described {
  switch (denial.reason) {
    case "password_wrong":
      return { status: 401, message: passwordMessage(denial.given) };
    case "password_locked": {
      const minutes = Math.ceil(denial.retryAfterSeconds / 60);
      return {
        status: 429,
        message: {
          zh: `此地址输错密码次数过多，请在 ${minutes} 分钟后再试。`,
          en: `Too many wrong passwords from this address; try again in ${minutes} min.`,
        },
      };
    }
    case "form_foreign":
      return {
        status: 403,
        message: { zh: "请在本页面上输入密码。", en: "Enter the password in the form on this page." },
      };
    case "https_needed":
      return { status: 403, message: { zh: "请改用 https 地址。", en: "Use the https address." } };
    case "share_over":
      return { status: 403, message: OVER[denial.why] };
    case "not_found":
      return { status: 404, message: denial.bySymbol ? NO_SECURITY : NO_PATH };
    case "method_not_allowed":
      return {
        status: 405,
        message: {
          zh: `此共享只读，可用：${denial.allowed}。`,
          en: `This share is read-only; accepted methods: ${denial.allowed}.`,
        },
      };
    case "depth_infinite":
      return { status: 403, message: { zh: "Depth 只能是 0 或 1。", en: "Depth must be 0 or 1." } };
    case "body_invalid":
      return {
        status: 400,
        message: {
          zh: "请求正文不是有效的 PROPFIND 文档；正文留空表示请求全部属性。",
          en: "The request body is not a valid PROPFIND document; an empty body requests all properties.",
        },
      };
    case "condition_failed":
      return {
        status: 412,
        message: {
          zh: "文件已更新，条件不成立。",
          en: "The file is not the version that the condition names.",
        },
      };
    case "version_unknown":
      return {
        status: 409,
        message: {
          zh: "文件近日被替换，无法确定已下载的部分属于哪一版：请删除该部分后重新下载，或带 If-Range 续传。",
          en: "The file was replaced, and the part that you have may belong to the old version: delete it and start again, or resume with If-Range.",
        },
      };
    case "no_ranges":
      return {
        status: 409,
        message: {
          zh: "此文件每次请求都重新生成，请整体下载。",
          en: "This file is generated for each request: download it whole.",
        },
      };
    case "range_beyond_end":
      return {
        status: 416,
        message: {
          zh: `文件共 ${denial.sizeBytes} 字节，所求范围不在其内。`,
          en: `The file has ${denial.sizeBytes} bytes, and the range begins at or after its end.`,
        },
      };
    case "downloads_busy":
      return {
        status: 503,
        message: {
          zh: "同时进行的下载过多：请等其中一些结束后重试，并减少并行连接数。",
          en: "Too many downloads are running: try again with fewer connections when some have ended.",
        },
      };
    case "unavailable":
      return {
        status: 503,
        message: {
          zh: "暂时不可用，请稍后重试。",
          en: "The service is temporarily unavailable; try again later.",
        },
      };
  }
}

function passwordMessage(given: boolean): Bilingual {
  return given
    ? { zh: "共享不存在或密码不正确。", en: "There is no such share, or the password is wrong." }
    : { zh: "此共享需要密码。", en: "This share needs its password." };
}

const NO_PATH: Bilingual = {
  zh: "此共享目前不包含该路径。",
  en: "This share does not contain that path at present.",
};

const NO_SECURITY: Bilingual = {
  zh: "没有这样的文件名；单只证券的文件名形如 600519.SH.parquet（委托）、600519.SH_trades.parquet（成交）、600519.SH_quotes.parquet（快照）。",
  en: "No file has this name. The files of a security are named like 600519.SH.parquet (orders), 600519.SH_trades.parquet and 600519.SH_quotes.parquet.",
};

const OVER: Record<Extract<DriveDenial, { reason: "share_over" }>["why"], Bilingual> = {
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
};

/**
 * Tools are asked for Basic credentials. A browser would then open its own dialog, which cannot explain anything.
 * Browsers therefore get a challenge of an unknown type and the page with a form.
 */
const BASIC = 'Basic realm="edgetape share", charset="UTF-8"';
const FORM = 'Edgetape-Form realm="edgetape share"';

/** Returns the answer to a denied request and logs the reason. */
export function refuse(context: DriveContext, denial: DriveDenial): Response {
  const { method, log } = context;
  const { status } = describe(denial);
  log.note({ reason: denial.reason });
  const forPeople = wantsPage(context);
  const headers = driveHeaders(log.requestId, { "X-Reason": denial.reason });
  switch (denial.reason) {
    case "password_wrong":
      headers.set("WWW-Authenticate", forPeople ? FORM : BASIC);
      break;
    case "password_locked":
      headers.set("Retry-After", String(denial.retryAfterSeconds));
      break;
    case "method_not_allowed":
      headers.set("Allow", denial.allowed);
      break;
    case "range_beyond_end":
      headers.set("Content-Range", `bytes */${denial.sizeBytes}`);
      break;
    case "downloads_busy":
    case "unavailable":
      headers.set("Retry-After", "5");
  }
  const { type, text } = bodyOf(context, denial, forPeople);
  headers.set("Content-Type", type);
  if (forPeople) headers.set("Content-Security-Policy", PAGE_POLICY);
  return new Response(method === "HEAD" ? null : text, { status, headers });
}

/** Returns whether the answer is for a person: browsers accept HTML when they navigate, tools do not. */
export function wantsPage({ method, request }: Pick<DriveContext, "method" | "request">): boolean {
  if (!["GET", "HEAD", "POST"].includes(method)) return false;
  return (request.headers.get("Accept") ?? "").includes("text/html");
}

/** Returns the language and theme that the sender chose; without a choice, the language is the browser's. */
export function lookFor({ request, language }: Pick<DriveContext, "request" | "language">): Look {
  return lookOf(request, language);
}

function bodyOf(
  context: DriveContext,
  denial: DriveDenial,
  forPeople: boolean,
): { type: string; text: string } {
  const { language, log, access } = context;
  const { message } = describe(denial);
  if (denial.reason === "depth_infinite") {
    return { type: "application/xml; charset=utf-8", text: finiteDepthError() };
  }
  if (!forPeople) {
    const sentence = language === "both" ? `${message.zh} ${message.en}` : message[language];
    return {
      type: "text/plain; charset=utf-8",
      text: `${sentence} [${denial.reason} · ${log.requestId}]\n`,
    };
  }
  const look = lookFor(context);
  const mayEnter = ["password_wrong", "form_foreign"].includes(denial.reason);
  const untried = denial.reason === "password_wrong" && !denial.given;
  const text = passwordPage({
    look,
    action: mayEnter ? `/s/${encodeURIComponent(access.shareId)}/` : null,
    shareId: access.shareId,
    problem: untried ? null : message[look.language],
    requestId: log.requestId,
  });
  return { type: "text/html; charset=utf-8", text };
}
