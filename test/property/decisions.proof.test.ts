/**
 * Runs random sequences of all actions that change what a day serves, each sequence on a separate day of the real
 * service. Checks after every step that the service serves, shows and refuses what the model predicts.
 */
import { afterAll, describe, expect, it } from "vitest";
import { PART_SHA256_HEADER } from "../../src/admin/wire.ts";
import { addDays, type BeijingDate } from "../../src/calendar/beijing.ts";
import { AdminClient } from "../../src/cli/admin-client.ts";
import { ServiceRefusal } from "../../src/cli/exit.ts";
import { publishPack } from "../../src/cli/publish-command.ts";
import { DATASET_NAMES, DATASETS, type DatasetName } from "../../src/datasets/registry.ts";
import type { PackFile } from "../../src/pack-builder/pack-file.ts";
import { packObjectKey } from "../../src/packs/layout.ts";
import { locateIndex } from "../../src/packs/locate.ts";
import { day, order, security } from "../support/builders.ts";
import { priceField } from "../support/dataset-days.ts";
import type { Answer } from "../support/http-client.ts";
import { account, sha256 } from "../support/operator.ts";
import { packOf } from "../support/packs.ts";
import { orderHistory, pageOf } from "../support/paging.ts";
import { printedRandom, type Random, randomFrom } from "../support/random.ts";
import { startService } from "../support/service.ts";
import { proofSize } from "../support/tier.ts";
import {
  DecisionsModel,
  type PackContent,
  type Seen,
  type StoredPack,
  type Upload,
} from "./decisions-model.ts";

const SEQUENCES = proofSize(100);
const STEPS = 20;

const service = await startService();
const client = new AdminClient({ baseUrl: service.baseUrl, token: service.adminToken });
const key = (await account(service, { plan: "flagship", limits: { requests: null } })).key;
afterAll(() => service.stop());

/** The possible contents of a day, each with the price of its orders in yuan. `small` lacks one security. */
const PRICES = { first: 10, second: 20, small: 30 };
const CONTENTS = Object.keys(PRICES) as (keyof typeof PRICES)[];

interface Content {
  file: PackFile;
  bytes: Uint8Array<ArrayBuffer>;
  /** The same pack with one bit of a block flipped. */
  broken: Uint8Array<ArrayBuffer>;
}

async function contentOf(
  tradedate: string,
  name: keyof typeof PRICES,
  dataset: DatasetName,
): Promise<Content> {
  const priced = { priceE4: 10_000 * PRICES[name] };
  const securities = [security("600519", [order("093000000", priced), order("093000010", priced)])];
  if (name !== "small") securities.push(security("300750", [order("091500000", priced)]));
  const { bytes, entryOf } = await packOf(day({ tradedate, securities }), dataset);
  const { offset, length, footerLength } = entryOf("600519");
  const broken = bytes.slice();
  const middle = offset + Math.floor((length - footerLength) / 2);
  broken[middle] = (broken[middle] ?? 0) ^ 1;
  const read = async (from: number, count: number) => bytes.slice(from, from + count);
  const located = await locateIndex(bytes.length, read, [dataset]);
  const file = {
    ...{ ...located, sizeBytes: bytes.length, read, sha256: async () => sha256(bytes) },
    ...{ close: async () => {}, [Symbol.asyncDispose]: async () => {} },
  };
  return { file, bytes, broken };
}

/** Returns the outcome of an admin answer. For a success, `done` derives it from the body. */
function seenOf<Body>(answer: Answer, done: (body: Body) => Seen): Seen {
  const body = JSON.parse(answer.text);
  return answer.status === 200
    ? done(body)
    : { outcome: body.reason ?? `HTTP ${answer.status} ${answer.text}` };
}

interface Published {
  newRevision: boolean;
  day: { dataset?: DatasetName | undefined; tradedate: BeijingDate; revision: number };
}

const publishedOf = ({ newRevision, day: { dataset, tradedate, revision } }: Published): Seen => ({
  outcome: newRevision ? "new" : "same",
  revision,
  key: packObjectKey(tradedate, revision, dataset ?? "orders"),
});

/** One day of a dataset, its publishers, operators and readers, and the model. */
class Sequence {
  readonly #random: Random;
  readonly #tradedate: BeijingDate;
  readonly #dataset: DatasetName;
  readonly #contents: Map<string, Content>;
  readonly #model = new DecisionsModel((content) => content === "small");
  /** The steps and their outcomes, for the failure message. */
  readonly #story: string[] = [];
  /** The delivery in the drop folder for `nightly`. */
  #delivered: PackContent = { content: "first", degraded: false };
  #last = this.#delivered;

