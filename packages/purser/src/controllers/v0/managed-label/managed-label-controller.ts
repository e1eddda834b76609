import type { KubeObject, ObjectKey } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import {
  clusterRoleBindings,
  clusterRoles,
  configMaps,
  deployments,
  roleBindings,
  roles,
  secrets,
  serviceAccounts,
  services,
} from "@purser/kubernetes/apis/resources";
import type { Controller, Watch } from "@purser/kubernetes/kube/controller/controller";
import { defineController } from "@purser/kubernetes/kube/controller/controller";
import { writtenUnlessDeleted } from "@purser/kubernetes/kube/refusal";
import type { ObjectReader } from "@purser/kubernetes/kube/object-reader";
import { managedLabel, ownerKindLabel } from "../../../apis/v0/labels.ts";
import { watching } from "../../watching.ts";
import {
  isReferring,
  type ManagedLabelAction,
  planManagedLabels,
  type Unlabelled,
} from "./plan/plan-managed-labels.ts";
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

/** Kinds of objects of bundles that OLM marks with an owner reference alone. */
const referringTypes: readonly ResourceType[] = [serviceAccounts, roles, roleBindings, services, configMaps];

/**
 * Unlabelled objects of the CSV's namespace that name it as their owner and have no owner labels. No informer shows them: they
 * are read when the CSV has objects with owner labels to be labelled, which an older OLM left as well.
 */
async function referring({ namespace = "", name }: ObjectKey, reader: ObjectReader): Promise<readonly Unlabelled[]> {
  const scope = { namespace, labelSelector: `${managedLabel}!=true,!${ownerKindLabel}` };
  const found = await Promise.all(
    referringTypes.map(async (type) => (await reader.list(type, scope)).map((object) => ({ type, object }))),
  );
  return found.flat().filter(({ object }) => isReferring(object, name));
}

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
      observe: async (key, { cache, reader }) => {
        const { namespace = "", name } = key;
        const labelled = types.flatMap((type) =>
          cache.byIndex(type, index, `${namespace}/${name}`).map((object) => ({ type, object })),
        );
        return [...(await referring(key, reader)), ...labelled];
      },
      plan: (found) => planManagedLabels(found),
      async apply(_key, { write }, { writer, signal }) {
        writtenUnlessDeleted(await writer.write(write, signal));
      },
    },
  });
}
