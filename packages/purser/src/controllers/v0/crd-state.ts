import type { CustomResourceDefinition } from "@purser/kubernetes/apis/apiextensions";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { customResourceDefinitions } from "@purser/kubernetes/apis/resources";
import type { Reduction } from "@purser/kubernetes/kube/informer-cache";
import { installedAlongsideAnnotationPrefix, managedLabel } from "../../apis/v0/labels.ts";

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

/** The definitions that InstallPlans wrote. */
export const managedCrds = {
  type: customResourceDefinitions,
  scope: { labelSelector: `${managedLabel}=true` },
  projection: crdState,
} as const;

/** Whether `managedCrds` shows the definition. */
export const isManagedCrd = ({ metadata }: KubeObject): boolean => metadata.labels?.[managedLabel] === "true";
