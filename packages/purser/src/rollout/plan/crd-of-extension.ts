import type { KubeObject } from "@purser/kubernetes/apis/object";
import { parseApiVersion } from "@purser/kubernetes/apis/resource-type";
import type { Explanation } from "../../explanation/explanation.ts";
import { ownerKindLabel, ownerNameLabel } from "../../apis/v1/labels.ts";

/** The object of OLM v1 that a user created and that controls a CRD. */
export interface ExtensionOwner {
  readonly kind: "ClusterExtension" | "ClusterObjectSet";
  readonly name: string;
}

/** A CRD that a step would write although OLM v1 controls it. */
export interface OwnedCrd {
  readonly crd: string;
  /** CSV that brings the CRD; empty when the step names none. */
  readonly csv: string;
  readonly owner: ExtensionOwner;
}

/**
 * The ClusterExtension that controls an object, by the owner labels when its controller is a revision; the ClusterObjectSet
 * itself when it belongs to no ClusterExtension; undefined when OLM v1 does not control the object.
 */
export function extensionOwnerOf({ metadata }: Pick<KubeObject, "metadata">): ExtensionOwner | undefined {
  const controller = metadata.ownerReferences?.find((reference) => reference.controller === true);
  if (controller === undefined || parseApiVersion(controller.apiVersion).group !== "olm.operatorframework.io")
    return undefined;
  if (controller.kind === "ClusterExtension") return { kind: "ClusterExtension", name: controller.name };
  if (controller.kind !== "ClusterObjectSet") return undefined;
  const { [ownerKindLabel]: kind, [ownerNameLabel]: name } = metadata.labels ?? {};
  return kind === "ClusterExtension" && name !== undefined
    ? { kind, name }
    : { kind: "ClusterObjectSet", name: controller.name };
}

/** Why an InstallPlan writes nothing: OLM v1 controls these CRDs. The remedies delete no CRD and no custom resource. */
export function crdsOwnedElsewhere(first: OwnedCrd, others: readonly OwnedCrd[]): Explanation {
  const { crd, csv, owner } = first;
  const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
  const all = [first, ...others];
  return {
    code: "ObjectOwnedElsewhere",
    summary: `CustomResourceDefinition "${crd}"${more}${csv === "" ? "" : ` of ${csv}`} belongs to ${owner.kind} "${owner.name}"; nothing was written`,
    facts: {
      objects: all.map((owned) => ({
        apiVersion: "apiextensions.k8s.io/v1",
        kind: "CustomResourceDefinition",
        name: owned.crd,
        owner: `${owned.owner.kind} "${owned.owner.name}"`,
      })),
    },
    derivation: all.map((owned) => ({
      relation: "elsewhere",
      subject: owned.crd,
      text: `CustomResourceDefinition "${owned.crd}" is owned by ${owned.owner.kind} "${owned.owner.name}"`,
    })),
    remedies: [
      {
        summary: `Delete the ${owner.kind} and keep its objects, and then remove its Deployments; or delete the Subscription to keep it`,
        command: releaseOf(owner),
        deletes: "objects",
      },
    ],
  };
}

function releaseOf({ kind, name }: ExtensionOwner): string {
  switch (kind) {
    case "ClusterExtension":
      return `kubectl delete clusterextension ${name} --cascade=orphan && kubectl delete clusterobjectset -l ${ownerNameLabel}=${name} --cascade=orphan`;
    case "ClusterObjectSet":
      return `kubectl delete clusterobjectset ${name} --cascade=orphan`;
  }
}
