import type { ClusterExtension } from "../../../../apis/v1/cluster-extension.ts";
import type { ClusterObjectSet } from "../../../../apis/v1/cluster-object-set.ts";
import type { ConfigFault } from "../../../../bundle/config-schema.ts";
import type { RegistryBundle } from "../../../../bundle/registry-bundle.ts";
import type { CertificateProvider } from "../../../../bundle/render/certificate-need.ts";
import type { RenderedBundle } from "../../../../bundle/render/render-v1.ts";
import type { ContentState } from "../../../../catalog/content.ts";
import type { Explanation } from "../../../../explanation/explanation.ts";
import type { ApprovedPlan } from "../../../../policy/approved-plan.ts";
import type { InstallationHolds } from "../../../../policy/installation-holds.ts";
import type { RolledBack } from "../../../../apis/policy/rolled-back.ts";
import type { MissingCatalog } from "../../../../resolver/v1/outcome.ts";
import type { Digest } from "@purser/kubernetes/digest";
import type { JsonObject } from "@purser/kubernetes/json";
import type { Result } from "@purser/kubernetes/result";
import type { RevisionSource } from "./revision-source.ts";
import type { AutomaticRollback } from "../../../plan/automatic-rollback.ts";
import type { RevisionBundle, RevisionStates } from "./revision-state.ts";

/** The bundle to roll out, with what it renders to once its content is there. */
export interface WantedBundle {
  readonly bundle: RevisionBundle;
  readonly content: ContentState;
  /** Of the bundle's files, when revisions are pinned to it. */
  readonly digest?: Digest;
  /** Who issues the certificates of its webhooks, when revisions are pinned to it and it has some. */
  readonly certificateProvider?: CertificateProvider;
  /** As it was read; absent while the content is missing, and when it cannot be read. */
  readonly registry?: RegistryBundle;
  /** Absent while the content is missing. The problem is OLM's text; a terminal one is not retried before the spec changes. */
  readonly rendered?: Result<
    | {
        readonly kind: "objects";
        readonly objects: RenderedBundle["objects"];
        readonly properties?: string;
        readonly source: RevisionSource;
      }
    /** The newest revision, which was made from the same: nothing is rendered. */
    | { readonly kind: "verified"; readonly revision: string },
    {
      readonly message: string;
      /** `Blocked`: another bundle is needed. */
      readonly reason: "Retrying" | "Blocked" | "InvalidConfiguration";
      /** Every rule that is broken, with its place where it has one. */
      readonly violations: readonly string[];
      /** Why it is no fault of the bundle. */
      readonly explanation?: Explanation;
      /** Of `InvalidConfiguration`: the fields of `spec.config.inline` that do not fit. */
      readonly configuration?: readonly ConfigFault[];
    }
  >;
}

export type ExtensionDecision =
  | {
      readonly kind: "refused";
      readonly upstream: string;
      readonly explanation: Explanation;
      /** ClusterExtensions that are created because this one requires them. */
      readonly installs?: readonly ClusterExtension[];
      /** Whether all that it requires is being installed: it goes on by itself. */
      readonly isComing?: boolean;
    }
  /** A catalog is being read for the first time, or the extension has to get its finalizers: no fault is reported yet. */
  | { readonly kind: "wait" }
  /** A Helm release of OLM v1 holds what is installed; it becomes the first revision. */
  | { readonly kind: "adopt"; readonly revision: ClusterObjectSet }
  /** A Helm release of OLM v1 cannot be read; with OLM's text. */
  | { readonly kind: "unadoptable"; readonly upstream: string }
  /** The extension asks to be left as it is. */
  | { readonly kind: "paused" }
  /** The changes are no longer those that were approved: nothing is done before the status shows it. */
  | { readonly kind: "stale" }
  /** An upgrade was not ready in time: it is recorded before what was installed is rolled out again. */
  | { readonly kind: "rollBack"; readonly rolledBack: RolledBack }
  | { readonly kind: "want"; readonly wanted: WantedBundle };

/** What was approved, and what would be done. */
export interface CheckedApproval {
  readonly approved: ApprovedPlan;
  /** Other than the approved one: the approval is stale, and the decision is the one without it. */
  readonly digest: Digest;
  /** Who approved, and when: `purser-cli at 2026-11-24T12:00:00Z`. */
  readonly by: string;
}

/** The input of one pass over a ClusterExtension, read at one time. */
export interface ExtensionWorld {
  readonly extension: ClusterExtension;
  readonly revisions: readonly ClusterObjectSet[];
  readonly states: RevisionStates;
  readonly decision: ExtensionDecision;
  /** Why it is not known what is installed; absent when it is known. */
  readonly unreadable?: string;
  /** The approval that lets the wanted bundle be installed, with the digest of the changes that would be made now. */
  readonly approval?: CheckedApproval;
  /** What waits for approval, with the digest of its changes; "nothing" when nothing does, absent while that is not known. */
  readonly pending?: ApprovedPlan | "nothing";
  /** Whether the upgrade that is rolled out goes back by itself; absent where no policy wants that. */
  readonly rollback?: AutomaticRollback;
  /** What update policies mean for it; absent without a resolution. */
  readonly holds?: InstallationHolds;
  /** Conditions carry OLM's text alone, without the cause before it. */
  readonly hasPlainTexts?: true;
  /** The package's `olm.deprecations` blob; "unknown" without a resolution. */
  readonly deprecation: JsonObject | undefined | "unknown";
  /** Catalogs that could not be read and were left out of the resolution; "unknown" without a resolution. */
  readonly missing: readonly MissingCatalog[] | "unknown";
  /** The API server drops the fields of the experimental set. */
  readonly isStandard?: true;
}
