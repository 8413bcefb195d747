/** The page of codes and reasons with advice, built from the outcomes that the service uses. */
import { type Block, type DocsLanguage, heading, list, note, type PageText, table, text } from "../block.ts";
import { REFUSALS } from "../openapi/refusals.ts";
import { ADVICE } from "./advice.ts";

/** Returns the table of all reasons in `language` with its column headings. */
function reasons(language: DocsLanguage, head: readonly string[]): Block {
  const rows = REFUSALS.map(({ reason, code, status, retryAfterSeconds }) => {
    const statuses =
      status.json === status.parquet ? `${status.json}` : `${status.json}\u00a0/\u00a0${status.parquet}`;
    const wait = retryAfterSeconds === null ? "–" : `${retryAfterSeconds}\u00a0s`;
    return [`\`${reason}\``, String(code), statuses, wait, ADVICE[reason][language]];
  });
  return table(head, rows);
}

export const zh: PageText = {
  title: "错误与处理",
  lead: "code 说结果，reason 说原因，消息说该怎么办。",
  blocks: [
    table(
      ["code", "含义", "该不该重试"],
      [
        ["`200`", "成功", "–"],
        ["`1002`", "没有数据", "看原因：`not_loaded` 晚些有，其余多半不会有"],
        ["`403`", "没有权限", "不要重试"],
        ["`422`", "参数错误", "改正后再来，不要原样重试"],
        ["`429`", "额度用完，或超过每秒限速", "有 `Retry-After` 才等；没有就等零点"],
        ["`503`", "占用中，或暂时不可用", "按 `Retry-After` 等；没有则不必重试"],
      ],
    ),
    text(
      "每条拒绝的消息都以 `[原因 · 请求编号]` 结尾，原因也在 `X-Reason` 头里。消息语言跟随 `Accept-Language`；没有时先中文后英文。联系客服时给出请求编号。",
    ),
    heading("reasons", "全部原因"),
    text("HTTP 列有两个数时，前者为 JSON 请求，后者为 `format: parquet`。"),
    reasons("zh", ["原因", "code", "HTTP", "等待", "怎么办"]),
    heading("clients", "写自己的客户端时"),
    list(
      "先看 HTTP 429、503 的 `Retry-After`，再看 `code`；403 和 422 永远不要自动重试。",
      "连接中断可以重试同一请求；已受理的会再计一次。",
      "每个应答都读到底，或关闭连接：一个账户未读完的应答最多占 16 MB，超过为 503 `unavailable`，不计费；有人等待时，5 秒不读的应答会被断开。",
      "保存 Parquet 前检查状态码、`Content-Type`（`application/vnd.apache.parquet`）和长度：传输中断的文件一定短于 `Content-Length`。",
    ),
    note(
      "不存在的地址是 HTTP 404，正文的 code 为 422、原因 `not_found`；浏览器（`Accept` 优先 `text/html`）得到一个页面。",
    ),
    note("机器可读的全部原因、状态和示例消息在 [/openapi.json](/openapi.json)。"),
  ],
};

export const en: PageText = {
  title: "Errors and what to do",
  lead: "The code gives the outcome, the reason says why, and the message says what to do.",
  blocks: [
    table(
      ["code", "Meaning", "Try again?"],
      [
        ["`200`", "Served", "–"],
        ["`1002`", "No data", "Depends on the reason: `not_loaded` may come later, most others never"],
        ["`403`", "Not allowed", "No"],
        ["`422`", "Wrong parameter", "Correct it first; the same request fails again"],
        [
          "`429`",
          "Quota used up, or per-second limit exceeded",
          "Only with `Retry-After`; without it, wait for midnight",
        ],
        ["`503`", "Busy, or temporarily unavailable", "After `Retry-After`; without it, a retry cannot help"],
      ],
    ),
    text(
      "The message of every refusal ends with `[reason · request id]`; the reason is in `X-Reason` too. Messages are in the language of `Accept-Language`; without it, they are in Chinese followed by English. Tell support the request id.",
    ),
    heading("reasons", "All reasons"),
    text("Where HTTP has two numbers, the first is for JSON requests, the second for `format: parquet`."),
    reasons("en", ["Reason", "code", "HTTP", "Wait", "What to do"]),
    heading("clients", "When you write a client"),
    list(
      "Look at `Retry-After` of HTTP 429 and 503 first, then at `code`; never retry 403 and 422 automatically.",
      "After a broken connection, the same request may be sent again; each accepted request is counted.",
      "Read each answer to its end, or close its connection. The unread answers of an account may hold at most 16 MB; beyond that, requests get 503 `unavailable`, which is not charged. An answer that is not read for 5 s is aborted if other requests are waiting.",
      "Before you save Parquet, check the status, the `Content-Type` (`application/vnd.apache.parquet`) and the length: a file whose connection broke is always shorter than `Content-Length`.",
    ),
    note(
      "A path that does not exist returns HTTP 404; the body has code 422 and the reason `not_found`. A browser (`Accept` prefers `text/html`) gets a page.",
    ),
    note("For machines, [/openapi.json](/openapi.json) has all reasons, statuses and example messages."),
  ],
};
