import { parseImageReference } from "../image-reference.ts";

/** Remembers image names whose reference by digest was valid: further references to them by digest are not parsed again. */
export class KnownImages {
  readonly #names = new Set<string>();

  /** Why that is no image reference; undefined when it is one, or empty. */
  problemOf(image: string): string | undefined {
    const at = image.length - byDigest;
    const name = image.slice(0, Math.max(at, 0));
    const isByDigest = image.startsWith("@sha256:", at) && sha256.test(image.slice(-64));
    if (image === "" || (isByDigest && this.#names.has(name))) return undefined;
    const read = parseImageReference(image);
    if (!read.ok) return read.problem;
    if (isByDigest) this.#names.add(ownString(name));
    return undefined;
  }
}

const byDigest = "@sha256:".length + 64;
const sha256 = /^[0-9a-f]{64}$/;

/** A member name does not keep the text in memory that it was cut from. */
function ownString(text: string): string {
  return Object.keys({ [text]: null })[0] ?? text;
}
