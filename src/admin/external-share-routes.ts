/** `/admin/external`: drives elsewhere that are answered in the place of ours. */
import { Hono } from "hono";
import type * as z from "zod";
import { beijingTimestamp } from "../calendar/beijing.ts";
import {
  clearExternalShare,
  type ExternalLink,
  type ExternalShare,
  externalShares,
  setExternalShare,
} from "../catalog/external-shares.ts";
import { settingsOf } from "../env.ts";
import { type Drive, sealPassword } from "../shares/sealed-password.ts";
import { type AdminContext, type AdminEnv, answer, bodyOf, byOf, isRefusal, parsed } from "./exchange.ts";
import type { AdminRefusal } from "./refusal.ts";
import { dataTypeSchema, type ExternalList, type ExternalSummary, externalShareSchema } from "./wire.ts";
import { yearSchema } from "./wire-fields.ts";

/** The routes below `/admin/external`. */
export function externalShareRoutes(): Hono<AdminEnv> {
  return new Hono<AdminEnv>()
    .get("/", async (c) => answer(c, await list(c)))
    .put("/:type/:year", async (c) => answer(c, await set(c)))
    .post("/:type/:year/clear", async (c) => answer(c, await clear(c)));
}

async function list(c: AdminContext): Promise<ExternalList> {
  return { external: (await externalShares(c.env.DB)).map(summaryOf) };
}

async function set(c: AdminContext): Promise<ExternalList | AdminRefusal> {
  const drive = driveOf(c);
  if (isRefusal(drive)) return drive;
  const body = await bodyOf(c, externalShareSchema);
  if (isRefusal(body)) return body;
  const { link, ...coverage } = body;
  for (const day of [coverage.firstDay, coverage.lastDay]) {
    if (Number(day.slice(0, 4)) !== drive.year) return { reason: "day_of_other_year", day, year: drive.year };
  }
  const sealed = link === null ? null : await sealedLink(c, drive, link);
  await setExternalShare(c.env.DB, { ...drive, ...coverage, link: sealed }, byOf(c));
  return list(c);
}

type Link = NonNullable<z.output<typeof externalShareSchema>["link"]>;

async function sealedLink(c: AdminContext, drive: Drive, link: Link): Promise<ExternalLink> {
  const { SHARE_SECRET } = settingsOf(c.env);
  const password = await sealPassword(SHARE_SECRET, drive, link.password);
  return { url: link.url, expiresAtMs: link.expires, ...password };
}

async function clear(c: AdminContext): Promise<ExternalList | AdminRefusal> {
  const drive = driveOf(c);
  if (isRefusal(drive)) return drive;
  const cleared = await clearExternalShare(c.env.DB, drive, byOf(c));
  if (!cleared) return { reason: "absent", what: `external drive of ${drive.dataType} ${drive.year}` };
  return list(c);
}

function driveOf(c: AdminContext): Drive | AdminRefusal {
  const dataType = parsed(dataTypeSchema, c.req.param("type"), "The type in the path");
  if (typeof dataType !== "string") return dataType;
  const year = parsed(yearSchema, c.req.param("year"), "The year in the path");
  return typeof year === "number" ? { dataType, year } : year;
}

function summaryOf({ link, setAtMs, ...share }: ExternalShare): ExternalSummary {
  return {
    ...share,
    link: link && {
      url: link.url,
      expiresAt: beijingTimestamp(link.expiresAtMs),
      secretVersion: link.secretVersion,
    },
    setAt: beijingTimestamp(setAtMs),
  };
}
