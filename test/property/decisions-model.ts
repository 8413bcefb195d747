/**
 * An independent model of the decisions about one day: which revision is served and in which state, which contents are
 * withdrawn, which packs are damaged, and which upload is open. Every step takes the service's answer and returns the
 * expected outcome. Revision numbers and ids are taken from the service's answers.
 */

/** The content of a pack. Packs with the same `content` have the same rows. */
export interface PackContent {
  content: string;
  degraded: boolean;
  /** Whether one bit of a block is flipped, so that the block contradicts its checksum in the pack. */
  isBroken?: boolean;
}

/** A pack stored in R2. */
export interface StoredPack extends PackContent {
  key: string;
}

/** The service's answer; `outcome` names the success or the reason of the refusal. */
export interface Seen {
  outcome: string;
  revision?: number | undefined;
  key?: string | undefined;
  uploadId?: string | undefined;
}

export interface Upload extends PackContent {
  /** The id of the upload; null until a step returns it. */
  id: string | null;
  /** The key of the pack that is adopted; null for an uploaded pack. */
  adopts: string | null;
  isForced: boolean;
  hasPart: boolean;
  /** `held`: complete, but it needs `force` to be published. */
  state: "uploading" | "held" | "served" | "ended" | "forgotten";
  /** Whether the day's current or an earlier content was published again after the upload began. */
  isOvertaken: boolean;
}

export type DayState = "available" | "withdrawn" | "damaged";

/** An operator's request to publish again a content that the day already has. */
export interface AgainAsk {
  revision: number;
  state?: DayState | undefined;
  content: "present" | "previous" | number;
}

export class DecisionsModel {
  /** The revisions, oldest first; the last one is the day's current revision. */
  readonly history: { revision: number; pack: StoredPack }[] = [];
  state: DayState = "available";
  readonly withdrawn = new Set<string>();
  readonly damaged = new Set<string>();
  /** Packs in R2 that are not in the catalog, by key. */
  readonly strays = new Map<string, StoredPack>();
  readonly uploads: Upload[] = [];
  readonly #isSmall: (content: string) => boolean;
  /** Whether a withdrawal is in force. */
  #isStanding = false;
  #newest = 0;

  constructor(isSmall: (content: string) => boolean) {
    this.#isSmall = isSmall;
  }

  get present(): { revision: number; pack: StoredPack } | undefined {
    return this.history.at(-1);
  }

  get open(): Upload | undefined {
    return this.uploads.find(({ state }) => state === "uploading" || state === "held");
  }

