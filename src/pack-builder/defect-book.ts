/** Collects the defects of a delivery by kind, each with the place of its first occurrence. */
import type { DatasetName } from "../datasets/registry.ts";
import { DEFECT_KINDS, type DefectKind, type DefectTally, defectText } from "./parse/defects.ts";

export interface Place {
  file: string;
  /** The line number, from 1; 0 when the whole file or folder is meant. */
  line: number;
}

export interface DefectEntry {
  kind: DefectKind;
  words: string;
  count: number;
  first: Place;
}

export class DefectBook {
  private readonly entries = new Map<DefectKind, DefectEntry>();
  private readonly dataset: DatasetName;

  /** Creates an empty collection for files of `dataset`. */
  constructor(dataset: DatasetName) {
    this.dataset = dataset;
  }

  /**
   * Adds `count` defects of `kind`; `first` is the place of the first one. Call it in the order of the delivery,
   * because the report shows the place from the first call for a kind.
   */
  add(kind: DefectKind, count: number, first: Place): void {
    const known = this.entries.get(kind);
    if (known !== undefined) known.count += count;
    else this.entries.set(kind, { kind, words: defectText(kind, this.dataset), count, first });
  }

  /** Adds the defects of a chunk of `file`; `linesBefore` is the number of lines before the chunk. */
  addTally({ counts, firstLines }: DefectTally, file: string, linesBefore: number): void {
    DEFECT_KINDS.forEach((kind, number) => {
      const count = counts[number] ?? 0;
      if (count > 0) this.add(kind, count, { file, line: linesBefore + (firstLines[number] ?? 0) });
    });
  }

  /** Returns all defects in the order of `DEFECT_KINDS`. */
  list(): DefectEntry[] {
    return DEFECT_KINDS.flatMap((kind) => this.entries.get(kind) ?? []);
  }
}
