import type { ProbeAssertion, ProgressionProbe } from "../../apis/v1/cluster-object-set.ts";

function probe(group: string, kind: string, ...assertions: readonly ProbeAssertion[]): ProgressionProbe {
  return { selector: { type: "GroupKind", groupKind: { group, kind } }, assertions };
}

function condition(type: string): ProbeAssertion {
  return { type: "ConditionEqual", conditionEqual: { type, status: "True" } };
}

function field(fieldPath: string, value: string): ProbeAssertion {
  return { type: "FieldValue", fieldValue: { fieldPath, value } };
}

const updated: ProbeAssertion = {
  type: "FieldsEqual",
  fieldsEqual: { fieldA: "status.updatedReplicas", fieldB: "status.replicas" },
};

/** When an object counts as ready; written into every revision that an extension makes. */
export const defaultProbes: readonly ProgressionProbe[] = [
  probe("apiextensions.k8s.io", "CustomResourceDefinition", condition("Established")),
  probe("cert-manager.io", "Certificate", condition("Ready")),
  probe("cert-manager.io", "Issuer", condition("Ready")),
  probe("", "Namespace", field("status.phase", "Active")),
  probe("", "PersistentVolumeClaim", field("status.phase", "Bound")),
  probe("apps", "StatefulSet", updated, condition("Available")),
  probe("apps", "Deployment", updated, condition("Available")),
];
