/** Writes the part of Thrift's compact protocol that Parquet metadata needs: structs, lists, integers, binaries. */
import { ByteWriter } from "./byte-writer.ts";

export const THRIFT = { I32: 5, I64: 6, BINARY: 8, LIST: 9, STRUCT: 12 } as const;

const encoder = new TextEncoder();

export class ThriftWriter {
  readonly out: ByteWriter;
  /** The last field id of every open struct, because ids are written as differences. */
  private readonly lastIds: number[] = [];

  constructor(out: ByteWriter = new ByteWriter(4096)) {
    this.out = out;
  }

  /** Begins a struct that is the whole message or an element of a list. */
  begin(): void {
    this.lastIds.push(0);
  }

  /** Begins a struct that is a field of the open one. */
  struct(id: number): void {
    this.field(id, THRIFT.STRUCT);
    this.begin();
  }

  end(): void {
    this.out.byte(0);
    this.lastIds.pop();
  }

  i32(id: number, value: number): void {
    this.field(id, THRIFT.I32);
    this.out.zigzag(value);
  }

  i64(id: number, value: number): void {
    this.field(id, THRIFT.I64);
    this.out.zigzag(value);
  }

  text(id: number, value: string): void {
    this.field(id, THRIFT.BINARY);
    this.textElement(value);
  }

  /** Writes a string as an element of a list. */
  textElement(value: string): void {
    const bytes = encoder.encode(value);
    this.out.varint(bytes.length);
    this.out.append(bytes);
  }

  /** Begins a list of `count` elements, which the caller writes next. */
  list(id: number, elementType: number, count: number): void {
    this.field(id, THRIFT.LIST);
    if (count < 15) {
      this.out.byte((count << 4) | elementType);
    } else {
      this.out.byte(0xf0 | elementType);
      this.out.varint(count);
    }
  }

  private field(id: number, type: number): void {
    const depth = this.lastIds.length - 1;
    const step = id - (this.lastIds[depth] ?? 0);
    if (step > 0 && step < 16) {
      this.out.byte((step << 4) | type);
    } else {
      this.out.byte(type);
      this.out.zigzag(id);
    }
    this.lastIds[depth] = id;
  }
}
