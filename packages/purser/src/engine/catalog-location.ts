import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { isLocalReference } from "../image/layout/local-reference.ts";
import { parseImageReference } from "../image-reference.ts";

/** Where a catalog on the command line lies: on this machine, or in a registry. */
export type CatalogLocation =
  /** An absolute path, or a transport (`oci:`, `oci-archive:`, `docker-archive:`) with an absolute path. */
  { readonly path: string } | { readonly image: string };

/** Reads a path, a transport or an image reference; the problem is a sentence. What exists as a path is a path. */
export function catalogLocation(text: string): Result<CatalogLocation, string> {
  const path = resolve(text);
  if (existsSync(path)) return done({ path });
  if (isLocalReference(text)) return transportLocation(text);
  const reference = text.replace(/^docker:\/\//, "");
  const hasHost = /^(?:localhost|[^/]*[.:][^/]*)\//.test(reference);
  const parsed = parseImageReference(reference);
  if (reference !== text && (!hasHost || !parsed.ok))
    return failed(`"${text}" is not an image reference: ${parsed.ok ? "it names no registry" : parsed.problem}`);
  if (/^[./~]/.test(text) || !hasHost || !parsed.ok)
    return failed(`"${text}" does not exist, and is not an image reference with its registry`);
  const { tag, digest } = parsed.value;
  if (tag === undefined && digest === undefined)
    return failed(`the image "${text}" has neither a tag nor a digest; write ${text}:TAG`);
  return done({ image: reference });
}

function transportLocation(text: string): Result<CatalogLocation, string> {
  const [, transport = "", file = "", rest = ""] = /^([a-z-]+):([^:]*)(.*)$/s.exec(text) ?? [];
  const path = resolve(file);
  if (file === "" || !existsSync(path)) return failed(`"${text}": "${file}" does not exist`);
  return done({ path: `${transport}:${path}${rest}` });
}
