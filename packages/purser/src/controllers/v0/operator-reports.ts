import type { Controller } from "@purser/kubernetes/kube/controller/controller";
import type { ObjectReader } from "@purser/kubernetes/kube/object-reader";
import { clusterServiceVersions } from "../../apis/olm-resources.ts";
import type { ClusterServiceVersion } from "../../apis/v0/cluster-service-version.ts";
import { copiedFromLabel, propertiesAnnotation } from "../../apis/v0/labels.ts";
import { propertiesAnnotation as bundlePropertiesAnnotation } from "../../apis/v1/labels.ts";
import {
  type ClusterOperators,
  clusterOperatorController,
  type Reporter,
} from "../openshift/cluster-operator-controller.ts";
import type { InstalledBundle } from "../openshift/plan/blocked-upgrades.ts";

const originals = { labelSelector: `!${copiedFromLabel}` };
/** On the ClusterServiceVersion of a package server: the ClusterOperator that follows it. */
const clusterOperatorLabel = "olm.clusteroperator.name";

/** Keeps the ClusterOperators of OLM v0 that have a name. */
export function operatorReportControllers({ names, ...versions }: ClusterOperators): readonly Controller[] {
  const { operators, catalogs, packages } = names;
  const reporters = new Map<string, Reporter>([
    ...named(operators, async (reader) => ({
      kind: "operators",
      bundles: (await csvsIn(reader)).map(installedBundle),
    })),
    ...named(catalogs, () => Promise.resolve({ kind: "catalogs" })),
    ...named(packages, async (reader) => ({
      kind: "packages",
      csv: (await csvsIn(reader)).find(({ metadata }) => metadata.labels?.[clusterOperatorLabel] === packages),
    })),
  ]);
  if (reporters.size === 0) return [];
  const source = { type: clusterServiceVersions, scope: originals };
  return [clusterOperatorController({ name: "cluster-operator-v0", versions, source, reporters })];
}

const named = (name: string | undefined, reporter: Reporter): readonly (readonly [string, Reporter])[] =>
  name === undefined ? [] : [[name, reporter]];

const csvsIn = (reader: ObjectReader): Promise<readonly ClusterServiceVersion[]> =>
  reader.list(clusterServiceVersions, originals);

/** The properties of its bundle, else those that its author wrote into a CSV without a bundle. */
function installedBundle({ metadata }: ClusterServiceVersion): InstalledBundle {
  const { [propertiesAnnotation]: projected, [bundlePropertiesAnnotation]: written } = metadata.annotations ?? {};
  return { name: `${metadata.namespace}/${metadata.name}`, properties: projected ?? written };
}
