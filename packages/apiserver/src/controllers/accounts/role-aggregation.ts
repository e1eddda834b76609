import type { ClusterRole, PolicyRule } from "@purser/kubernetes/apis/rbac";
import { clusterRoles } from "@purser/kubernetes/apis/resources";
import type { LabelSelector } from "@purser/kubernetes/apis/selector";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import { goJson } from "@purser/kubernetes/text/go-json";
import { turns } from "../../turns.ts";
import { candidatesOf, labelMatcher, labelValues, selectorsFor } from "../label-lookup.ts";
import type { Lookup } from "../lookup.ts";
import type { BuiltInController, Pass } from "../runtime.ts";

const manager = "clusterrole-aggregation-controller";

const byLabel: Lookup<ClusterRole> = { type: clusterRoles, valuesOf: labelValues };

/** Aggregating roles, indexed by one required label of each of their selectors. */
const bySelector: Lookup<ClusterRole> = {
  type: clusterRoles,
  valuesOf: (role) => [
    ...new Set(selectorsOf(role).flatMap((selector) => candidatesOf(undefined, labelsOf(selector)))),
  ],
};

/** Cost of one selector, of one rule, and of one role checked against one requirement, as {@link turns} counts it. */
const workOfOne = 512;
const workOfMatch = 16;

function selectorsOf(role: ClusterRole): readonly LabelSelector[] {
  return role.aggregationRule?.clusterRoleSelectors ?? [];
}

function labelsOf({ matchLabels = {} }: LabelSelector): JsonObject {
  return matchLabels;
}

/** The roles that a selector matches, sorted by name. */
async function selected(pass: Pass, selector: LabelSelector): Promise<readonly ClusterRole[]> {
  const labels = labelsOf(selector);
  const asked = Object.keys(labels).length;
  const candidates = asked === 0 ? pass.list(clusterRoles) : pass.find(byLabel, candidatesOf(undefined, labels));
  const matches = labelMatcher(selector as unknown as JsonObject);
  const workEach = workOfMatch * (1 + asked + (selector.matchExpressions?.length ?? 0));
  const found: ClusterRole[] = [];
  for (const candidate of candidates) {
    await turns.before(workEach);
    if (matches(candidate)) found.push(candidate);
  }
  return found;
}

/** Union of the rules of all selected roles, by role name within each selector, without duplicates. */
async function aggregatedRules(pass: Pass, role: ClusterRole): Promise<readonly PolicyRule[]> {
  const rules = new Map<string, PolicyRule>();
  for (const selector of selectorsOf(role)) {
    await turns.before(workOfOne);
    for (const other of await selected(pass, selector)) {
      if (other.metadata.name === role.metadata.name) continue;
      for (const rule of other.rules ?? []) {
        await turns.before(workOfOne);
        const text = goJson(rule as unknown as JsonValue);
        if (!rules.has(text)) rules.set(text, rule);
      }
    }
  }
  return [...rules.values()];
}

/** Sets the rules of aggregated ClusterRoles; manual edits are reverted. */
export const roleAggregationController: BuiltInController = {
  name: manager,
  manager,
  watches: [
    {
      table: "clusterroles.rbac.authorization.k8s.io",
      keys: ({ key, before, after }, pass) => {
        const aggregating = [before, after].flatMap((role) =>
          role === undefined ? [] : pass.find(bySelector, selectorsFor(role)),
        );
        return [key, ...aggregating.map(({ metadata: { name = "" } }) => name)];
      },
    },
  ],
  reconcile: async (name, pass) => {
    const role = pass.get(clusterRoles, { name });
    if (role?.aggregationRule === undefined || role.metadata.deletionTimestamp !== undefined) return undefined;
    const rules = (await aggregatedRules(pass, role)) as unknown as JsonValue;
    if (deepEqual(rules, (role.rules ?? []) as unknown as JsonValue)) return undefined;
    const applied = { kind: "ClusterRole", apiVersion: "rbac.authorization.k8s.io/v1", metadata: { name }, rules };
    await pass.writer.apply(clusterRoles, applied, { name }, manager);
    return undefined;
  },
};
