import type { OperatorGroup } from "../../../apis/v0/operator-group.ts";

/** The namespaces that a group targets by name, for the index `target` of groups; none for a group of all namespaces. */
export const namedTargets = ({ status }: OperatorGroup): readonly string[] =>
  (status?.namespaces ?? []).filter((name) => name !== "");
