import type { CrdUpgradeRefusal } from "../../review/crd-upgrade-safety.ts";

/** How bringing a revision to the cluster ended; messages are upstream's texts. */
export type RevisionOutcome =
  | { readonly kind: "applied"; readonly name: string; readonly created: boolean }
  /** The objects make no revision. */
  | { readonly kind: "invalid"; readonly message: string }
  /** CRDs of the revision would break stored objects; nothing was written. */
  | { readonly kind: "unsafe"; readonly refusals: readonly CrdUpgradeRefusal[] }
  /** A write was refused, or the objects do not fit into Secrets. */
  | { readonly kind: "refused"; readonly message: string };
