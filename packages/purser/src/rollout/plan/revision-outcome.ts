import type { CrdUpgradeRefusal } from "../../review/crd-upgrade-safety.ts";

/** What existing CRDs have against a new revision. */
export type CrdObstacle =
  | { readonly kind: "unsafe"; readonly refusals: readonly CrdUpgradeRefusal[] }
  /** Names of CRDs that are being deleted; they cannot be compared or applied before they are gone. */
  | { readonly kind: "terminating"; readonly crds: readonly string[] };

/** How bringing a revision to the cluster ended; messages are upstream's texts. */
export type RevisionOutcome =
  | { readonly kind: "applied"; readonly name: string; readonly created: boolean }
  /** The objects make no revision. */
  | { readonly kind: "invalid"; readonly message: string }
  /** CRDs of the revision would break stored objects; nothing was written. */
  | CrdObstacle
  /** A write was refused, or the objects do not fit into Secrets. */
  | { readonly kind: "refused"; readonly message: string };
