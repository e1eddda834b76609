import type { Condition } from "../conditions.ts";

/** A permission of Purser's ServiceAccount, with the reason for it. */
export interface Right {
  /** When it is granted; absent: always. */
  readonly condition?: Condition;
  /** `own`: a Role of Purser's namespace; `cluster`: the ClusterRole. */
  readonly scope: "cluster" | "own";
  readonly group: string;
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  /** Restricted to objects of these names. */
  readonly names?: readonly string[];
  /** The purpose, as it follows "required to". */
  readonly why: string;
  /**
   * How the API server asks for it: for a request of ours; when it checks what a request contains; or for requests that
   * depend on what the installed bundles hold; or for requests that no ordinary flow sends.
   */
  readonly asked: "request" | "check" | "content" | "rare";
}

export const olm = "operators.coreos.com";
export const olmV1 = "olm.operatorframework.io";
export const rbac = "rbac.authorization.k8s.io";
export const admission = "admissionregistration.k8s.io";
export const watched = ["list", "watch"];
/** Server-side apply of v1: whether an object exists, its changes, its creation and its end. */
export const applied = ["get", ...watched, "create", "patch", "delete"];

type Row = Omit<Right, "scope" | "asked"> & Partial<Pick<Right, "scope" | "asked">>;
/** A right for a request, in the ClusterRole, unless the row says otherwise. */
export const right = (row: Row): Right => ({ scope: "cluster", asked: "request", ...row });
export const v0 = (row: Omit<Row, "condition">): Right => right({ condition: "v0", ...row });
export const v1 = (row: Omit<Row, "condition">): Right => right({ condition: "v1", ...row });
