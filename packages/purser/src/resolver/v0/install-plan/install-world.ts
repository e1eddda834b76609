import type { BundleLookup, InstallPlan, InstallPlanSpec, Step } from "../../../apis/v0/install-plan.ts";
import type { Subscription } from "../../../apis/v0/subscription.ts";
import type { ImageAcceptance } from "../../../catalog/image-acceptance.ts";
import type { NamespaceCatalog } from "../input.ts";
import type { KnownContents } from "./known-content.ts";

/** What an InstallPlan is made from, beside the outcome of the resolution. Objects of other namespaces are ignored. */
export interface InstallWorld {
  readonly namespace: string;
  readonly subscriptions: readonly Subscription[];
  readonly installPlans: readonly InstallPlan[];
  /** Asked for bundles without an image. */
  readonly catalogs: readonly NamespaceCatalog[];
  readonly contents: KnownContents;
  /** Bundles that bring APIs of the lifecycle manager; accepted with `--compat=reserved-groups`. */
  readonly reservedGroups: "accepted" | "refused";
  /** Policies that ask for approval, with what each asks; absent and empty: only `installPlanApproval` counts. */
  readonly approvals?: readonly string[];
}

/** What a resolution installs, as far as the contents of its bundles are known. */
export interface InstallContent {
  /** As in `status.plan`. */
  readonly steps: readonly Step[];
  /** As in `status.bundleLookups`; with conditions while the bundle's content is missing. */
  readonly lookups: readonly BundleLookup[];
  /** Of the InstallPlan; undefined when none is made, because no Subscription moves. */
  readonly spec: InstallPlanSpec | undefined;
  /** How the signature policy accepted the bundles' images; empty without a policy. */
  readonly accepted: readonly { readonly csv: string; readonly by: ImageAcceptance }[];
}
