import type { Lease } from "@purser/kubernetes/apis/coordination";
import { leases } from "@purser/kubernetes/apis/resources";
import type { Clock } from "@purser/kubernetes/clock";
import type { KubeClient } from "@purser/kubernetes/kube/client";

/** The Lease that says which replica leads. */
export interface HeldLease {
  readonly namespace: string;
  readonly name: string;
  /** How this process is called in it. */
  readonly identity: string;
}

/** Other replicas look at a Lease that was released at least this often. */
const patienceMs = 3000;
const lookEveryMs = 100;

/**
 * Whether another replica leads, or does so within a few seconds: for one that ends, after it has released the Lease. False as well
 * when the API server does not answer.
 */
export async function isTakenOver(
  { identity, ...key }: HeldLease,
  { client, clock }: { readonly client: KubeClient; readonly clock: Clock },
): Promise<boolean> {
  const never = new AbortController().signal;
  const deadline = clock.monotonic() + patienceMs;
  for (;;) {
    const lease = await client.get(leases, key).catch(() => undefined);
    if (lease !== undefined && isHeldByOther(lease, identity, clock.now())) return true;
    if (clock.monotonic() >= deadline) return false;
    await clock.sleep(lookEveryMs, never);
  }
}

/** Held by another replica that has renewed it; one that was killed has not. */
function isHeldByOther({ spec = {} }: Lease, identity: string, now: number): boolean {
  const { holderIdentity = "", renewTime = "", leaseDurationSeconds = 15 } = spec;
  if (holderIdentity === "" || holderIdentity === identity) return false;
  return now <= Date.parse(renewTime) + leaseDurationSeconds * 1000;
}
