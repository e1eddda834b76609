import type { Pod, Service } from "@purser/kubernetes/apis/core";
import type { KubeObject } from "@purser/kubernetes/apis/object";

const trigger = "endpoints.kubernetes.io/last-change-trigger-time";

interface Seen {
  readonly service: string;
  readonly pods: ReadonlyMap<string, string>;
}

/** When the pod's Ready condition last changed; empty when it never did. */
function changedAt(pod: Pod): string {
  return pod.status?.conditions?.find(({ type }) => type === "Ready")?.lastTransitionTime ?? "";
}

/**
 * What a controller has seen of its Services, to compute the annotation
 * endpoints.kubernetes.io/last-change-trigger-time.
 */
export class TriggerTimes {
  readonly #seen = new Map<string, Seen>();

  /**
   * The earliest change since the last call: creation of the Service or a pod that became ready. Undefined when there
   * is none.
   */
  next(key: string, service: Service, selected: readonly Pod[]): string | undefined {
    const before = this.#seen.get(key);
    const created = service.metadata.creationTimestamp ?? "";
    const pods = new Map<string, string>();
    const changed = created > (before?.service ?? "") ? [created] : [];
    for (const pod of selected) {
      const name = pod.metadata.name ?? "";
      const time = changedAt(pod);
      if (time === "") continue;
      pods.set(name, time);
      if (time > (before?.pods.get(name) ?? "")) changed.push(time);
    }
    this.#seen.set(key, { service: created, pods });
    return changed.toSorted()[0];
  }

  forget(key: string): void {
    this.#seen.delete(key);
  }
}

/** Annotations of endpoints that are written for that change; without one the old time is removed. */
export function triggerAnnotation(
  held: KubeObject | undefined,
  time: string | undefined,
): { readonly annotations?: Readonly<Record<string, string>> } {
  const { [trigger]: _before, ...kept } = held?.metadata.annotations ?? {};
  const annotations = time === undefined ? kept : { ...kept, [trigger]: time };
  return Object.keys(annotations).length === 0 ? {} : { annotations };
}
