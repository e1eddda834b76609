import { formatTime } from "@purser/kubernetes/clock";
import type { SeenBundles } from "../../../apis/policy/update-policy.ts";

/** What catalogs offer an installation: the bundles that it may be upgraded to one day. */
export interface Offer {
  readonly packageName: string;
  /** Names of bundles with a version above the installed one; all of them without one. */
  readonly bundles: readonly string[];
  /** Whether every catalog that may have the package can be read now. */
  readonly isComplete: boolean;
}

/** More bundles are not recorded, and a policy with `soak` holds back what it has not recorded. */
const mostBundles = 2_000;

/**
 * The record after this pass: what it had, without what the catalogs no longer offer, and with what they offer now and it did not
 * have. While a catalog cannot be read nothing of its packages is dropped, so that an outage or a restart begins no soak anew.
 */
export function recordedOffers(
  before: readonly SeenBundles[],
  offers: readonly Offer[],
  now: number,
): readonly SeenBundles[] {
  const kept: SeenBundles[] = [];
  const fresh: SeenBundles[] = [];
  for (const [packageName, own] of Map.groupBy(offers, (offer) => offer.packageName)) {
    const offered = new Set(own.flatMap(({ bundles }) => bundles));
    const stays = own.every(({ isComplete }) => isComplete) ? (name: string) => offered.has(name) : () => true;
    const former = before.flatMap((one) => {
      const bundles = one.package === packageName ? one.bundles.filter(stays) : [];
      return bundles.length === 0 ? [] : [{ ...one, bundles }];
    });
    kept.push(...former);
    const known = new Set(former.flatMap(({ bundles }) => bundles));
    const bundles = [...offered].filter((name) => !known.has(name)).toSorted();
    if (bundles.length > 0) fresh.push({ package: packageName, at: formatTime(now), bundles });
  }
  let room = mostBundles - kept.reduce((sum, { bundles }) => sum + bundles.length, 0);
  const fitting = fresh.flatMap((one) => {
    const bundles = one.bundles.slice(0, Math.max(room, 0));
    room -= bundles.length;
    return bundles.length === 0 ? [] : [{ ...one, bundles }];
  });
  return [...kept, ...fitting].toSorted((left, right) =>
    left.package === right.package ? Date.parse(left.at) - Date.parse(right.at) : left.package < right.package ? -1 : 1,
  );
}
