import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import {
  clusterRoleBindings,
  clusterRoles,
  deployments,
  roleBindings,
  roles,
  secrets,
  serviceAccounts,
  services,
} from "@purser/kubernetes/apis/resources";
import type { Controller, Watch } from "@purser/kubernetes/kube/controller/controller";
import { defineController } from "@purser/kubernetes/kube/controller/controller";
import { written } from "@purser/kubernetes/kube/refusal";
import { watching } from "../../watching.ts";
import { type ManagedLabelAction, planManagedLabels, type Unlabelled } from "./plan/plan-managed-labels.ts";
import { ownerOf, unlabelledScope } from "./unlabelled.ts";

const index = "unlabelled";

/** Accounts before the bindings that name them, roles before their bindings. */
const types: readonly ResourceType[] = [
  serviceAccounts,
  roles,
  roleBindings,
  clusterRoles,
  clusterRoleBindings,
  services,
  secrets,
  deployments,
];

/** Those that others read from the same informers. */
const readWhole: readonly ResourceType[] = [roles, roleBindings, clusterRoles, clusterRoleBindings];

/** Labels what an older OLM left without the label of managed objects, at the start and when it appears. A key is a CSV. */
export function managedLabelController(): Controller {
  return defineController<readonly Unlabelled[], ManagedLabelAction, KubeObject[]>({
    name: "managed-label",
    watches: types.map((type): Watch =>
      watching({
        type,
        scope: unlabelledScope,
        ...(readWhole.includes(type) ? {} : { projection: "metadata" }),
        indexes: { [index]: (object) => ownerOf(object).map(({ namespace = "", name }) => `${namespace}/${name}`) },
        map: ownerOf,
      }),
    ),
    steps: {
      observe: ({ namespace = "", name }, { cache }) =>
        Promise.resolve(
          types.flatMap((type) =>
            cache.byIndex(type, index, `${namespace}/${name}`).map((object) => ({ type, object })),
          ),
        ),
      plan: (found) => planManagedLabels(found),
      async apply(_key, { write }, { writer, signal }) {
        const result = await writer.write(write, signal);
        if (!result.ok && result.problem.kind !== "notFound") written(result);
      },
    },
  });
}
