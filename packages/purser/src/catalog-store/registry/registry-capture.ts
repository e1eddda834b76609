import { closeSync, openSync, readSync } from "node:fs";

/**
 * Messages of the registry API as they came from a server: `bundle` of `ListBundles`, `package` of `GetPackage`; `head` of
 * `GetBundleForChannel`, only its name, package and ClusterServiceVersion, before the bundles of its package.
 */
export type CapturedKind = "bundle" | "package" | "head";

export interface CapturedMessage {
  readonly kind: CapturedKind;
  readonly bytes: Uint8Array;
}

const kinds: readonly CapturedKind[] = ["bundle", "package", "head"];
const headLength = 5;

/** What stands before the bytes of a message in a capture file. */
export function captureHead({ kind, bytes }: CapturedMessage): Uint8Array {
  const head = Buffer.alloc(headLength);
  head.writeUInt8(kinds.indexOf(kind), 0);
  head.writeUInt32LE(bytes.length, 1);
  return head;
}

/** The messages of a capture file in order, one in memory at a time. @throws when the file cannot be read or is cut off */
export function* readCapture(file: string): Generator<CapturedMessage, void, void> {
  const descriptor = openSync(file, "r");
  try {
    for (let at = 0; ;) {
      const head = Buffer.alloc(headLength);
      if (readSync(descriptor, head, 0, headLength, at) < headLength) return;
      const bytes = Buffer.alloc(head.readUInt32LE(1));
      if (readSync(descriptor, bytes, 0, bytes.length, at + headLength) < bytes.length)
        throw new Error(`${file} is truncated`);
      at += headLength + bytes.length;
      const kind = kinds[head.readUInt8(0)];
      if (kind !== undefined) yield { kind, bytes };
    }
  } finally {
    closeSync(descriptor);
  }
}
