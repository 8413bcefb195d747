/**
 * Writes random deliveries, each with one kind of defect, and records the expected treatment of every file. Files that
 * must be read are also kept as plain bytes, so that a test can read them independently of the builder.
 */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { storedColumns } from "../../src/datasets/dataset.ts";
import { quotes } from "../../src/datasets/quotes.ts";
import type { DatasetName } from "../../src/datasets/registry.ts";
import type { LeftOutFile } from "../../src/pack-builder/delivery/source-file.ts";
import { QUOTE_NAMES } from "../unit/pack-builder/quote-lines.ts";
import { zipOf } from "../unit/pack-builder/zip-file.ts";
import type { Random } from "./random.ts";

export const DELIVERY_KINDS = [
  /** No defect. */
  "plain",
  /** Archives in archives, and single files that are compressed with gzip or ZSTD. */
  "nested",
  /** Files and archives with the same base name in different folders. */
  "equal-names",
  /** Links to files, folders and archives outside the delivery, links without a target, and links in archives. */
  "links",
  /** Files that the builder ignores: unknown layouts, unsupported formats, downloads in progress, documents. */
  "foreign",
  /** A data file whose end is missing; the cut is inside a line or between two lines. */
  "truncated",
  /** A data file with NUL bytes inside or at its end. */
  "zero-filled",
  /** A data file with its own rows appended again. */
  "appended",
  /** A security's rows in two files. */
  "duplicated",
] as const;
export type DeliveryKind = (typeof DELIVERY_KINDS)[number];

/** Creates the data file of one security: its name and its bytes in one layout. */
export interface OrderFileMaker {
  layout: string;
  /** Whether the file must lie in a folder named after its security. */
  inOwnFolder: boolean;
  /** Returns a file name of the layout; `number` varies it where the layout allows. */
  name(number: number): string;
  /** Returns the whole file with `rows` rows of `security` (`600519.SH`). */
  bytes(random: Random, security: string, rows: number): Buffer;
}

/** A data file somewhere in the delivery. */
export interface MadeFile {
  /** The path of the file in the report. */
  path: string;
  security: string;
  layout: string;
  /** The bytes of the file after all unpacking. */
  bytes: Buffer;
  /** Number of rows in the file before any damage. */
  rows: number;
  /** Whether the bytes are unchanged; false after the test has damaged them. */
  isIntact: boolean;
}

export interface RandomDelivery {
  kind: DeliveryKind;
  /** The folder that the build reads. */
  folder: string;
  files: MadeFile[];
  /** Further files, which are not in `files` and which the build must leave out. */
  leftOut: LeftOutFile[];
  /** The securities whose rows are in two files. */
  duplicated: string[];
}

/** The column names of plain quotes, without the symbol, the day and the time. */
export const QUOTE_COLUMNS = storedColumns(quotes).map(({ name }) => name);

/** The header lines by dataset. The vendor's header includes its empty last column. */
export const HEADERS = {
  orders: {
    vendor: "万得代码,交易所代码,自然日,时间,委托编号,交易所委托号,委托类型,委托代码,委托价格,委托数量,",
    plain: "symbol,tradedate,time,order_id,exchange_order_id,order_type,order_code,price,volume",
  },
  trades: {
    vendor:
      "万得代码,交易所代码,自然日,时间,成交编号,成交代码,委托代码,BS标志,成交价格,成交数量,叫卖序号,叫买序号,",
    plain: "symbol,tradedate,time,trade_id,price,volume,bs_flag,trade_code,buy_order_id,sell_order_id",
  },
  quotes: {
    vendor: `${QUOTE_NAMES.join(",")},`,
    plain: ["symbol", "tradedate", "time", ...QUOTE_COLUMNS].join(","),
  },
} as const satisfies Record<DatasetName, Record<"vendor" | "plain", string>>;

/** Yields the cells of `rows` records in ascending time, each with a unique number. */
function* records(random: Random, rows: number) {
  let ms = random.integer(0, 1000) * 10;
  for (let number = 1; number <= rows; number++) {
    ms += random.integer(0, 50) * 10;
    const time = `10${String(Math.floor(ms / 60_000) % 60).padStart(2, "0")}${String(ms % 60_000).padStart(5, "0")}`;
    yield {
      number,
      time,
      side: random.pick(["B", "S"]),
      cents: random.integer(1, 999_999),
      volume: random.integer(1, 99) * 100,
    };
  }
}

