import type { OperatorGroup } from "../../apis/v0/operator-group.ts";
import type { Subscription } from "../../apis/v0/subscription.ts";
import type { ClusterUpdatePolicy } from "../../apis/policy/cluster-update-policy.ts";
import type { UpdatePolicy } from "../../apis/policy/update-policy.ts";
import type { ClusterExtension } from "../../apis/v1/cluster-extension.ts";
import { bundleObjectsFieldManager } from "../../apis/v1/labels.ts";
import { decideExtension, decideNamespace, type Decision } from "../../engine/snapshot/snapshot-decision.ts";
import { withObjects } from "../../engine/snapshot/decision-inputs.ts";
import type { Explanation } from "../../explanation/explanation.ts";
import { summaryOf } from "../../explanation/summary.ts";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { Installation } from "../../installation/installation.ts";
import { invariant } from "@purser/kubernetes/invariant";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import type { PolicySubject } from "../../policy/effective-policy.ts";
import { extensionSubject, subscriptionSubject } from "../../policy/installation-holds.ts";
import { planSet, type PlanSet } from "../../review/change-plan/plan-set.ts";
import {
  crdsOwnedElsewhere,
  extensionOwnerOf,
  type ExtensionOwner,
  type OwnedCrd,
} from "../../rollout/plan/crd-of-extension.ts";
import { isKeptFor } from "../../rollout/plan/collision.ts";
import { collisionOf, isOwned, ownedElsewhere } from "../../rollout/plan/owned-elsewhere.ts";
import type { Subject } from "../decision/decision-subject.ts";
import type { OpenedWorld } from "../decision/decision-world.ts";
import { type PolicyVerdict, verdictOn } from "../policy/policy-verdict.ts";
import { type ComparedChange, comparedChanges, freshBundles, type ToReview } from "./decided-changes.ts";

/** The objects that a request for a package writes; the policy is one that holds back upgrades. */
export type RequestedObjects =
  | {
      readonly api: "v0";
      readonly subscription: Subscription;
      readonly group: OperatorGroup | undefined;
      readonly hold?: UpdatePolicy | undefined;
    }
  | { readonly api: "v1"; readonly extension: ClusterExtension; readonly hold?: ClusterUpdatePolicy | undefined };

/** What an installation brings. */
export interface PlannedInstall {
  /** The bundle of the package itself, as `NAME.vVERSION` or as the catalog names it. */
  readonly bundle: string;
  /** Of the bundle and its dependencies; why it is not known where their images cannot be read. */
  readonly changes: Result<PlanSet, Explanation>;
  readonly warnings: Decision["warnings"];
  readonly policy: PolicyVerdict;
  /** Its bundle and those of dependencies that are not installed yet. */
  readonly fresh: readonly ToReview[];
  /** Its objects that exist already. */
  readonly existing: readonly KubeObject[];
}

/**
 * Decides as if the requested objects existed and reads the bundles. The problem is why the request would be refused, with
 * the cause that the objects would show; a bundle that breaks rules is a problem as well.
 * @param unowned what becomes of objects that exist and that no installation owns
 */
export async function plannedInstall(
  opened: OpenedWorld,
  requested: RequestedObjects,
  unowned: "refused" | "adopted" = "refused",
): Promise<Result<PlannedInstall, Explanation>> {
  const subject = subjectOf(opened, requested);
  const decided = await decisionOf(opened, subject);
  const waits = whatWaits(subject, decided.explanation);
  const decision = waits === undefined ? decided : await decisionOf(opened, withoutWaiting(subject));
  if (decision.explanation !== undefined) return failed(decision.explanation);
  const name = requested.api === "v0" ? (requested.subscription.metadata.name ?? "") : undefined;
  const own = decision.chosen.find((one) => name === undefined || one.subscriptions.includes(name));
  if (own === undefined) {
    const [refusal] = decision.refusals ?? [];
    invariant(refusal !== undefined, "a Subscription without a bundle is refused");
    return failed(refusal);
  }
  const isOurs = ({ subscriptions }: Decision["chosen"][number]): boolean =>
    name === undefined || subscriptions.length === 0 || subscriptions.includes(name);
  const ours = decision.chosen.filter(isOurs).toSorted((left, right) => Number(right === own) - Number(left === own));
  const changes = await comparedChanges(opened, subject, { ...decision, chosen: ours });
  const warnings = waits === undefined ? decision.warnings : [...decision.warnings, waits];
  const compared = changes.flatMap((change) => (change.ok ? [change.value] : []));
  const policy = verdictOn(subject.world.snapshot, policySubject(requested), subject.world.now ?? 0, { wanted: own });
  const problems = changes.flatMap((change) => (change.ok ? [] : [change.problem]));
  const refused =
    problems.find(({ code }) => code === "BundleInvalid" || code === "ConfigurationInvalid") ??
    takenObjects(requested, compared, unowned);
  if (refused !== undefined) return failed(refused);
  const [problem] = problems;
  const existing = compared.flatMap(liveOf);
  const found = { bundle: own.name, warnings, policy, fresh: freshBundles(subject, ours), existing };
  if (problem !== undefined) return done({ ...found, changes: failed(problem) });
  return done({ ...found, changes: done(planSet(compared.map(({ plan }) => plan))) });
}

const policySubject = (requested: RequestedObjects): PolicySubject =>
  requested.api === "v0" ? subscriptionSubject(requested.subscription) : extensionSubject(requested.extension);

