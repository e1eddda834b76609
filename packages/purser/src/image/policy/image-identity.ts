import { done, failed, type Result } from "@purser/kubernetes/result";
import { type ImageReference, parseImageReference } from "../../image-reference.ts";
import { type LocalReference, parseLocalReference } from "../layout/local-reference.ts";

/** What a policy sees of an image: where it is pulled from. */
export interface ImageIdentity {
  readonly transport: "docker" | LocalReference["transport"];
  /** The most specific first. */
  readonly scopes: readonly string[];
  /** The name that signatures are compared with; absent for layouts and archives. */
  readonly name?: ImageReference;
}

/**
 * The identity of `[docker://]host/repository:tag@digest`, `oci:DIR[:NAME]`, `oci-archive:FILE[:NAME]` or
 * `docker-archive:FILE[:REFERENCE]`. The problem is why the reference cannot be parsed.
 * @param realPath an absolute path without symbolic links, which scopes of layouts and archives are compared with
 */
export function imageIdentity(reference: string, realPath: (path: string) => string): Result<ImageIdentity, string> {
  const local = parseLocalReference(reference);
  if (local !== undefined) {
    const { transport, name } = local;
    if (transport === "docker-archive") return done({ transport, scopes: [] });
    const path = realPath(local.path);
    const named = transport === "oci" && name !== undefined ? [`${path}:${name}`] : [];
    return done({ transport, scopes: [...named, ...withParents(path)] });
  }
  const parsed = parseImageReference(reference.replace(/^docker:\/\//, ""));
  if (!parsed.ok) return failed(parsed.problem);
  return done({ transport: "docker", scopes: registryScopes(parsed.value), name: parsed.value });
}

/** Of an image, its repository, the namespaces above, the host, and wildcards for the domains above. */
function registryScopes({ registry, repository, tag, digest }: ImageReference): readonly string[] {
  const name = `${registry}/${repository}`;
  const domains = registry.split(".").slice(1);
  return [
    ...(digest === undefined ? [] : [`${name}@${digest}`]),
    ...(tag === undefined ? [] : [`${name}:${tag}`]),
    ...withParents(name),
    ...domains.map((_, index) => `*.${domains.slice(index).join(".")}`),
  ];
}

/** The path and those above it; `/` itself is no scope. */
function withParents(path: string): readonly string[] {
  const parts = path.split("/");
  return parts.map((_, index) => parts.slice(0, parts.length - index).join("/")).filter((part) => part !== "");
}
