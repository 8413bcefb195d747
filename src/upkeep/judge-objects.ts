/** Compares the objects in R2 with the catalog. */
import type { KnownObject } from "../catalog/upkeep.ts";

/** An object as R2 lists it. */
export interface StoredObject {
  key: string;
  etag: string;
  size: number;
  /** Unix milliseconds. */
  uploadedMs: number;
}

export interface Judgement {
  /** In the catalog but not in R2. */
  missing: KnownObject[];
  /** In R2 with other bytes than in the catalog. */
  changed: { known: KnownObject; stored: StoredObject }[];
  /** Replaced more than 7 days ago. */
  expired: KnownObject[];
  /** Left over from uploads that ended without being served. */
  unserved: { known: KnownObject; stored: StoredObject }[];
  /** In R2 but not in the catalog. */
  unknown: StoredObject[];
}

/** Compares both. Every object of R2 and every kept one of the catalog is in one of the lists or correct. */
export function judgeObjects(
  known: ReadonlyMap<string, KnownObject>,
  stored: Iterable<StoredObject>,
): Judgement {
  const judged: Judgement = { missing: [], changed: [], expired: [], unserved: [], unknown: [] };
  const there = new Set<string>();
  for (const object of stored) {
    there.add(object.key);
    const of = known.get(object.key);
    if (of === undefined) judged.unknown.push(object);
    else if (of.duty === "expired") judged.expired.push(of);
    else if (of.duty === "unserved") judged.unserved.push({ known: of, stored: object });
    else if (isNeeded(of) && (of.etag !== object.etag || of.sizeBytes !== object.size)) {
      judged.changed.push({ known: of, stored: object });
    }
  }
  for (const of of known.values()) if (isNeeded(of) && !there.has(of.objectKey)) judged.missing.push(of);
  return judged;
}

function isNeeded({ duty }: KnownObject): boolean {
  return duty === "kept" || duty === "spare";
}
