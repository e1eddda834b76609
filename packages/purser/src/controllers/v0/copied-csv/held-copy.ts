import { createHash } from "node:crypto";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { plainJson } from "@purser/kubernetes/json";
import type { Reduction } from "@purser/kubernetes/kube/informer-cache";
import { canonicalJson } from "@purser/kubernetes/text/documents";
import type { ClusterServiceVersion } from "../../../apis/v0/cluster-service-version.ts";
import { copiedFromLabel } from "../../../apis/v0/labels.ts";
import type { CopyContent } from "./plan/copy-of.ts";
import { type CopyHashes, type HeldCopy, originalNamespace } from "./plan/plan-copied-csv.ts";

const hashOf = (value: object): string =>
  createHash("sha256")
    .update(canonicalJson(plainJson(value)))
    .digest("base64");

/** Digests of content that was or is to be stored. */
export function copyHashes({ labels, annotations, spec, status }: CopyContent): CopyHashes {
  return { content: hashOf({ labels, annotations, spec }), status: hashOf(status) };
}

/** One text for equal ones: thousands of copies have the same labels and digests. */
const shared = new Map<string, string>();
const mostShared = 10_000;

function once(text: string): string {
  const known = shared.get(text);
  if (known !== undefined) return known;
  if (shared.size >= mostShared) shared.clear();
  shared.set(text, text);
  return text;
}

/** What memory holds of a copy: there may be one of every operator in every namespace. */
interface ReducedCopy extends KubeObject {
  readonly status: Omit<HeldCopy, "uid" | "resourceVersion" | "isDeleting">;
}

/** Keeps digests of copies instead of their content. */
export const digestsOfCopies: Reduction = {
  name: "copied-csv",
  reduce(object): ReducedCopy {
    const { apiVersion, kind, metadata, spec, status } = object as ClusterServiceVersion;
    const { namespace = "", name = "", uid = "", resourceVersion = "", labels = {}, annotations = {} } = metadata;
    const { deletionTimestamp } = metadata;
    const { content, status: statusHash } = copyHashes({ labels, annotations, spec, status: status ?? {} });
    const operatorNamespace = originalNamespace(annotations);
    const copiedFrom = once(labels[copiedFromLabel] ?? "");
    return {
      apiVersion,
      kind,
      metadata: {
        namespace,
        name: once(name),
        uid,
        resourceVersion,
        labels: { [copiedFromLabel]: copiedFrom },
        ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
      },
      status: {
        copiedFrom,
        operatorNamespace: operatorNamespace === undefined ? undefined : once(operatorNamespace),
        hashes: { content: once(content), status: once(statusHash) },
      },
    };
  },
};

/** Reads a reduced copy. */
export function heldCopy(object: KubeObject): HeldCopy {
  const { uid = "", resourceVersion = "", deletionTimestamp } = object.metadata;
  return { uid, resourceVersion, isDeleting: deletionTimestamp !== undefined, ...(object as ReducedCopy).status };
}
