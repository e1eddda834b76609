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

/** A recurring time in which upgrades may begin. */
export interface PolicyWindow {
  /** When it opens: a cron expression of five fields. */
  readonly schedule: string;
  /** How long it stays open, such as `4h`; 7 days at most. */
  readonly duration: string;
  /** Of the schedule, such as `Europe/Berlin`; absent means UTC. */
  readonly timeZone?: string;
}

/** `Manual`: a person approves the change before it is made. */
export type ApprovalMode = "Automatic" | "Manual";

/** By what changes; absent means `Automatic`, which leaves the choice to `installPlanApproval`. */
export interface PolicyApproval {
  /** First installations. */
  readonly install?: ApprovalMode;
  readonly patch?: ApprovalMode;
  readonly minor?: ApprovalMode;
  readonly major?: ApprovalMode;
}

/** `RequireApproval`: a person approves the upgrade before it is made. */
export type ChangeMode = "Allow" | "RequireApproval" | "Deny";

/** Rules of the CRD checks by which an upgrade may break stored objects. */
export const crdRules = [
  "deletion",
  "storedObjects",
  "scope",
  "storedVersionRemoval",
  "existingFieldRemoval",
  "default",
  "enum",
  "maximum",
  "maxItems",
  "maxLength",
  "maxProperties",
  "minimum",
  "minItems",
  "minLength",
  "minProperties",
  "required",
  "type",
  "pattern",
  "nullable",
  "oneOf",
  "unhandled",
] as const;

export type CrdRule = (typeof crdRules)[number];

/** What a finding of a rule means for `crdChange`: it counts, it is only shown, it is left out. */
export type CrdRuleAction = "Error" | "Warn" | "Off";

/** What is done about bundles that a bundle requires and that are not installed. */
export type DependencyMode = "Verify" | "Propose" | "Install";

/**
 * `BeforeReady`: while nothing of the new version was ready; a ClusterExtension goes back by itself when its time is over. `Checked`: after a person saw what cannot be undone.
 */
export type RollbackMode = "Never" | "BeforeReady" | "Checked";

export interface UpdatePolicySpec {
  readonly selector?: UpdatePolicySelector;
  readonly versions?: PolicyVersions;
  /** Of upgrades; a first installation has none. */
  readonly level?: UpdateLevel;
  /** What a person has to approve. */
  readonly approval?: PolicyApproval;
  /** Upgrades begin only while one of them is open; absent means at any time. */
  readonly windows?: readonly PolicyWindow[];
  /** How long a version has to be known before an installation is upgraded to it, such as `3d`; see `firstSeen`. */
  readonly soak?: string;
  /** Of upgrades that give a ServiceAccount more than it has; absent means `Allow`. */
  readonly permissionIncrease?: ChangeMode;
  /** Of upgrades whose CRDs break a rule with `Error`; absent means `Allow`. */
  readonly crdChange?: ChangeMode;
  /** By rule; absent means `Error`. */
  readonly crdRules?: Readonly<Partial<Record<CrdRule, CrdRuleAction>>>;
  /** Of ClusterExtensions; absent leaves the choice to each. */
  readonly dependencies?: DependencyMode;
  /** Absent means `Checked`. */
  readonly rollback?: RollbackMode;
  /** Shown wherever the policy holds something back. */
  readonly reason?: string;
  /** RFC 3339; from then on the policy holds nothing back. */
  readonly until?: string;
}

/** Bundles that Purser saw for the first time at one moment. */
export interface SeenBundles {
  readonly package: string;
  /** RFC 3339. */
  readonly at: string;
  readonly bundles: readonly string[];
}

export interface UpdatePolicyStatus {
  /** For how many installations it decides. */
  readonly installations?: number;
  /** With `soak`: since when the catalogs are known to have the versions that installations may be upgraded to. */
  readonly firstSeen?: readonly SeenBundles[];
  /** `Deciding`: False where it cannot be read, has ended or ties with another. */
  readonly conditions?: readonly Condition[];
}

/** Which versions the Subscriptions of its namespace may get. */
export interface UpdatePolicy extends KubeObject {
  readonly spec: UpdatePolicySpec;
  readonly status?: UpdatePolicyStatus;
}
