import type { ClusterServiceVersion } from "../../apis/v0/cluster-service-version.ts";
import type { OperatorGroup } from "../../apis/v0/operator-group.ts";
import type { ClusterExtension } from "../../apis/v1/cluster-extension.ts";
import type { Explanation } from "../../explanation/explanation.ts";
import type { Installation } from "../../installation/installation.ts";

/** The decision about an installation, taken again. */
export interface ExplainedDecision {
  readonly outcome: "resolved" | "unsatisfiable" | "error";
  /** The bundles that are installed or kept, as `NAME from CATALOG`. */
  readonly chosen: readonly string[];
  /** Why it is refused. */
  readonly explanation?: Explanation;
  /** Why an update policy holds it back. */
  readonly held?: Explanation;
}

/** What an instance knows of the installations of its cluster; all answers are from memory. */
export interface ExplainPort {
  installations(): Promise<readonly Installation[]>;
  explain(installation: Installation): Promise<ExplainedDecision>;
  tenancy(): Promise<{
    readonly csvs: readonly ClusterServiceVersion[];
    readonly groups: readonly OperatorGroup[];
    readonly extensions: readonly ClusterExtension[];
  }>;
}
