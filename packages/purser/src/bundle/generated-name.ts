import { base62Sha224 } from "@purser/kubernetes/digest";

/** Kubernetes' limit on label values and on names that become DNS labels. */
const nameLimit = 63;

/** DeepHash of OLM v0: of Go's JSON text with a final newline. */
export function deepHash(json: string): string {
  return base62Sha224(`${json}\n`);
}

/** The hash of `olm.permissions.hash`: of Go's JSON text without a final newline. */
export function permissionsHash(json: string): string {
  return base62Sha224(json);
}

/** `base-suffix`, the base cut so that it fits; when both together have exactly 63 characters nothing is cut (upstream's quirk). */
export function joinName(base: string, suffix: string): string {
  const kept = base.length + suffix.length > nameLimit ? base.slice(0, nameLimit - suffix.length - 1) : base;
  return `${kept}-${suffix}`;
}
