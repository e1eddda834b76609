import type { Condition } from "@purser/kubernetes/apis/condition";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { LabelSelector } from "@purser/kubernetes/apis/selector";

/** How far an upgrade may go: `patch` keeps major and minor, `minor` keeps major. */
export type UpdateLevel = "none" | "patch" | "minor" | "major";

/** Which installations a policy is for; an installation has to match every part that is set. */
export interface UpdatePolicySelector {
  /** Names of Subscriptions or ClusterExtensions. */
  readonly names?: readonly string[];
  readonly packages?: readonly string[];
  readonly kinds?: readonly ("Subscription" | "ClusterExtension")[];
  readonly labels?: LabelSelector;
}

/** Versions that may be installed. */
export interface PolicyVersions {
  /** A range as in ClusterExtensions, such as `>=1.2 <2`. */
  readonly range?: string;
  /** Exactly these; absent means any. */
  readonly allowed?: readonly string[];
  readonly denied?: readonly string[];
}

export interface UpdatePolicySpec {
  readonly selector?: UpdatePolicySelector;
  readonly versions?: PolicyVersions;
  /** Of upgrades; a first installation has none. */
  readonly level?: UpdateLevel;
  /** Shown wherever the policy holds something back. */
  readonly reason?: string;
  /** RFC 3339; from then on the policy holds nothing back. */
  readonly until?: string;
}

export interface UpdatePolicyStatus {
  /** For how many installations it decides. */
  readonly installations?: number;
  /** `Deciding`: False where it cannot be read, has ended or ties with another. */
  readonly conditions?: readonly Condition[];
}

/** Which versions the Subscriptions of its namespace may get. */
export interface UpdatePolicy extends KubeObject {
  readonly spec: UpdatePolicySpec;
  readonly status?: UpdatePolicyStatus;
}
