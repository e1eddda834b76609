import type { Controller } from "@purser/kubernetes/kube/controller/controller";
import { clusterObjectSets } from "../../apis/olm-resources.ts";
import type { ClusterObjectSet } from "../../apis/v1/cluster-object-set.ts";
import { ownerNameLabel, propertiesAnnotation } from "../../apis/v1/labels.ts";
import { type ClusterOperators, clusterOperatorController } from "../openshift/cluster-operator-controller.ts";
import type { InstalledBundle } from "../openshift/plan/blocked-upgrades.ts";
import { revisionStates } from "./cluster-extension/plan/revision-state.ts";

/** Keeps the ClusterOperator of OLM v1, whose updates the installed bundles of ClusterExtensions may block; none without a name. */
export function extensionReportControllers({ names, ...versions }: ClusterOperators): readonly Controller[] {
  if (names.extensions === undefined) return [];
  return [
    clusterOperatorController({
      name: "cluster-operator-v1",
      versions,
      source: { type: clusterObjectSets },
      reporters: new Map([
        [
          names.extensions,
          async (reader) => ({ kind: "extensions", bundles: installedBundles(await reader.list(clusterObjectSets)) }),
        ],
      ]),
    }),
  ];
}

/** Of every extension the bundle that is installed, not the one being rolled out. */
function installedBundles(revisions: readonly ClusterObjectSet[]): readonly InstalledBundle[] {
  const byOwner = Map.groupBy(revisions, ({ metadata }) => metadata.labels?.[ownerNameLabel] ?? "");
  return [...byOwner].flatMap(([name, family]) => {
    const { installed } = revisionStates(family);
    if (installed === undefined) return [];
    return [{ name, properties: installed.metadata.annotations?.[propertiesAnnotation] }];
  });
}
