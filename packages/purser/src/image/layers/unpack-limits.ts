/** What one image may cost. Beyond a limit unpacking ends with a problem and nothing is kept. */
export interface UnpackLimits {
  /** Bytes of all layers after decompression, the ignored parts included. */
  readonly inflatedBytes: number;
  /** Inflated bytes for each compressed byte of a layer, once it is larger than `ratioFreeBytes`. */
  readonly ratio: number;
  /** Long runs of zeros make small archives look like bombs: the ratio counts beyond this size. */
  readonly ratioFreeBytes: number;
  /** Bytes of all files that are written. */
  readonly writtenBytes: number;
  readonly fileBytes: number;
  /** Entries of all layers, the ignored ones included. */
  readonly entries: number;
  /** Files, directories and links that are written, parents that no entry names and replaced ones included. */
  readonly writtenEntries: number;
  readonly layers: number;
  /** Bytes of one path that is written. */
  readonly pathBytes: number;
  /** Elements of one path that is written. */
  readonly depth: number;
}

const mebibyte = 2 ** 20;

/** Several times what the largest public catalog images need (1.5 GB, 40,000 entries, 600 MB of catalog). */
export const defaultUnpackLimits: UnpackLimits = {
  inflatedBytes: 8192 * mebibyte,
  ratio: 200,
  ratioFreeBytes: 32 * mebibyte,
  writtenBytes: 2048 * mebibyte,
  fileBytes: 1024 * mebibyte,
  entries: 200_000,
  writtenEntries: 50_000,
  layers: 512,
  pathBytes: 1024,
  depth: 64,
};

/** Why an archive is not unpacked: it is broken (`invalid`), or hostile or too large (`limit`), or holds something else (`content`). */
export class UnpackError extends Error {
  readonly kind: "invalid" | "limit" | "content";

  constructor(kind: "invalid" | "limit" | "content", message: string) {
    super(message);
    this.kind = kind;
  }
}

/** `500 MiB`, for messages; smaller numbers in bytes. */
export function sizeText(bytes: number): string {
  return bytes < mebibyte ? `${bytes} bytes` : `${Math.round(bytes / mebibyte)} MiB`;
}
