import type { CustomResourceDefinition } from "@purser/kubernetes/apis/apiextensions";
import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import {
  apiServices,
  clusterRoleBindings,
  clusterRoles,
  customResourceDefinitions,
  mutatingWebhookConfigurations,
  roleBindings,
  validatingWebhookConfigurations,
} from "@purser/kubernetes/apis/resources";
import { clusterServiceVersions } from "../../../../apis/olm-resources.ts";
import type { ClusterServiceVersion } from "../../../../apis/v0/cluster-service-version.ts";
import { csvCleanupFinalizer } from "../../../../apis/v0/labels.ts";
import type { Plan } from "@purser/kubernetes/kube/plan";
import { authReaderNamespace } from "../../../../rollout/plan/strategy/serving-names.ts";
import { setFinalizers } from "../../../plan/metadata-patch.ts";
import { type Cleanup, planCleanup } from "./cleanup.ts";
import type { CsvAction } from "./csv-action.ts";

/** An object of a CSV outside its namespace: it cannot have an owner reference to the CSV. */
export interface ClusterLeftover {
  readonly kind: "clusterRole" | "clusterRoleBinding" | "validating" | "mutating" | "apiService" | "authReader";
  readonly name: string;
}

/** The objects to clean up after a CSV. Observed without discovery, so that an unavailable API does not block the deletion. */
export interface Departure {
  /** Absent when the CSV does not exist any more. */
  readonly csv?: ClusterServiceVersion;
  /** Custom resources that are deleted while the operator still runs; absent counts as none. */
  readonly cleanup?: Cleanup;
  readonly leftovers: readonly ClusterLeftover[];
  /** CRDs that convert through a webhook of the CSV, but for those whose conversion its replacement has taken over. */
  readonly converted: readonly CustomResourceDefinition[];
}

const leftoverTypes = {
  clusterRole: clusterRoles,
  clusterRoleBinding: clusterRoleBindings,
  validating: validatingWebhookConfigurations,
  mutating: mutatingWebhookConfigurations,
  // An APIService without its server answers 503 for its group, which blocks the deletion of every namespace.
  apiService: apiServices,
  authReader: roleBindings,
} as const satisfies Record<ClusterLeftover["kind"], ResourceType>;

/**
 * Custom resources are deleted first where the CSV asks for it, then cluster-scoped objects, then conversion is reset, then the
 * finalizer is removed.
 */
export function planDeparture({ csv, cleanup, leftovers, converted }: Departure, now: number): Plan<CsvAction> {
  const finalizers = csv?.metadata.finalizers ?? [];
  if (csv !== undefined && !finalizers.includes(csvCleanupFinalizer)) return { actions: [] };
  const pending = csv === undefined ? undefined : planCleanup(csv, cleanup?.operands ?? [], now);
  if (pending !== undefined) return pending;
  const deletions = leftovers.map(({ kind, name }): CsvAction => ({
    kind: "write",
    write: {
      verb: "delete",
      type: leftoverTypes[kind],
      key: kind === "authReader" ? { namespace: authReaderNamespace, name } : { name },
    },
  }));
  const resets = converted.map((crd): CsvAction => ({ kind: "attempt", write: withoutConversion(crd) }));
  const others = finalizers.filter((finalizer) => finalizer !== csvCleanupFinalizer);
  const release: readonly CsvAction[] =
    csv === undefined ? [] : [{ kind: "write", write: setFinalizers(clusterServiceVersions, csv, others) }];
  const kept = (cleanup?.undeletable ?? []).flatMap((name): readonly CsvAction[] => {
    const message = `custom resources of ${name} are kept: no ServiceAccount of the operator may delete them`;
    return csv === undefined ? [] : [{ kind: "announce", csv, reason: "CleanupSkipped", message }];
  });
  return { actions: [...kept, ...deletions, ...resets, ...release] };
}

/** Resets conversion, because custom resources can be neither read nor deleted without the conversion webhook. */
function withoutConversion({ metadata: { name = "" } }: CustomResourceDefinition): ObjectWrite {
  const patch = { spec: { conversion: { strategy: "None", webhook: null } } };
  return { verb: "patch", type: customResourceDefinitions, key: { name }, patchType: "merge", patch };
}