  constructor(
    random: Random,
    { tradedate, dataset }: { tradedate: BeijingDate; dataset: DatasetName },
    contents: Map<string, Content>,
  ) {
    this.#random = random;
    this.#tradedate = tradedate;
    this.#dataset = dataset;
    this.#contents = contents;
  }

  async run(): Promise<void> {
    for (let n = 0; n < STEPS; n++) {
      await this.#random.pick(this.#fitting())();
      await this.#check();
    }
    // Withdraws the day, so that the service does not compare the days of later sequences with this day.
    const { present } = this.#model;
    if (present !== undefined) await this.#withdraw(present.revision);
    await this.#check();
    await this.#checkStrays();
  }

  /**
   * Returns the steps to choose from, each repeated as often as its weight. Steps that can change something now are
   * more frequent.
   */
  #fitting(): (() => Promise<void>)[] {
    const { present, state, open, strays, history } = this.#model;
    const isAny = this.#random.chance(0.15);
    const isLoaded = isAny || present !== undefined;
    const isServed = isAny || (present !== undefined && state !== "withdrawn");
    const isSending = open !== undefined && open.adopts === null;
    const isRich = history.some(({ pack }) => pack.key !== present?.pack.key);
    const steps: [boolean, number, () => Promise<void>][] = [
      [true, 14, () => this.#publish(this.#somePack(), this.#random.chance(0.4))],
      [true, 8, () => this.#nightly()],
      [true, 14, () => this.#begin()],
      [isAny || (isSending && !open.hasPart), 20, () => this.#part()],
      [isAny || (isSending && open.hasPart), 24, () => this.#complete()],
      [isServed, 14, () => this.#withdraw()],
      [isLoaded, 10, () => this.#restore()],
      [isLoaded, 6, () => this.#publishAgain()],
      [state === "available" && present !== undefined, 8, () => this.#damage()],
      [isRich, 12, () => this.#forget()],
      [isAny || strays.size > 0, 18, () => this.#adopt()],
    ];
    return steps.flatMap(([fits, weight, step]) => (fits ? Array.from({ length: weight }, () => step) : []));
  }

  /** Returns a new random pack, or in 35 % of calls the same pack as last time, because operators repeat commands. */
  #somePack(): PackContent {
    if (!this.#random.chance(0.35)) {
      this.#last = { content: this.#random.pick(CONTENTS), degraded: this.#random.chance(0.1) };
    }
    return this.#last;
  }

  #told(step: string, seen: Seen, expected: string): void {
    this.#story.push(`${step}: ${seen.outcome}`);
    expect(seen.outcome, this.#story.join("\n")).toBe(expected);
  }

  async #publish(pack: PackContent, force: boolean): Promise<void> {
    const { file } = this.#content(pack);
    const seen = await publishPack(client, file, { degraded: pack.degraded, force }).then(
      publishedOf,
      (error: unknown) => {
        if (!(error instanceof ServiceRefusal)) throw error;
        return { outcome: error.refused.reason ?? error.message };
      },
    );
    const expected = this.#model.publish({ ...pack, force }, seen);
    this.#told(`publish ${nameOf(pack)}${force ? " --force" : ""}`, seen, expected);
  }

  /** Publishes the delivery as `nightly` does at each run; sometimes a new delivery arrives first. */
  async #nightly(): Promise<void> {
    if (this.#random.chance(0.3)) this.#delivered = this.#somePack();
    await this.#publish(this.#delivered, false);
  }

  async #begin(): Promise<void> {
    const pack = { ...this.#somePack(), isBroken: this.#random.chance(0.15) };
    const force = this.#random.chance(0.5);
    const { file, bytes } = this.#content(pack);
    const { buildId, entries } = file.index;
    const answer = await this.#post("uploads", {
      sizeBytes: bytes.length,
      sha256: sha256(bytes),
      buildId,
      rows: entries.reduce((sum, entry) => sum + entry.rows, 0),
      securities: entries.length,
      degraded: pack.degraded,
      force,
    });
    const seen = seenOf(answer, ({ state, uploadId }: { state: string; uploadId?: string }) => ({
      outcome: state,
      uploadId,
    }));
    this.#told(
      `begin ${nameOf(pack)}${force ? " --force" : ""}`,
      seen,
      this.#model.begin({ ...pack, force }, seen),
    );
  }

  async #part(): Promise<void> {
    const upload = this.#someUpload();
    if (upload === undefined) return;
    const { bytes } = this.#content(upload);
    const path = this.#path(`/uploads/${upload.id}/parts/1`);
    const answer = await service.admin("PUT", path, bytes, { [PART_SHA256_HEADER]: sha256(bytes) });
    const seen = seenOf(answer, () => ({ outcome: "stored" }));
    this.#told(`part of ${nameOf(upload)}`, seen, this.#model.part(upload, seen));
  }

  async #complete(): Promise<void> {
    const upload = this.#someUpload();
    if (upload === undefined) return;
    const seen = seenOf(await this.#post(`uploads/${upload.id}/complete`), publishedOf);
    this.#told(`complete ${nameOf(upload)}`, seen, this.#model.complete(upload, seen));
  }

  /** Returns a random upload, usually the open one; undefined when there is none. */
  #someUpload(): Upload | undefined {
    const named = this.#model.uploads.filter(({ id }) => id !== null);
    const open = named.filter(({ state }) => state === "uploading" || state === "held");
    const some = open.length > 0 && this.#random.chance(0.8) ? open : named;
    return some.length === 0 ? undefined : this.#random.pick(some);
  }

  /** Returns the revision that the operator saw, usually the current one. */
  #seenRevision(): number {
    const present = this.#model.present?.revision ?? 1;
    return this.#random.chance(0.9) ? present : this.#random.integer(1, present + 1);
  }

  async #withdraw(revision = this.#seenRevision()): Promise<void> {
    const answer = await this.#post("withdraw", { revision, note: "the exchange asked us to" });
    const seen = seenOf(answer, changedOf);
    this.#told(`withdraw ${revision}`, seen, this.#model.withdraw(revision));
  }

  async #restore(): Promise<void> {
    const ask = { revision: this.#seenRevision(), state: this.#seenState() };
    const newest = this.#model.present?.revision ?? 1;
    const to = this.#random.chance(0.6) ? this.#random.integer(1, newest) : undefined;
    const seen = seenOf(await this.#post("restore", { ...ask, to }), changedOf);
    const expected = this.#model.serveAgain({ ...ask, content: to ?? "previous" }, seen);
    this.#told(`restore ${ask.revision} to ${to ?? "the previous content"}`, seen, expected);
  }

  async #publishAgain(): Promise<void> {
    const ask = { revision: this.#seenRevision(), state: this.#seenState() };
    const seen = seenOf(await this.#post("publish", ask), changedOf);
    const expected = this.#model.serveAgain({ ...ask, content: "present" }, seen);
    this.#told(`publish ${ask.revision} again`, seen, expected);
  }

  #seenState() {
    const { state } = this.#model;
    return this.#random.pick([
      undefined,
      state,
      state,
      this.#random.pick(["available", "withdrawn"] as const),
    ]);
  }

