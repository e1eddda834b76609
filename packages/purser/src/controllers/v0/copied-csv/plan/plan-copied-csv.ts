import type { Namespace } from "@purser/kubernetes/apis/core";
import type { ObjectKey } from "@purser/kubernetes/apis/object";
import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import type { Plan } from "@purser/kubernetes/kube/plan";
import { clusterServiceVersions } from "../../../../apis/olm-resources.ts";
import { operatorNamespaceAnnotation } from "../../../../apis/v0/labels.ts";
import type { CopyContent } from "./copy-of.ts";
import type { Source } from "./copying.ts";
import { isCopiedInto, isGarbage } from "./copying.ts";

/** Digests of what a copy holds. */
export interface CopyHashes {
  /** Of labels, annotations and spec. */
  readonly content: string;
  readonly status: string;
}

/** A copy as it is kept in memory. */
export interface HeldCopy {
  readonly uid: string;
  readonly resourceVersion: string;
  /** `olm.copiedFrom`. */
  readonly copiedFrom: string;
  /** `olm.operatorNamespace`, by which its original is found. */
  readonly operatorNamespace: string | undefined;
  readonly isDeleting: boolean;
  readonly hashes: CopyHashes;
}

export interface CopiedCsvWorld {
  readonly key: ObjectKey;
  readonly namespace: Namespace | undefined;
  /** Whether the key names a CSV of its own, which is no copy, or the copy of a CSV that is not watched. */
  readonly isOccupied: boolean;
  readonly copy: HeldCopy | undefined;
  /** All CSVs of the name that are no copies, sorted by namespace. */
  readonly sources: readonly Source[];
  /** Whether CSVs of groups for all namespaces are copied. */
  readonly everywhere: boolean;
  readonly contentOf: (source: Source) => { readonly content: CopyContent; readonly hashes: CopyHashes };
}

export interface CopiedCsvAction {
  readonly kind: "write";
  readonly write: ObjectWrite;
}

/**
 * One pass over the place of one copy, one write at most. A copy has one writer for its spec and its status; of several
 * originals it keeps to the one that it was copied from, else to the first by namespace.
 */
export function planCopiedCsv(world: CopiedCsvWorld): Plan<CopiedCsvAction> {
  const { key, namespace, copy, sources, everywhere } = world;
  const isLeaving = namespace === undefined || namespace.metadata.deletionTimestamp !== undefined;
  if (world.isOccupied || isLeaving || copy?.isDeleting === true) return { actions: [] };
  const target = key.namespace ?? "";
  const parent = sources.find(({ csv }) => csv.metadata.namespace === copy?.operatorNamespace);
  if (copy !== undefined && isGarbage(parent?.csv, target, everywhere))
    return write({
      verb: "delete",
      type: clusterServiceVersions,
      key,
      preconditions: { uid: copy.uid, resourceVersion: copy.resourceVersion },
    });
  const wanted = sources.filter((source) => isCopiedInto(source, target, everywhere));
  const source = wanted.find(({ csv }) => csv.metadata.namespace === copy?.copiedFrom) ?? wanted[0];
  if (source === undefined) return { actions: [] };
  const { content, hashes } = world.contentOf(source);
  const { labels, annotations, spec, status } = content;
  const object = {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: { namespace: target, name: key.name, labels, annotations },
  };
  if (copy === undefined) return write({ verb: "create", type: clusterServiceVersions, object: { ...object, spec } });
  const { uid, resourceVersion } = copy;
  const live = { ...object, metadata: { ...object.metadata, uid, resourceVersion } };
  if (copy.hashes.content !== hashes.content)
    return write({ verb: "replace", type: clusterServiceVersions, object: { ...live, spec } });
  if (copy.hashes.status !== hashes.status)
    return write({ verb: "replace", type: clusterServiceVersions, object: { ...live, status }, subresource: "status" });
  return { actions: [] };
}

const write = (request: ObjectWrite): Plan<CopiedCsvAction> => ({ actions: [{ kind: "write", write: request }] });

/** The namespace of a copy's original by its annotations. */
export const originalNamespace = (annotations: Readonly<Record<string, string>>): string | undefined =>
  annotations[operatorNamespaceAnnotation];
