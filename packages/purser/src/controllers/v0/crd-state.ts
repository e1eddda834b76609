import type { CustomResourceDefinition } from "@purser/kubernetes/apis/apiextensions";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { customResourceDefinitions } from "@purser/kubernetes/apis/resources";
import { type JsonValue, plainJson } from "@purser/kubernetes/json";
import type { ObjectChange, Reduction } from "@purser/kubernetes/kube/informer-cache";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import { componentLabelPrefix, installedAlongsideAnnotationPrefix, managedLabel } from "../../apis/v0/labels.ts";
import { type CsvKey, installedAlongside } from "../../rollout/plan/installed-alongside.ts";

/** A definition without schemas, which are most of it: what decisions about operators and their plans read. Others stay as they are. */
export const crdState: Reduction = {
  name: "state",
  reduce(object) {
    if (object.kind !== customResourceDefinitions.kind) return object;
    const { managedFields: _dropped, annotations = {}, ...metadata } = object.metadata;
    const marks = Object.entries(annotations).filter(([key]) => key.startsWith(installedAlongsideAnnotationPrefix));
    const { spec, ...crd } = object as CustomResourceDefinition;
    const versions = spec.versions.map(({ schema: _schema, ...version }) => version);
    return {
      ...crd,
      metadata: { ...metadata, annotations: Object.fromEntries(marks) },
      spec: { ...spec, versions },
    } as KubeObject;
  },
};

/** Whether more of a definition changed, as `crdState` shows it, than which CSVs it was installed with and which Operators it belongs to. */
export function changedBeyondMarks({ before, after }: ObjectChange): boolean {
  return before === undefined || after === undefined || !deepEqual(withoutMarks(before), withoutMarks(after));
}

function withoutMarks({ metadata, ...object }: KubeObject): JsonValue {
  const { annotations: _marks, resourceVersion: _version, labels = {}, ...rest } = metadata;
  const others = Object.entries(labels).filter(([key]) => !key.startsWith(componentLabelPrefix));
  return plainJson({ ...object, metadata: { ...rest, labels: Object.fromEntries(others) } });
}

/** The CSVs whose marks a definition got or lost. */
export function changedMarks({ before, after }: ObjectChange): readonly CsvKey[] {
  const [then, now] = [before, after].map((crd) => installedAlongside(crd?.metadata.annotations));
  const only = (one: typeof then, other: typeof then): readonly CsvKey[] =>
    [...(one ?? [])].flatMap(([mark, csv]) => (other?.has(mark) === true ? [] : [csv]));
  return [...only(then, now), ...only(now, then)];
}

/** The definitions that InstallPlans wrote. */
export const managedCrds = {
  type: customResourceDefinitions,
  scope: { labelSelector: `${managedLabel}=true` },
  projection: crdState,
} as const;

/** Whether `managedCrds` shows the definition. */
export const isManagedCrd = ({ metadata }: KubeObject): boolean => metadata.labels?.[managedLabel] === "true";
