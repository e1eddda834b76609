import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import type { ClusterServiceVersionStatus } from "../../../../apis/v0/cluster-service-version.ts";
import type { PhaseChange } from "./phase-status.ts";

/** What one pass over a CSV does. At most one status is written, last. */
export type CsvAction =
  | { readonly kind: "write"; readonly write: ObjectWrite }
  /** As `write`; a refusal is logged and the pass goes on. */
  | { readonly kind: "attempt"; readonly write: ObjectWrite }
  | { readonly kind: "status"; readonly status: ClusterServiceVersionStatus; readonly announce?: PhaseChange }
  /** Executes the install strategy; its outcome decides the next phase. */
  | { readonly kind: "install" }
  /** Ends the pass as failed, to be tried again with backoff. */
  | { readonly kind: "retry"; readonly message: string };
