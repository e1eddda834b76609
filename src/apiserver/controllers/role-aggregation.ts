import type { ClusterRole, PolicyRule } from "../../apis/rbac.ts";
import { clusterRoles } from "../../apis/resources.ts";
import type { JsonObject, JsonValue } from "../../json.ts";
import { deepEqual } from "../../object/semantic-equal.ts";
import { labelsMatch } from "../kinds/workload-validation.ts";
import type { BuiltInController, Pass } from "./runtime.ts";

const manager = "clusterrole-aggregation-controller";

/** Union of the rules of every selected role, by role name, each rule once. */
function aggregatedRules(role: ClusterRole, all: readonly ClusterRole[]): readonly PolicyRule[] {
  const selectors = role.aggregationRule?.clusterRoleSelectors ?? [];
  const rules: PolicyRule[] = [];
  for (const selector of selectors) {
    for (const other of all) {
      if (other.metadata.name === role.metadata.name) continue;
      if (!labelsMatch(selector as unknown as JsonObject, (other.metadata.labels ?? {}) as JsonObject)) continue;
      for (const rule of other.rules ?? []) {
        if (!rules.some((held) => deepEqual(held as unknown as JsonValue, rule as unknown as JsonValue)))
          rules.push(rule);
      }
    }
  }
  return rules;
}

async function aggregate(pass: Pass, role: ClusterRole, all: readonly ClusterRole[]): Promise<void> {
  const rules = aggregatedRules(role, all);
  if (deepEqual(rules as unknown as JsonValue, (role.rules ?? []) as unknown as JsonValue)) return;
  const { name = "" } = role.metadata;
  const applied = {
    kind: "ClusterRole",
    apiVersion: "rbac.authorization.k8s.io/v1",
    metadata: { name },
    rules: rules as unknown as JsonValue,
  };
  await pass.writer.apply(clusterRoles, applied, { name }, manager);
}

const everything = "all";

/** Fills the rules of roles that aggregate others; edits by hand are undone. */
export const roleAggregationController: BuiltInController = {
  name: manager,
  manager,
  // Any role may count for any other: one pass looks at all of them.
  watches: [{ table: "clusterroles.rbac.authorization.k8s.io", keys: () => [everything] }],
  reconcile: async (_key, pass) => {
    const all = pass.list(clusterRoles);
    for (const role of all) {
      if (role.aggregationRule !== undefined && role.metadata.deletionTimestamp === undefined)
        await aggregate(pass, role, all);
    }
    return undefined;
  },
};
