import { formatKey, type KubeObject, type ObjectKey } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { systemClock } from "@purser/kubernetes/system/system-clock";

export interface Waiting {
  readonly client: KubeClient;
  readonly signal: AbortSignal;
  /** Monotonic milliseconds. */
  readonly deadline: number;
}

export const pauseMs = 200;

export const isOver = ({ deadline }: Pick<Waiting, "deadline">): boolean => systemClock.monotonic() > deadline;

/** Waits until an object is deleted; the object when it still exists at the deadline. */
export async function untilDeleted(
  waiting: Waiting,
  { type, key }: { readonly type: ResourceType; readonly key: ObjectKey },
): Promise<KubeObject | undefined> {
  for (;;) {
    const left = await waiting.client.get(type, key);
    if (left === undefined || isOver(waiting)) return left;
    await systemClock.sleep(pauseMs, waiting.signal);
  }
}

/** An object that is not deleted yet, with the finalizers that it waits for. */
export function describeLeft({ kind }: ResourceType, key: ObjectKey, { metadata }: KubeObject): string {
  const finalizers = metadata.finalizers ?? [];
  const held = finalizers.length === 0 ? "" : `, which waits for the finalizer ${finalizers.join(", ")}`;
  return `${kind} ${formatKey(key)}${held}`;
}