type Made = ReturnType<typeof records> extends Iterable<infer Each> ? Each : never;

type Cells = (string | number)[];

/** For each dataset and layout, a function that returns the cells of a record after security and time. */
const CELLS: Record<DatasetName, Record<"vendor" | "plain", (made: Made, isShanghai: boolean) => Cells>> = {
  orders: {
    vendor: ({ number, side, cents, volume }, isShanghai) => {
      return [0, number, isShanghai ? "A" : "0", side, cents * 100, volume];
    },
    plain: ({ number, side, cents, volume }, isShanghai) => {
      return [0, number, isShanghai ? "A" : "0", side, (cents / 100).toFixed(2), volume];
    },
  },
  trades: {
    vendor: ({ number, side, cents, volume }, isShanghai) => {
      return [number, isShanghai ? "" : "0", "", side, cents * 100, volume, number + 7, number + 9];
    },
    plain: ({ number, side, cents, volume }, isShanghai) => {
      const price = (cents / 100).toFixed(2);
      return [number, price, volume, side, isShanghai ? "" : "0", number + 9, number + 7];
    },
  },
  quotes: {
    vendor: ({ number, cents, volume }) =>
      QUOTE_NAMES.slice(4).map((name, place) => {
        if (name === "BS标志") return " ";
        if (name === "当日成交额") return (cents * number) / 100;
        return /[量笔数]/.test(name) ? volume + place : cents * 100 + place;
      }),
    plain: ({ number, cents, volume }) =>
      storedColumns(quotes).map(({ kind }, place) => {
        if (kind === "yuan") return (cents * number) / 100;
        return kind === "price" ? ((cents + place) / 100).toFixed(2) : volume + place;
      }),
  },
};

const VENDOR_NAMES = { orders: "逐笔委托.csv", trades: "逐笔成交.csv", quotes: "行情.csv" } as const;

/** Returns two makers of files for the day `tradedate`: in the vendor's layout (as UTF-8) and in the plain layout. */
export function usualMakers(tradedate: string, dataset: DatasetName): OrderFileMaker[] {
  const cells = CELLS[dataset];
  return [
    {
      layout: "vendor",
      inOwnFolder: true,
      name: () => VENDOR_NAMES[dataset],
      bytes(random, security, rows) {
        const start = [security, security.slice(0, 6), tradedate];
        const lines = Array.from(records(random, rows), (made) =>
          [...start, made.time, ...cells.vendor(made, security.endsWith(".SH")), ""].join(","),
        );
        return Buffer.from([HEADERS[dataset].vendor, ...lines, ""].join("\r\n"));
      },
    },
    {
      layout: "plain",
      inOwnFolder: false,
      name: (number) => `orders${number}.csv`,
      bytes(random, security, rows) {
        const lines = Array.from(records(random, rows), (made) =>
          [security, tradedate, made.time, ...cells.plain(made, security.endsWith(".SH"))].join(","),
        );
        return Buffer.from(`${[HEADERS[dataset].plain, ...lines].join("\n")}\n`);
      },
    },
  ];
}

export interface GenerateOptions {
  kind: DeliveryKind;
  /** An existing empty folder for the delivery and for files outside it. */
  place: string;
  tradedate: string;
  makers: readonly OrderFileMaker[];
}

/** Writes a random delivery of one kind. */
export function generateDelivery(random: Random, options: GenerateOptions): RandomDelivery {
  return new Generator(random, options).delivery();
}

class Generator {
  private readonly random: Random;
  private readonly options: GenerateOptions;
  private readonly makers: readonly OrderFileMaker[];
  private readonly root: string;
  private readonly made: RandomDelivery;
  private count = 0;

  constructor(random: Random, options: GenerateOptions) {
    this.random = random;
    this.options = options;
    this.makers = options.makers;
    this.root = options.tradedate;
    const folder = join(options.place, this.root);
    mkdirSync(folder);
    this.made = { kind: options.kind, folder, files: [], leftOut: [], duplicated: [] };
  }