  /**
   * Lets a reader receive a block with a wrong checksum. The bytes are restored afterwards, so that only the damage
   * mark remains.
   */
  async #damage(): Promise<void> {
    const { present } = this.#model;
    if (present === undefined) return;
    const { pack } = present;
    const { bytes, broken } = this.#content(pack);
    await this.#overwrite(pack, broken);
    let answer = await this.#read();
    while (answer.reason === "unavailable") answer = await this.#read();
    expect(answer.reason).toBe("day_damaged");
    await this.#overwrite(pack, bytes);
    this.#model.damage();
    this.#story.push(`damage of revision ${present.revision}`);
  }

  /** Replaces the bytes of a pack's object, keeps its metadata, and updates its etag in the catalog. */
  async #overwrite({ key: objectKey }: StoredPack, bytes: Uint8Array): Promise<void> {
    const bucket = await service.mf.getR2Bucket("PACKS");
    const customMetadata = (await bucket.head(objectKey))?.customMetadata ?? {};
    const { etag } = await bucket.put(objectKey, bytes, { customMetadata });
    const db = await service.mf.getD1Database("DB");
    await db.exec(`UPDATE day_packs SET etag = '${etag}' WHERE object_key = '${objectKey}'`);
  }

  /** Removes an earlier pack from the catalog, as restoring an older backup does. Decisions about its content stay. */
  async #forget(): Promise<void> {
    const { history, present } = this.#model;
    const earlier = history.map(({ pack }) => pack).filter((pack) => pack.key !== present?.pack.key);
    if (earlier.length === 0) return;
    const pack = this.#random.pick(earlier);
    const db = await service.mf.getD1Database("DB");
    const results = await db.batch<{ uploadId: string }>(
      [
        "DELETE FROM day_revisions WHERE pack_id IN (SELECT pack_id FROM day_packs WHERE object_key = ?1)",
        "DELETE FROM day_packs WHERE object_key = ?1",
        "DELETE FROM uploads WHERE object_key = ?1 RETURNING upload_id AS uploadId",
      ].map((sql) => db.prepare(sql).bind(pack.key)),
    );
    this.#model.forget(pack, new Set(results.at(-1)?.results.map(({ uploadId }) => uploadId)));
    this.#story.push(`the catalog forgets ${pack.key} (${nameOf(pack)})`);
  }

  async #adopt(): Promise<void> {
    const { strays, history } = this.#model;
    const known = history.map(({ pack }) => pack.key);
    const nowhere = packObjectKey(this.#tradedate, 999, this.#dataset);
    const some = strays.size > 0 && this.#random.chance(0.85) ? [...strays.keys()] : [...known, nowhere];
    const ask = { objectKey: this.#random.pick(some), force: this.#random.chance(0.5) };
    this.#last = strays.get(ask.objectKey) ?? this.#last;
    const seen = seenOf(await this.#post("adopt", ask), publishedOf);
    const expected = this.#model.adopt({ key: ask.objectKey, force: ask.force }, seen);
    this.#told(`adopt ${ask.objectKey}${ask.force ? " --force" : ""}`, seen, expected);
  }

  /** Checks what operators see and what customers receive. */
  async #check(): Promise<void> {
    const { present, history, state, withdrawn, damaged } = this.#model;
    const story = this.#story.join("\n");
    const shown = await service.admin("GET", this.#path(""));
    if (present === undefined) {
      expect(shown.status, story).toBe(404);
      return;
    }
    const { day: served, revisions } = JSON.parse(shown.text);
    const { degraded, content } = present.pack;
    const buildId = this.#content(present.pack).file.index.buildId;
    expect(served, story).toMatchObject({ revision: present.revision, state, buildId, degraded });
    const listed = history.toReversed().map(({ revision, pack }) => ({
      revision,
      objectKey: pack.key,
      buildId: this.#content(pack).file.index.buildId,
      isWithdrawn: withdrawn.has(pack.content),
      isDamaged: damaged.has(pack.key),
    }));
    const found = revisions.map((each: Record<string, unknown>) => ({
      revision: each.revision,
      objectKey: each.objectKey,
      buildId: each.buildId,
      isWithdrawn: each.withdrawn !== null,
      isDamaged: each.damaged !== null,
    }));
    expect(found, story).toEqual(listed);
    const answer = await this.#read();
    if (state !== "available") {
      expect(answer.reason, story).toBe(state === "withdrawn" ? "withdrawn" : "day_damaged");
      return;
    }
    const { fields, items: rows } = pageOf(answer);
    expect(
      rows.map((row) => row[fields.indexOf(priceField(this.#dataset))]),
      story,
    ).toEqual(rows.map(() => PRICES[content as keyof typeof PRICES]));
    expect([rows.length, answer.headers["x-revision"]], story).toEqual([2, String(present.revision)]);
  }

  async #checkStrays(): Promise<void> {
    const path = `/admin/days/adoptable?dataset=${this.#dataset}`;
    const { days } = JSON.parse((await service.admin("GET", path)).text);
    const own = days.find((each: { tradedate: string }) => each.tradedate === this.#tradedate)?.packs ?? [];
    const keys = own.map(({ objectKey }: { objectKey: string }) => objectKey);
    expect(keys.toSorted(), this.#story.join("\n")).toEqual([...this.#model.strays.keys()].toSorted());
  }

  async #read(): Promise<Answer> {
    const params = { symbol: "600519", tradedate: this.#tradedate };
    const asked = { ...orderHistory({ apikey: key, params }), apiname: DATASETS[this.#dataset].apiname };
    let answer = await service.post(asked);
    while (answer.reason === "slot_busy") answer = await service.post(asked);
    return answer;
  }

  #post(path: string, body?: object): Promise<Answer> {
    return service.admin("POST", this.#path(`/${path}`), body);
  }

  #path(step: string): string {
    return `/admin/days/${this.#tradedate}${step}?dataset=${this.#dataset}`;
  }

  /** Returns the content of a pack; `bytes` are the bytes that a publisher sends. */
  #content({ content, isBroken = false }: PackContent): Content {
    const found = this.#contents.get(content);
    if (found === undefined) throw new Error(`no content ${content}`);
    return isBroken ? { ...found, bytes: found.broken } : found;
  }
}

function changedOf({ changed, day: { revision } }: { changed: boolean; day: { revision: number } }): Seen {
  return { outcome: changed ? "changed" : "unchanged", revision };
}

function nameOf({ content, degraded, isBroken = false }: PackContent): string {
  return `${content}${degraded ? ", degraded" : ""}${isBroken ? ", broken" : ""}`;
}

describe("a decision about a day", () => {
  it(`stays in force through ${SEQUENCES} random sequences of ${STEPS} steps`, async () => {
    const random = printedRandom("decisions");
    for (let n = 0; n < SEQUENCES; n++) {
      const tradedate = addDays("20250101" as BeijingDate, n);
      const dataset = random.pick(DATASET_NAMES);
      const contents = new Map<string, Content>();
      for (const name of CONTENTS) contents.set(name, await contentOf(tradedate, name, dataset));
      const of = { tradedate, dataset };
      await new Sequence(randomFrom(random.integer(0, 2 ** 31)), of, contents).run();
    }
  });
});
