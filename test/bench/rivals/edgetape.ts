/** The service's own reader, in the same process as the rivals: it reads a page or a section from the file. */
import { open } from "node:fs/promises";
import { DATASETS } from "../../../src/datasets/registry.ts";
import { readOrderPage } from "../../../src/packs/order-page.ts";
import type { PackObject } from "../../../src/packs/read-range.ts";
import { SectionCheck } from "../../../src/packs/section-check.ts";
import type { Rival, RivalSetting, RowsAsk } from "./rival.ts";

const PIECE_BYTES = 256 * 1024;

/** `rows` returns any part of the day. Unlike some rivals, it needs no row numbers. */
export interface Edgetape extends Rival {
  rows(ask: Pick<RowsAsk, "from" | "endTime" | "limit">): Promise<Uint8Array>;
}

export function edgetape({ day }: Pick<RivalSetting, "day">): Edgetape {
  const { pack, entry, columns } = day;
  const dataset = DATASETS[day.dataset];
  const object: PackObject = { objectKey: day.path, etag: "0", tradedate: pack.index.tradedate };
  const get = async (_key: string, { range }: { range: { offset: number; length: number } }) => ({
    body: null,
    arrayBuffer: async () => (await pack.read(range.offset, range.length)).buffer,
  });
  const bucket = { get } as unknown as R2Bucket;
  return {
    name: "edgetape",
    async rows({ from, endTime, limit }) {
      const ask = { position: from, endTime, pageSize: limit, columns };
      const page = await readOrderPage(bucket, object, entry, ask, { dataset });
      if (!page.ok) throw new Error(page.refusal.reason);
      return Buffer.concat(page.value.items);
    },
    async parquet(_symbol, path) {
      const file = await open(path, "w");
      const check = new SectionCheck(entry);
      for (let at = 0; at < entry.length; at += PIECE_BYTES) {
        const piece = await pack.read(entry.offset + at, Math.min(PIECE_BYTES, entry.length - at));
        check.push(piece);
        await file.write(piece);
      }
      check.finish();
      await file.close();
    },
  };
}
