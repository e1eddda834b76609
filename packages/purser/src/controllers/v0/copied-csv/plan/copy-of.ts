import type {
  ClusterServiceVersion,
  ClusterServiceVersionStatus,
} from "../../../../apis/v0/cluster-service-version.ts";
import {
  copiedFromLabel,
  lastAppliedAnnotation,
  stateAnnotation,
  targetNamespacesAnnotation,
} from "../../../../apis/v0/labels.ts";

/** A copy of a CSV for any namespace, as OLM's `ensureCSVsInNamespaces` makes it. */
export interface CopyContent {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: ClusterServiceVersion["spec"];
  readonly status: ClusterServiceVersionStatus;
}

/** Labels of components would make the copy one. */
const componentPrefix = "operators.coreos.com/";

export function copyOf({ metadata, spec, status }: ClusterServiceVersion): CopyContent {
  const { namespace = "", labels = {}, annotations = {} } = metadata;
  const left = new Set([targetNamespacesAnnotation, lastAppliedAnnotation, stateAnnotation]);
  return {
    labels: {
      ...Object.fromEntries(Object.entries(labels).filter(([key]) => !key.startsWith(componentPrefix))),
      [copiedFromLabel]: namespace,
    },
    annotations: Object.fromEntries(Object.entries(annotations).filter(([key]) => !left.has(key))),
    spec,
    status: {
      ...status,
      reason: "Copied",
      message: `The operator is running in ${namespace} but is managing this namespace`,
    },
  };
}
