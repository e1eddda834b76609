import { type Digest, digestOf } from "@purser/kubernetes/digest";

/**
 * Names what was unpacked of an image: its own digest, and another one where the request named the folder of the catalog, because
 * one image may be asked for several.
 */
export function contentDigest(digest: Digest, folder: string | undefined): Digest {
  if (folder === undefined) return digest;
  const path = folder.split("/").filter((element) => element !== "" && element !== ".");
  return digestOf(`${digest} /${path.join("/")}`);
}
