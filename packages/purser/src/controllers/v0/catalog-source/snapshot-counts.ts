import type { ObjectKey } from "@purser/kubernetes/apis/object";
import type { Digest } from "@purser/kubernetes/digest";
import type { Counters } from "@purser/kubernetes/kube/counters";

/** Counts the contents that each CatalogSource has had in `catalog_source_snapshots_total`. */
export class SnapshotCounts {
  readonly #metrics: Counters;
  /** By `NAMESPACE/NAME`: what was counted last. */
  readonly #counted = new Map<string, Digest>();

  constructor(metrics: Counters) {
    this.#metrics = metrics;
  }

  /** The CatalogSource has this content now; without any the last content stays the one that is compared with. */
  holds({ namespace = "", name }: ObjectKey, digest: Digest | undefined): void {
    const id = `${namespace}/${name}`;
    if (digest === undefined || this.#counted.get(id) === digest) return;
    this.#counted.set(id, digest);
    this.#metrics.add("catalog_source_snapshots_total", { namespace, name });
  }

  /** The CatalogSource does not exist: one that is created with its name is counted anew. */
  forget({ namespace = "", name }: ObjectKey): void {
    this.#counted.delete(`${namespace}/${name}`);
  }
}
