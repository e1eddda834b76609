import type { KnownMembers } from "./memory/known-members.ts";
import type { SecretContents } from "./memory/secret-contents.ts";
import type { GroupVersionKind, ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { Clock } from "@purser/kubernetes/clock";
import type { Entropy } from "@purser/kubernetes/entropy";
import type { VersionView } from "@purser/kubernetes/kube/informer-cache";
import type { KindLookup } from "@purser/kubernetes/kube/discovery";
import type { ObjectReader } from "@purser/kubernetes/kube/object-reader";
import type { ObjectWriter } from "@purser/kubernetes/kube/object-writer";

export interface ObjectSetPorts {
  /** Live reads of any served kind. */
  readonly reader: ObjectReader;
  readonly writer: ObjectWriter;
  lookUp(kind: GroupVersionKind): Promise<KindLookup>;
  /** All served types, those that cannot be listed too. */
  servedTypes(): Promise<readonly ResourceType[]>;
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** What was read of Secrets before, kept from pass to pass; absent: nothing. */
  readonly secretContents?: SecretContents;
  /** What passes saw before, and what watches show of it since; absent: everything is read in each pass. */
  readonly known?: { readonly members: KnownMembers; readonly versions: Pick<VersionView, "changeSince" | "lastSeen"> };
}
