import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import type { InstallPlan } from "../../../../apis/v0/install-plan.ts";
import type { Subscription, SubscriptionStatus } from "../../../../apis/v0/subscription.ts";
import type { WantedInstallPlan } from "../../../../resolver/v0/install-plan/wanted-install-plan.ts";

export type NamespaceAction =
  | { readonly kind: "write"; readonly write: ObjectWrite }
  /** Creates the plan, or finds the one that a pass before a crash made, and points the Subscriptions at it. */
  | {
      readonly kind: "installPlan";
      readonly wanted: WantedInstallPlan;
      readonly existing: InstallPlan | undefined;
      readonly subscriptions: readonly {
        readonly subscription: Subscription;
        readonly status: SubscriptionStatus;
        readonly currentCSV: string;
      }[];
    }
  | { readonly kind: "announce"; readonly reason: string; readonly message: string };
