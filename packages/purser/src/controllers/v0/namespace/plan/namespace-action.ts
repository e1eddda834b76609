import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import type { InstallPlan } from "../../../../apis/v0/install-plan.ts";
import type { Subscription, SubscriptionStatus } from "../../../../apis/v0/subscription.ts";
import type { WantedInstallPlan } from "../../../../resolver/v0/install-plan/wanted-install-plan.ts";

export type NamespaceAction =
  | { readonly kind: "write"; readonly write: ObjectWrite }
  /** All are created before any of them gets its steps: the first one that has steps is executed at once. */
  | { readonly kind: "installPlans"; readonly plans: readonly MadeInstallPlan[] }
  /** A Warning about a Subscription, or about the namespace. */
  | {
      readonly kind: "announce";
      readonly reason: "ResolutionFailed" | "BundleUnpackFailed" | "RolledBack";
      readonly message: string;
      readonly subscription?: Subscription;
    };

/** A plan to create, or to find when a pass before a crash made it, and the Subscriptions to point at it. */
export interface MadeInstallPlan {
  readonly wanted: WantedInstallPlan;
  readonly existing: InstallPlan | undefined;
  readonly subscriptions: readonly {
    readonly subscription: Subscription;
    readonly status: SubscriptionStatus;
    readonly currentCSV: string;
  }[];
}