  begin(ask: PackContent & { force: boolean }, seen: Seen): string {
    const { content, degraded, isBroken = false, force } = ask;
    // Only the announced rows are compared. A pack with a flipped bit announces the same rows.
    const rows = { content, degraded };
    if (!force && this.state === "available" && isSame(this.present?.pack, rows)) return "served";
    const decision = this.#decisionAgainst(content, force);
    if (decision !== null) return decision;
    const { open } = this;
    if (open !== undefined && open.adopts === null && isSame(open, ask)) {
      open.isForced = force;
      open.id ??= seen.uploadId ?? null;
      return open.id === (seen.uploadId ?? open.id) ? "uploading" : "uploading, taken up again";
    }
    this.#openUpload({
      content,
      degraded,
      isBroken,
      isForced: force,
      id: seen.uploadId ?? null,
      adopts: null,
    });
    return "uploading";
  }

  part(upload: Upload, seen: Seen): string {
    switch (upload.state) {
      case "forgotten":
        return "absent";
      case "ended":
        return "upload_ended";
      case "served":
        // The answer depends on whether the next upload of the day has deleted the parts. Neither answer changes
        // anything.
        return seen.outcome === "upload_ended" ? "upload_ended" : "stored";
      default:
        upload.hasPart = true;
        return "stored";
    }
  }

  complete(upload: Upload, seen: Seen): string {
    if (upload.state === "forgotten") return "absent";
    if (upload.state === "ended") return "upload_ended";
    if (upload.state === "served") return "same";
    if (!upload.hasPart) return "parts_missing";
    return this.#settle(upload, seen);
  }

  /** Performs all steps of a publisher, as the commands do. */
  publish(ask: PackContent & { force: boolean }, seen: Seen): string {
    const { outcome } = seen;
    // The commands first ask without force, so that rows that are already served make no new revision.
    const unforced = this.begin({ ...ask, force: false }, { outcome });
    if (unforced === "served") return "same";
    const begun = ask.force ? this.begin(ask, { outcome }) : unforced;
    if (begun !== "uploading") return begun;
    const upload = this.open as Upload;
    this.part(upload, seen);
    const completed = this.complete(upload, seen);
    // The commands check the served content again, because another publisher may have published the same content.
    const isThere = this.state === "available" && isSame(this.present?.pack, ask);
    return completed === "other_publisher" && isThere ? "same" : completed;
  }

  adopt({ key, force }: { key: string; force: boolean }, seen: Seen): string {
    const pack = this.strays.get(key);
    if (pack === undefined) return this.#isKnown(key) ? "pack_known" : "absent";
    if (this.damaged.has(key)) return "pack_damaged";
    const decision = this.#decisionAgainst(pack.content, force);
    if (decision !== null) return decision;
    const { open } = this;
    if (open?.adopts !== key) {
      this.#openUpload({ ...pack, id: null, adopts: key, isForced: force });
    } else {
      open.isForced = force;
    }
    return this.#settle(this.open as Upload, seen);
  }

  withdraw(revision: number): string {
    const { present } = this;
    if (present === undefined) return "absent";
    if (present.revision !== revision) return "day_changed";
    if (this.state === "withdrawn") return "unchanged";
    this.state = "withdrawn";
    this.withdrawn.add(present.pack.content);
    this.#isStanding = true;
    this.#end(this.open);
    return "changed";
  }

  serveAgain({ revision, state, content }: AgainAsk, seen: Seen): string {
    const { present } = this;
    if (present === undefined) return "absent";
    if (present.revision !== revision || this.state !== (state ?? this.state)) return "day_changed";
    const pack = this.#packOf(content, present.pack);
    if (pack === undefined) return typeof content === "number" ? "absent" : "nothing_to_restore";
    if (this.damaged.has(pack.key)) return "pack_damaged";
    this.withdrawn.delete(pack.content);
    if (this.open !== undefined) this.open.isOvertaken = true;
    return this.#serve(pack, seen, "changed");
  }

  /** Records that a reader received a block with a wrong checksum. */
  damage(): void {
    this.state = "damaged";
    this.damaged.add(this.present?.pack.key ?? "");
  }

  /** Records that the catalog was restored to a state without this pack and these uploads. */
  forget(pack: StoredPack, uploadIds: ReadonlySet<string>): void {
    const kept = this.history.filter((each) => each.pack.key !== pack.key);
    this.history.splice(0, this.history.length, ...kept);
    for (const upload of this.uploads) if (uploadIds.has(upload.id ?? "")) upload.state = "forgotten";
    this.strays.set(pack.key, pack);
  }

  #packOf(content: AgainAsk["content"], present: StoredPack): StoredPack | undefined {
    if (content === "present") return present;
    if (typeof content === "number") return this.history.find(({ revision }) => revision === content)?.pack;
    const first = this.history.findIndex(({ pack }) => pack.content === present.content);
    const isFit = ({ pack }: { pack: StoredPack }) =>
      !this.withdrawn.has(pack.content) && !this.damaged.has(pack.key);
    return this.history.slice(0, first).findLast(isFit)?.pack;
  }

  #isKnown(key: string): boolean {
    return this.history.some(({ pack }) => pack.key === key);
  }

  #decisionAgainst(content: string, isForced: boolean): string | null {
    if (this.withdrawn.has(content)) return "content_withdrawn";
    return this.#isStanding && !isForced ? "target_withdrawn" : null;
  }

  #openUpload(said: Pick<Upload, "content" | "degraded" | "isBroken" | "id" | "adopts" | "isForced">): void {
    this.#end(this.open);
    const isThere = said.adopts !== null;
    const state = isThere ? ("held" as const) : ("uploading" as const);
    this.uploads.push({ ...said, state, hasPart: isThere, isOvertaken: false });
  }

  #end(upload: Upload | undefined): void {
    if (upload !== undefined) upload.state = "ended";
  }

  /** Decides the outcome of a complete upload. */
  #settle(upload: Upload, seen: Seen): string {
    const { content, degraded, isForced } = upload;
    if (upload.isBroken) {
      this.#end(upload);
      return "content_wrong";
    }
    upload.state = "held";
    const before = this.present?.pack.content;
    const isLess = before !== undefined && !this.#isSmall(before) && this.#isSmall(content);
    if (isLess && !isForced) return "shrunk";
    const decision = this.#decisionAgainst(content, isForced);
    if (decision !== null) return decision;
    if (upload.isOvertaken) {
      this.#end(upload);
      return "other_publisher";
    }
    const key = upload.adopts ?? seen.key ?? "";
    upload.state = "served";
    this.strays.delete(key);
    return this.#serve({ key, content, degraded }, seen, "new");
  }

  #serve(pack: StoredPack, { revision = 0 }: Seen, outcome: string): string {
    if (revision <= this.#newest) return `${outcome}, with a number above ${this.#newest}`;
    this.#newest = revision;
    this.history.push({ revision, pack });
    this.state = "available";
    this.#isStanding = false;
    return outcome;
  }
}

function isSame(a: PackContent | undefined, b: PackContent): boolean {
  return (
    a?.content === b.content && a.degraded === b.degraded && (a.isBroken ?? false) === (b.isBroken ?? false)
  );
}