  delivery(): RandomDelivery {
    const { random, made } = this;
    const sound = Array.from({ length: random.integer(1, 3) }, () => this.orderFile());
    for (const file of sound) this.put(file.path, file.bytes);
    switch (made.kind) {
      case "plain":
        break;
      case "nested":
        this.addNested();
        break;
      case "equal-names":
        this.addEqualNames();
        break;
      case "links":
        this.addLinks();
        break;
      case "foreign":
        this.addForeign();
        break;
      case "truncated":
        this.addBroken((bytes) => bytes.subarray(0, random.integer(0, bytes.length - 1)));
        break;
      case "zero-filled":
        this.addBroken((bytes) => {
          const from = random.integer(0, bytes.length - 1);
          // Half of the runs are short, because a reader could mistake a short run of NUL bytes for the padding of a
          // cell.
          const farthest = random.chance(0.5) ? bytes.length : Math.min(bytes.length, from + 40);
          const to = random.chance(0.3) ? bytes.length : random.integer(from + 1, farthest);
          return Buffer.from(bytes).fill(0, from, to);
        });
        break;
      case "appended":
        this.addBroken((bytes) => {
          const body = bytes.subarray(bytes.indexOf("\n") + 1);
          return Buffer.concat([bytes, random.chance(0.3) ? bytes : body]);
        });
        break;
      case "duplicated":
        this.addDuplicate();
    }
    return made;
  }

  /** Returns an intact data file of another security. Records the file in `made`, but does not write it. */
  private orderFile({ folder = "", maker = this.random.pick(this.makers) } = {}): MadeFile {
    const { random } = this;
    this.count += 1;
    const code = 600_000 + this.count * 7;
    const security = random.chance(0.5) ? `${code}.SH` : `${code - 599_000}.SZ`.padStart(9, "0");
    const rows = random.integer(1, 40);
    const above = [folder, ...(maker.inOwnFolder ? [security] : [])].filter((name) => name !== "");
    const path = [...above, maker.name(this.count)].join("/");
    const bytes = maker.bytes(random, security, rows);
    const file = {
      path: `${this.root}/${path}`,
      security,
      layout: maker.layout,
      bytes,
      rows,
      isIntact: true,
    };
    this.made.files.push(file);
    return file;
  }

