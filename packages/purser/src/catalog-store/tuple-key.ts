/** One text for several: byte order of keys is the order of the tuples, whatever characters the texts hold. */
export function tupleKey(...texts: readonly string[]): string {
  return texts.map((text) => text.replaceAll("\0", "\0\u0001")).join("\0\0");
}