/** Why an extension is not installed at once although it may be created: its installation is approved, or what it requires comes first. */
function whatWaits({ kind }: Subject, refused: Explanation | undefined): Explanation | undefined {
  if (kind !== "extension" || refused === undefined) return undefined;
  const { code, facts } = refused;
  return code === "ApprovalRequired" || (code === "DependencyMissing" && facts["isComing"] === true)
    ? refused
    : undefined;
}

/** As if everything was approved and what is required was there. */
function withoutWaiting(subject: Subject): Subject {
  return { ...subject, world: { ...subject.world, approvesAll: true, ignoresDependencies: true } };
}

/**
 * Objects that exist and belong to another installation: CRDs of a ClusterExtension for a Subscription, every object for a
 * ClusterExtension, which takes over none.
 */
function takenObjects(
  requested: RequestedObjects,
  compared: readonly ComparedChange[],
  unowned: "refused" | "adopted",
): Explanation | undefined {
  if (requested.api === "v1") {
    const packageName = requested.extension.spec?.source.catalog?.packageName;
    const taken = compared
      .flatMap(liveOf)
      .filter((object) => !isKeptFor(object, packageName) && (unowned === "refused" || isOwned(object)));
    const collisions = taken.map((object) => collisionOf(object, bundleObjectsFieldManager));
    return collisions.length === 0
      ? undefined
      : takenFrom(ownedElsewhere(collisions, { extension: undefined, installed: undefined }));
  }
  const [first, ...others] = compared.flatMap(({ plan, live: found }) =>
    [...found.values()].flatMap((object): readonly OwnedCrd[] => {
      const { kind, metadata } = object as unknown as KubeObject;
      const owner = kind === "CustomResourceDefinition" ? extensionOwnerOf({ metadata }) : undefined;
      return owner === undefined ? [] : [{ crd: metadata.name ?? "", csv: plan.to.name, owner }];
    }),
  );
  return first === undefined ? undefined : takenFrom(crdsOwnedElsewhere(first, others), first.owner);
}

const liveOf = ({ live }: ComparedChange): readonly KubeObject[] =>
  [...live.values()].map((object) => object as unknown as KubeObject);

/** Nothing is written yet, so the remedies name installations and not what a refused one left. */
function takenFrom(explanation: Explanation, owner?: ExtensionOwner): Explanation {
  return {
    ...explanation,
    summary: summaryOf(explanation.summary.replace(/; nothing was written$/, "")),
    remedies:
      owner?.kind === "ClusterExtension"
        ? [
            { summary: "see its owner", command: `purser status ext/${owner.name}` },
            {
              summary: "remove its owner and keep the data",
              command: `purser uninstall ext/${owner.name}`,
              deletes: "objects",
            },
          ]
        : [{ summary: "lists the installations", command: "purser list -A" }],
  };
}

function subjectOf({ world }: OpenedWorld, requested: RequestedObjects): Subject {
  if (requested.api === "v1") {
    const { extension, hold } = requested;
    return {
      kind: "extension",
      world: withObjects(world, {
        clusterExtensions: [extension],
        ...(hold === undefined ? {} : { clusterUpdatePolicies: [hold] }),
      }),
      extension,
      reference: `ext/${extension.metadata.name}`,
      assumed: true,
    };
  }
  const { subscription, group, hold } = requested;
  const { namespace = "", name } = subscription.metadata;
  return {
    kind: "namespace",
    world: withObjects(world, {
      subscriptions: [subscription],
      ...(group === undefined ? {} : { operatorGroups: [group] }),
      ...(hold === undefined ? {} : { updatePolicies: [hold] }),
    }),
    namespace,
    reference: `sub/${namespace}/${name}`,
    assumed: true,
  };
}

async function decisionOf(opened: OpenedWorld, subject: Subject): Promise<Decision> {
  const { kubeVersion, reservedGroups, replacedOperators, plansPer, bundles } = opened;
  const options = { clock: systemClock, kubeVersion, reservedGroups, replacedOperators, plansPer };
  if (subject.kind === "extension") return decideExtension(subject.world, subject.extension, options);
  // Steps come from the bundles; one that cannot be read must not hide what was decided.
  const decision = await decideNamespace(subject.world, subject.namespace, {
    ...options,
    ...(bundles === undefined ? {} : { bundles }),
  });
  return decision.explanation?.code === "BundleUnavailable"
    ? decideNamespace(subject.world, subject.namespace, options)
    : decision;
}

/** The refusal of an installation whose bundle cannot be read here, with the way to install it all the same. */
export function unreadBundle(explanation: Explanation, command: string): Explanation {
  return {
    ...explanation,
    remedies: [
      { summary: "add --bundles DIR to read it from a directory <package>/<version>" },
      { summary: "skip the check, when the cluster can read the bundle", command },
    ],
  };
}

/** Why a package is not installed a second time; undefined when no installation of it is in the way. */
export function installedAlready(
  {
    api,
    packageName,
    namespace,
  }: { readonly api: "v0" | "v1"; readonly packageName: string; readonly namespace: string },
  installations: readonly Installation[],
): Explanation | undefined {
  const other = installations.find(
    (one) => one.packageName === packageName && (one.api === "v1" || api === "v1" || one.namespace === namespace),
  );
  if (other === undefined) return undefined;
  const { reference, version = "no version yet" } = other;
  return {
    code: "PackageConflict",
    summary: summaryOf(`${packageName} is already installed as ${reference} (${version})`),
    facts: { package: packageName, installation: reference },
    derivation: [{ relation: "installed", subject: reference, text: `${reference} installs ${packageName}` }],
    remedies: [
      { summary: "look at it", command: `purser status ${reference}` },
      { summary: "another version or channel of it", command: `purser upgrade ${reference} --dry-run` },
    ],
  };
}
