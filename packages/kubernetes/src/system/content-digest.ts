import { hash } from "node:crypto";
import type { Digest } from "../digest.ts";

/** As `digestOf`, ten times as fast: for content of more than some kilobytes. */
export function contentDigest(content: string | Uint8Array): Digest {
  return `sha256:${hash("sha256", content, "hex")}`;
}
