import { findCondition } from "@purser/kubernetes/apis/condition";
import { type Digest, digestOf } from "@purser/kubernetes/digest";
import type { ClusterObjectSet } from "../../../apis/v1/cluster-object-set.ts";
import type { CertificateProvider } from "../../../bundle/render/certificate-need.ts";
import { byRevision } from "../../../rollout/plan/revision.ts";
import type { RevisionSource } from "./plan/revision-source.ts";

/** Extensions whose revisions are remembered. */
const mostExtensions = 10_000;

/**
 * The newest revisions as they were last found, with their Secrets, to be what their extensions ask for. While neither side changes,
 * a pass reads no bundle and sends no request, however long ago the bundle left memory.
 */
export class VerifiedRevisions {
  readonly #kept = new Map<string, RevisionSource & { readonly state: Digest }>();

  /** Call with a revision that is as desired, and all of whose Secrets exist. */
  note(extension: string, source: RevisionSource, revision: ClusterObjectSet): void {
    this.#kept.delete(extension);
    this.#kept.set(extension, { ...source, state: stateOf(revision) });
    const [oldest = ""] = this.#kept.keys();
    if (this.#kept.size > mostExtensions) this.#kept.delete(oldest);
  }

  /**
   * The name of the newest revision, with the provider that it was made for, when it is still as it was noted for this source. A
   * revision that cannot go on may have lost its Secrets, so it is never recalled.
   */
  recall(
    extension: string,
    made: Digest,
    revisions: readonly ClusterObjectSet[],
  ): { readonly revision: string; readonly provider?: CertificateProvider } | undefined {
    const known = this.#kept.get(extension);
    const latest = byRevision(revisions).at(-1);
    if (known?.made !== made || latest === undefined || !goesOn(latest) || known.state !== stateOf(latest))
      return undefined;
    const { provider } = known;
    return { revision: latest.metadata.name ?? "", ...(provider === undefined ? {} : { provider }) };
  }

  forget(extension: string): void {
    this.#kept.delete(extension);
  }
}

/** Everything of a revision that its extension writes; its status and the fields of other writers are left out. */
function stateOf({ metadata: { uid, generation, labels, annotations, ownerReferences } }: ClusterObjectSet): Digest {
  return digestOf(JSON.stringify([uid, generation, labels, annotations, ownerReferences]));
}

function goesOn({ status }: ClusterObjectSet): boolean {
  const progress = findCondition(status?.conditions, "Progressing");
  return progress === undefined || progress.reason === "Succeeded" || progress.reason === "RollingOut";
}
