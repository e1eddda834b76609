import type { ClusterServiceVersion } from "../../../apis/v0/cluster-service-version.ts";
import type { Subscription } from "../../../apis/v0/subscription.ts";
import { type RolledBack, rolledBackOf } from "../../../apis/policy/rolled-back.ts";

type Csvs = readonly ClusterServiceVersion[];

const nameOf = ({ metadata }: ClusterServiceVersion): string => metadata.name ?? "";

/** A Subscription that goes back to its former version. */
export interface GoingBack {
  readonly record: RolledBack;
  /** Still exists, as what replaces it never succeeded. */
  readonly to: ClusterServiceVersion;
  /** Those that are left, the newest first: the one that the record names is the last. */
  readonly left: Csvs;
}

/** Undefined when the Subscription records no rollback, or when that one is over. */
export function goingBack({ metadata }: Subscription, csvs: Csvs): GoingBack | undefined {
  const record = rolledBackOf(metadata);
  const from = csvs.find((csv) => csv.metadata.uid === record?.uid && nameOf(csv) === record?.bundle);
  const to = csvs.find((csv) => nameOf(csv) === record?.to && csv.metadata.deletionTimestamp === undefined);
  if (record === undefined || from === undefined || to === undefined) return undefined;
  const left = [from];
  for (let at: ClusterServiceVersion | undefined = from; at !== undefined;) {
    const name = nameOf(at);
    at = csvs.find((csv) => csv.spec.replaces === name && csv !== to && !left.includes(csv));
    if (at !== undefined) left.unshift(at);
  }
  return { record, to, left };
}

/** What a CSV is left for: its former version, which exists; undefined for one that is not left. */
export function leftFor(csv: ClusterServiceVersion, csvs: Csvs): ClusterServiceVersion | undefined {
  const record = rolledBackOf(csv.metadata);
  if (record?.uid === undefined || (record.bundle === nameOf(csv) && record.uid !== csv.metadata.uid)) return undefined;
  if (record.to === nameOf(csv)) return undefined;
  return csvs.find((one) => nameOf(one) === record.to && one.metadata.deletionTimestamp === undefined);
}
