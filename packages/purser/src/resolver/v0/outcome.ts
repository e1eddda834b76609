import type { Subscription } from "../../apis/v0/subscription.ts";
import type { BundleSummary, Property } from "../../catalog/catalog-index.ts";
import type { Explanation } from "../../explanation/explanation.ts";
import type { CatalogKey } from "./input.ts";

/** A bundle chosen from a catalog; what is installed already and stays is not listed. */
export interface ResolvedOperator {
  readonly bundle: BundleSummary;
  readonly catalog: CatalogKey;
  readonly defaultChannel: boolean;
  /** CSV that this one replaces: the installed one when the Subscription has it, else the catalog's `replaces`. */
  readonly replaces?: string;
  /** Set when a Subscription asked for this very CSV. */
  readonly startingCSV?: string;
  /** Properties as OLM hands them on: the bundle's own, then translated dependencies. */
  readonly properties: readonly Property[];
  /** The same as the text of a bundle lookup: `{"properties":[...]}`. */
  readonly propertiesText: string;
  /** Subscriptions that this bundle serves, also those that stay as they are. */
  readonly subscriptions: readonly Subscription[];
  /** Subscription to make, when none serves the bundle (a dependency). */
  readonly newSubscription?: NewSubscription;
  /** True when every Subscription is at this CSV and the CSV exists: nothing to unpack, nothing to write. */
  readonly upToDate: boolean;
}

/** Subscription that a plan makes for a dependency; approval is `Automatic`. */
export interface NewSubscription {
  /** `<package>-<channel>-<catalog>-<catalog namespace>` */
  readonly name: string;
  readonly spec: {
    readonly source: string;
    readonly sourceNamespace: string;
    readonly name: string;
    readonly channel: string;
    readonly startingCSV: string;
    readonly installPlanApproval: "Automatic";
  };
}

/** A Subscription whose `status.currentCSV` changes. */
export interface UpdatedSubscription {
  readonly subscription: Subscription;
  readonly currentCSV: string;
}

/** A part of a decision that depends on no other part. */
export interface InstallSet {
  /** In the order of steps and lookups. */
  readonly operators: readonly ResolvedOperator[];
  readonly updated: readonly UpdatedSubscription[];
  /** All of these operators and of what is installed and linked with them, also those that stay as they are. */
  readonly subscriptions: readonly Subscription[];
}

export type NamespaceOutcome =
  | {
      readonly kind: "resolved";
      /** In the order of steps and lookups. */
      readonly operators: readonly ResolvedOperator[];
      readonly updated: readonly UpdatedSubscription[];
      /** The same in parts; each operator is in one. */
      readonly sets: readonly InstallSet[];
    }
  | {
      /** Condition ResolutionFailed, reason ConstraintsNotSatisfiable; no retry before an input changes. */
      readonly kind: "unsatisfiable";
      /** `constraints not satisfiable: ` and the texts, as OLM prints them. */
      readonly upstream: string;
      /** The texts alone, sorted. */
      readonly constraints: readonly string[];
      readonly explanation: Explanation;
    }
  | {
      /** Reason ErrorPreventedResolution; retried. */
      readonly kind: "error";
      readonly upstream: string;
      readonly explanation: Explanation;
    };
