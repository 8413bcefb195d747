/**
 * Writes a day pack: the sections in order, the index region and one global footer over all row groups
 * (`src/packs/README.md`). Everything except the origin depends on the rows only: equal rows give equal build ids, and
 * equal rows from the same files give equal bytes.
 */
import { createHash } from "node:crypto";
import type { BeijingDate } from "../calendar/beijing.ts";
import type { Dataset } from "../datasets/dataset.ts";
import { DATASETS, type DatasetName } from "../datasets/registry.ts";
import { encodeIndexRegion } from "../packs/index-region.ts";
import type { DayIndex, SectionEntry } from "../packs/layout.ts";
import { accountingGap, type PackOrigin } from "../packs/origin.ts";
import { madeOrigin } from "./accounting.ts";
import type { PackSink } from "./pack-sink.ts";
import { footerPieces, rowGroupsMetadata } from "./parquet/footer.ts";
import type { WrittenSection } from "./section-writer.ts";

const BUILD_ID_DIGITS = 32;

export class PackWriter {
  private readonly tradedate: BeijingDate;
  private readonly sink: PackSink;
  private readonly name: DatasetName;
  private readonly dataset: Dataset;
  private readonly entries: SectionEntry[] = [];
  /** The metadata of the row groups of each section. */
  private rowGroups: Uint8Array[] = [];
  private readonly content = createHash("sha256");
  private rowGroupCount = 0;
  private offset = 0;
  private rows = 0;

  /** Creates a writer that writes the pack of `dataset` on the day `tradedate` to `sink`. */
  constructor(tradedate: BeijingDate, sink: PackSink, dataset: DatasetName = "orders") {
    this.tradedate = tradedate;
    this.sink = sink;
    this.name = dataset;
    this.dataset = DATASETS[dataset];
  }

  /** Appends a section. Sections must be sorted by symbol, then market; `finish` refuses any other order. */
  async append({ entry, bytes, groups }: WrittenSection): Promise<void> {
    this.entries.push({ ...entry, offset: this.offset });
    this.rowGroups.push(rowGroupsMetadata(groups, this.offset, this.dataset));
    this.rowGroupCount += groups.length;
    this.content.update(`${entry.symbol}.${entry.market} ${entry.length}\n`);
    this.content.update(bytes);
    this.rows += entry.rows;
    if (bytes.length > 0) await this.write(bytes);
  }

  private async write(bytes: Uint8Array): Promise<void> {
    this.offset += bytes.length;
    await this.sink.write(bytes);
  }

  /**
   * Completes the pack and returns its index and its size in bytes. `origin` describes where the rows come from. When
   * it is absent, the rows count as generated; `null` writes index format 2, which has no origin. Throws when the pack
   * has no rows or the row accounting of `origin` does not add up.
   */
  async finish(
    origin: PackOrigin | null = madeOrigin(this.rows),
  ): Promise<{ index: DayIndex; sizeBytes: number }> {
    if (this.rows === 0) throw new Error(`a pack needs at least one ${this.dataset.row}`);
    const gap = origin === null ? null : accountingGap(origin, this.rows);
    if (gap !== null) throw new Error(gap);
    const buildId = this.content.update(this.tradedate).digest("hex").slice(0, BUILD_ID_DIGITS);
    const index = { dataset: this.name, tradedate: this.tradedate, buildId, entries: this.entries, origin };
    const region = encodeIndexRegion(index);
    await this.write(region);
    for (const piece of footerPieces(this.rows, this.rowGroupCount, this.rowGroups, this.dataset)) {
      await this.write(piece);
    }
    // The sink may verify the pack, which needs the memory.
    this.rowGroups = [];
    await this.sink.finish();
    return { index, sizeBytes: this.offset };
  }
}
