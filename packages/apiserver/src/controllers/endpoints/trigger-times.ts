import type { Pod, Service } from "@purser/kubernetes/apis/core";
import type { KubeObject } from "@purser/kubernetes/apis/object";

const trigger = "endpoints.kubernetes.io/last-change-trigger-time";

interface Seen {
  readonly service: string;
  readonly pods: ReadonlyMap<string, string>;
}

/** When a pod last became ready or unready; empty before it was either. */
function changedAt(pod: Pod): string {
  return pod.status?.conditions?.find(({ type }) => type === "Ready")?.lastTransitionTime ?? "";
}

/** What a controller of endpoints has seen of its services, to tell since when its next write is due. */
export class TriggerTimes {
  readonly #seen = new Map<string, Seen>();

  /** The earliest change that was not seen before: the service's creation, a pod that became ready. Undefined for others. */
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

/** The annotations of endpoints that are written for that change; without one the old time goes. */
export function triggerAnnotation(
  held: KubeObject | undefined,
  time: string | undefined,
): { readonly annotations?: Readonly<Record<string, string>> } {
  const { [trigger]: _before, ...kept } = held?.metadata.annotations ?? {};
  const annotations = time === undefined ? kept : { ...kept, [trigger]: time };
  return Object.keys(annotations).length === 0 ? {} : { annotations };
}
