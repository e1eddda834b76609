import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import type {
  ClusterServiceVersion,
  ClusterServiceVersionStatus,
} from "../../../../apis/v0/cluster-service-version.ts";
import type { OperatorGroup } from "../../../../apis/v0/operator-group.ts";
import type { StrategyWorld } from "../../../../rollout/plan/strategy/strategy-world.ts";
import type { PhaseChange } from "./phase-status.ts";

/** What a pass over a CSV does. At most one status is written, last. */
export type CsvAction =
  | { readonly kind: "write"; readonly write: ObjectWrite }
  /** As `write`; a refusal is logged and the pass continues. */
  | { readonly kind: "attempt"; readonly write: ObjectWrite }
  | {
      readonly kind: "status";
      readonly csv: ClusterServiceVersion;
      readonly status: ClusterServiceVersionStatus;
      readonly announce?: PhaseChange;
    }
  /** A Warning about the CSV of the pass. */
  | {
      readonly kind: "announce";
      readonly csv: ClusterServiceVersion;
      readonly reason: string;
      readonly message: string;
    }
  /** Deletes a custom resource as an account of the operator; a refusal is an event of the CSV and ends the pass. */
  | {
      readonly kind: "deleteOperand";
      readonly csv: ClusterServiceVersion;
      readonly account: { readonly namespace: string; readonly name: string };
      readonly write: ObjectWrite;
    }
  /** Executes the install strategy as the account of the namespace's group; the outcome decides the next phase. */
  | { readonly kind: "install"; readonly strategy: StrategyWorld; readonly groups: readonly OperatorGroup[] };
