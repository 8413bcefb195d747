/** Types for the part of yauzl that is used here; the package has no types. */
declare module "yauzl" {
  import type { Readable } from "node:stream";

  export interface Entry {
    /** A Buffer, because `decodeStrings` is off. */
    fileName: Buffer;
    versionMadeBy: number;
    externalFileAttributes: number;
    generalPurposeBitFlag: number;
    compressionMethod: number;
    crc32: number;
    compressedSize: number;
    uncompressedSize: number;
    extraFields: { id: number; data: Buffer }[];
    isEncrypted(): boolean;
  }

  export interface ZipFile extends AsyncIterable<Entry> {
    eachEntry(): AsyncIterable<Entry>;
    openReadStreamPromise(entry: Entry, options?: { decodeFileData?: boolean }): Promise<Readable>;
    close(): void;
  }

  const yauzl: {
    fromFdPromise(
      fd: number,
      options: { autoClose: boolean; lazyEntries: boolean; decodeStrings: false },
    ): Promise<ZipFile>;
    openPromise(
      path: string,
      options: { autoClose: boolean; lazyEntries: boolean; decodeStrings: false },
    ): Promise<ZipFile>;
  };
  export default yauzl;
}
