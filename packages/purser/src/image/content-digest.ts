import { type Digest, digestOf } from "@purser/kubernetes/digest";

/**
 * Names what was unpacked of an image: its own digest, and another one where the request named the directory of the catalog, because
 * one image may be asked for several.
 */
export function contentDigest(digest: Digest, directory: string | undefined): Digest {
  if (directory === undefined) return digest;
  const path = directory.split("/").filter((element) => element !== "" && element !== ".");
  return digestOf(`${digest} /${path.join("/")}`);
}