  /** Writes a file to the path, which begins with the delivery's name. */
  private put(path: string, bytes: Uint8Array): void {
    const place = join(this.options.place, path);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, bytes);
  }

  private addNested(): void {
    const { random, root } = this;
    for (let n = random.integer(1, 3); n > 0; n--) {
      const file = this.orderFile();
      if (random.chance(0.3)) {
        const ending = random.pick(["gz", "zst"]);
        file.path += `.${ending}`;
        this.put(file.path, ending === "gz" ? gzipSync(file.bytes) : zstdCompressSync(file.bytes));
        continue;
      }
      // The archives are written from the innermost one outwards.
      let inner = file.path.slice(root.length + 1);
      let bytes = zipOf([{ name: inner, content: file.bytes, stored: random.chance(0.5) }]);
      for (let depth = random.integer(0, 2); depth > 0; depth--) {
        const name = random.pick(["inner.zip", "SH/all.zip", "b.ZIP"]);
        bytes = zipOf([{ name, content: bytes, stored: random.chance(0.5) }]);
        inner = `${name}/${inner}`;
      }
      file.path = `${root}/part${n}.zip/${inner}`;
      this.put(`${root}/part${n}.zip`, bytes);
    }
  }

  private addEqualNames(): void {
    const { random, root } = this;
    const how = random.pick(["csv", "gz", "zip"]);
    const plain = this.makers.filter(({ inOwnFolder }) => !inOwnFolder);
    for (const folder of ["SH", "SZ", "c"].slice(0, random.integer(2, 3))) {
      const file = this.orderFile({ maker: random.pick(how === "zip" ? this.makers : plain) });
      const inside = file.path.slice(root.length + 1);
      if (how === "zip") {
        file.path = `${root}/${folder}/day.zip/${inside}`;
        this.put(`${root}/${folder}/day.zip`, zipOf([{ name: inside, content: file.bytes }]));
      } else {
        file.path = `${root}/${folder}/orders.csv${how === "gz" ? ".gz" : ""}`;
        this.put(file.path, how === "gz" ? gzipSync(file.bytes) : file.bytes);
      }
    }
  }

  private addLinks(): void {
    const { random, root, made } = this;
    const outside = join(this.options.place, "outside");
    mkdirSync(outside);
    const hidden = this.orderFile();
    made.files.pop();
    writeFileSync(join(outside, "orders.csv"), hidden.bytes);
    for (const target of ["orders.csv", ".", "absent"]) {
      if (random.chance(0.3)) continue;
      const name = random.pick(["orders.csv", hidden.security, "x", "day.zip"]) + made.leftOut.length;
      symlinkSync(join(outside, target), join(made.folder, name));
      made.leftOut.push({ path: `${root}/${name}`, reason: "link" });
    }
    if (made.leftOut.length > 0 && random.chance(0.5)) return;
    const zip = zipOf([
      { name: "linked.csv", content: join(outside, "orders.csv"), link: true },
      { name: "../up.csv", content: hidden.bytes },
    ]);
    this.put(`${root}/with-links.zip`, zip);
    made.leftOut.push({ path: `${root}/with-links.zip/linked.csv`, reason: "link" });
    made.leftOut.push({ path: `${root}/with-links.zip/../up.csv`, reason: "outside" });
  }

  private addForeign(): void {
    const { random, root, made } = this;
    const noise = () =>
      Buffer.from(Array.from({ length: random.integer(1, 300) }, () => random.integer(0, 255)));
    const choices: [string, Buffer, LeftOutFile["reason"]][] = [
      ["notes.txt", Buffer.from("bought a lot\n"), "unknown_layout"],
      ["noise.bin", noise(), "unknown_layout"],
      ["no-ending", noise(), "unknown_layout"],
      ["orders.csv.xz", noise(), "unread_format"],
      ["day.rar", noise(), "unread_format"],
      ["orders.csv.downloading", this.sparedBytes(), "under_way"],
      ["orders.csv.part", this.sparedBytes(), "under_way"],
      ["sums.sha256", Buffer.from("0 x\n"), "no_records"],
      ["说明.pdf", noise(), "no_records"],
      ["委托队列.csv", Buffer.from("x\n"), "other_dataset"],
      ["empty", Buffer.alloc(0), "empty"],
    ];
    const folders = ["", "a/", "600001.SH/"];
    for (let n = random.integer(1, 4); n > 0; n--) {
      const [name, bytes, reason] = random.pick(choices);
      const path = `${root}/${random.pick(folders)}${n}/${name}`;
      if (random.chance(0.3)) {
        this.put(`${path}.zip`, zipOf([{ name, content: bytes }]));
        made.leftOut.push({ path: `${path}.zip/${name}`, reason });
      } else {
        this.put(path, bytes);
        made.leftOut.push({ path, reason });
      }
    }
  }

  /** Returns the bytes of a data file that is not part of the delivery. */
  private sparedBytes(): Buffer {
    const { bytes } = this.orderFile();
    this.made.files.pop();
    return bytes;
  }

  private addBroken(breakUp: (bytes: Buffer) => Buffer): void {
    const file = this.orderFile();
    file.bytes = breakUp(file.bytes);
    file.isIntact = false;
    this.put(file.path, file.bytes);
  }

  private addDuplicate(): void {
    const { random, root, made } = this;
    const [first] = made.files;
    if (first === undefined) return;
    const inside = first.path.slice(root.length + 1);
    const isSame = random.chance(0.5);
    const maker = random.pick(this.makers);
    const bytes = isSame ? first.bytes : maker.bytes(random, first.security, first.rows);
    const name = isSame ? inside : `${first.security}/${maker.name(0)}`;
    const above = random.pick(["copy", "b/c"]);
    const copy = {
      ...first,
      bytes,
      path: `${root}/${above}/${name}`,
      layout: isSame ? first.layout : maker.layout,
    };
    if (random.chance(0.5)) {
      copy.path = `${root}/${above} (1).zip/${name}`;
      this.put(`${root}/${above} (1).zip`, zipOf([{ name, content: bytes }]));
    } else this.put(copy.path, bytes);
    made.files.push(copy);
    made.duplicated.push(first.security);
  }
}
