import assert from "node:assert/strict";
import type { ClusterRole } from "@purser/kubernetes/apis/rbac";
import { clusterRoleBindings, clusterRoles } from "@purser/kubernetes/apis/resources";
import type { JsonValue } from "@purser/kubernetes/json";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import type { Log } from "@purser/kubernetes/kube/log";
import { accessManifests } from "../../deploy/access.ts";
import { resolve } from "../../deploy/template.ts";
import { defaultValues } from "../../deploy/values.ts";
import { World } from "./world.ts";

/** One verb on one resource, as `create deployments.apps`. */
export type RightName = string;

const { namespace, name: account } = { namespace: defaultValues.namespace, name: "purser" };
const user = {
  name: `system:serviceaccount:${namespace}:${account}`,
  groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"],
};
const manifests = accessManifests.flatMap((template) => resolve(template, defaultValues) ?? []) as never[];
const role = manifests.find(({ kind }) => kind === "ClusterRole") as unknown as ClusterRole;
const binding = manifests.find(({ kind }) => kind === "ClusterRoleBinding") as never;

const atoms = (role.rules ?? []).flatMap(({ apiGroups = [], resources = [], verbs }) =>
  apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.map((verb) => ({
        name: `${verb} ${resource}${group === "" ? "" : `.${group}`}`,
        rule: { apiGroups: [group], resources: [resource], verbs: [verb] },
      })),
    ),
  ),
);

/** Every right of Purser's ClusterRole, once. */
export const rightNames: readonly RightName[] = [...new Set(atoms.map(({ name }) => name))];

const everything = "list *.*";
/** Of the demo catalog. */
const operatorGroups = ["logbook.demo.purser.dev", "ballast.demo.purser.dev", "semaphore.demo.purser.dev"];

function roleWithout(missing: RightName | undefined): ClusterRole {
  if (missing === undefined) return role;
  const rules = atoms.filter(({ name }) => name !== missing).map(({ rule }) => rule);
  assert.notEqual(rules.length, atoms.length, `there is a right ${missing}`);
  if (!missing.startsWith("list ")) return { ...role, rules };
  // `list` of everything stands for every single one; what it is for, the APIs of operators, stays allowed.
  const others = missing === everything ? [] : [{ apiGroups: operatorGroups, resources: ["*"], verbs: ["list"] }];
  return { ...role, rules: [...rules.filter(({ resources }) => resources[0] !== "*"), ...others] };
}

/** Options of {@link openWithout}. */
export interface LackingOptions {
  readonly log?: Log;
  readonly prepare?: (client: KubeClient) => Promise<void>;
}

/** A cluster in which Purser's ServiceAccount lacks a right from the start, or none. */
export function openWithout(missing: RightName | undefined, options: LackingOptions = {}): Promise<World> {
  return World.open({
    user,
    ...(options.log === undefined ? {} : { log: options.log }),
    async prepare(client) {
      const never = new AbortController().signal;
      await client.write({ verb: "create", type: clusterRoles, object: roleWithout(missing) }, never);
      await client.write({ verb: "create", type: clusterRoleBindings, object: binding }, never);
      await options.prepare?.(client);
    },
  });
}

/** Leaves Purser's ServiceAccount all rights but one; undefined: all. */
export const grantAllBut = (world: World, missing: RightName | undefined): Promise<void> =>
  world.merge(clusterRoles, { name: role.metadata.name ?? "" }, {
    rules: roleWithout(missing).rules,
  } as unknown as JsonValue);

/** What the API server says about a request without the right. */
export function refusalOf(missing: RightName): string {
  const [verb = "", resource = ""] = missing.split(" ");
  // Who lacks the right to escalate may grant no more than it has itself.
  if (verb === "escalate" || verb === "bind") return "is attempting to grant RBAC permissions not currently held";
  // `list` of everything is asked for one kind at a time.
  if (missing === everything) return `cannot ${verb} resource "`;
  const [plural = "", ...group] = resource.split(".");
  return `cannot ${verb} resource "${plural}" in API group "${group.join(".")}"`;
}

/** Whether the object's text holds that refusal. */
export const shownIn = (object: unknown, missing: RightName): boolean =>
  JSON.stringify(object).replaceAll("\\", "").includes(refusalOf(missing));
