// What stands before the bytes of a text in a message; written out so that readers of an index need no protobuf library.

/** Of `csvJson`, which is left out when empty. */
export function csvJsonTag(length: number): Uint8Array {
  return length === 0 ? new Uint8Array() : textTag(4, length);
}

/** Of an item of `object`. */
export function objectTag(length: number): Uint8Array {
  return textTag(5, length);
}

function textTag(field: number, length: number): Uint8Array {
  const bytes = [(field << 3) | 2];
  let rest = length;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return Uint8Array.of(...bytes, rest);
}
