import { clusterExtensions, clusterObjectSets } from "../../apis/olm-resources.ts";
import type { ClusterExtension } from "../../apis/v1/cluster-extension.ts";
import { approvedPlanAnnotation, ownerNameLabel } from "../../apis/v1/labels.ts";
import { bundleRequest } from "../../controllers/v0/catalog-source/plan/catalog-request.ts";
import { revisionStates } from "../../controllers/v1/cluster-extension/plan/revision-state.ts";
import { bundleIn } from "../../engine/review/dependencies.ts";
import { deprecationsOf, invalid, unread } from "../../engine/review/review-bundle.ts";
import { type ChosenBundle, decideExtension, type Decision } from "../../engine/snapshot/snapshot-decision.ts";
import type { Explanation } from "../../explanation/explanation.ts";
import type { Installation } from "../../installation/installation.ts";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { approvalFor, judgesContents } from "../../policy/approval.ts";
import { approvedPlanOf, approvedPlanText, isStale } from "../../policy/approved-plan.ts";
import { extensionSubject } from "../../policy/installation-holds.ts";
import type { UpgradeContents } from "../../policy/upgrade-contents.ts";
import { upgradeContents } from "../../review/change-plan/upgrade-contents.ts";
import { type PlanSet, planSet, staleness } from "../../review/change-plan/plan-set.ts";
import { reviewExtension } from "../../rollout/review/review-extension.ts";
import { approvingUser } from "../../engine/review/approving-user.ts";
import { approvalAnnotations } from "../../policy/approver.ts";
import { type Invocation, type Outcome, textOption } from "../command.ts";
import type { OpenedWorld } from "../decision/decision-world.ts";
import { exitCodes } from "../exit-code.ts";
import { shown } from "../output/shown.ts";
import { refusedWrite } from "../report-refusal.ts";
import { stale } from "./approve-reviewed.ts";
import { planSetDocument } from "./change-plan-outcome.ts";

/** A bundle that a ClusterExtension waits to get approved, with what it changes now. */
export interface WaitingExtension {
  readonly extension: ClusterExtension;
  readonly bundle: string;
  readonly set: PlanSet;
  /** What the bundle requires and the cluster lacks: it can be approved, but is not installed before that is there. */
  readonly lacks?: Explanation;
}

/**
 * What waits for approval; undefined when nothing does. The problem is why there is no such bundle, or why it cannot be read. A bundle
 * that a policy denies once it is known what it holds is passed over, as the controller does.
 */
export async function waitingExtension(
  opened: OpenedWorld,
  client: KubeClient,
  { name }: Installation,
): Promise<Result<WaitingExtension | undefined, Explanation>> {
  const extension = await client.get(clusterExtensions, { name });
  return extension === undefined ? done(undefined) : waitingFor(opened, client, extension, new Map());
}

async function waitingFor(
  opened: OpenedWorld,
  client: KubeClient,
  extension: ClusterExtension,
  upgrades: ReadonlyMap<string, UpgradeContents>,
): Promise<Result<WaitingExtension | undefined, Explanation>> {
  const { world, bundles, kubeVersion } = opened;
  const { snapshot, now = 0 } = world;
  const decided = { ...world, upgrades, approvesAll: true } as const;
  const options = { clock: systemClock, kubeVersion };
  const decision = decideExtension({ ...decided, ignoresDependencies: true }, extension, options);
  if (decision.explanation !== undefined) return failed(decision.explanation);
  const [chosen] = decision.chosen;
  const approved = approvedPlanOf(extension);
  const isApproved = approved?.bundle === chosen?.name && approved !== undefined && !isStale(extension, approved);
  if (chosen === undefined || chosen.upToDate || isApproved) return done(undefined);
  const installed = extension.status?.install?.bundle;
  const subject = extensionSubject(extension);
  const judges = judgesContents(snapshot, subject, now);
  if (!judges && approvalFor(snapshot, subject, chosen, installed, { now }) === undefined) return done(undefined);
  const set = await setOf(world, bundles, client, extension, chosen);
  if (!set.ok) return set;
  const [plan] = set.value.plans;
  if (plan !== undefined && judges && !upgrades.has(chosen.name))
    return waitingFor(opened, client, extension, new Map([...upgrades, [chosen.name, upgradeContents(plan)]]));
  return approvalFor(snapshot, subject, chosen, installed, { now, upgrades }) === undefined
    ? done(undefined)
    : done({
        extension,
        bundle: chosen.name,
        set: set.value,
        ...lacking(decideExtension(decided, extension, options)),
      });
}

const lacking = ({ explanation }: Decision): Pick<WaitingExtension, "lacks"> =>
  explanation?.code === "DependencyMissing" ? { lacks: explanation } : {};

async function setOf(
  world: OpenedWorld["world"],
  bundles: OpenedWorld["bundles"],
  client: KubeClient,
  extension: ClusterExtension,
  chosen: ChosenBundle,
): Promise<Result<PlanSet, Explanation>> {
  const catalog = world.snapshot.clusterCatalogs.find(({ metadata }) => metadata.name === chosen.catalog.name);
  const content = catalog === undefined ? undefined : world.contentOfCatalog(catalog);
  const index = content?.kind === "present" ? content.index : undefined;
  const summary = index === undefined ? undefined : bundleIn(index, chosen.package, chosen.name, chosen.channel);
  if (index === undefined || summary === undefined || bundles === undefined)
    return failed(unread(chosen.name, "the content of its catalog is not on this machine"));
  const read = await bundles.read(bundleRequest(summary, undefined));
  if (!read.ok) return failed(unread(chosen.name, read.problem));
  const registry = await read.value.objects.registry();
  if (!registry.ok) return failed(invalid(chosen.name, registry.problem.map(({ message }) => message).join("; ")));
  const labelSelector = `${ownerNameLabel}=${extension.metadata.name}`;
  const { installed } = revisionStates(await client.list(clusterObjectSets, { labelSelector }));
  const { digest } = read.value;
  const to = { name: chosen.name, digest, bundle: registry.value, deprecations: deprecationsOf(index, summary) };
  const plan = await reviewExtension({ extension, installed, to }, client);
  return plan.ok ? done(planSet([plan.value])) : failed(invalid(chosen.name, plan.problem));
}

/** Approves what was shown: after the question everything is read and compared again, and a later change of the extension is refused. */
export async function approveExtension(
  invocation: Invocation,
  opened: OpenedWorld,
  client: KubeClient,
  installation: Installation,
  { set, bundle }: WaitingExtension,
): Promise<Outcome> {
  const { terminal, signal } = invocation;
  const { reference, name } = installation;
  const now = await waitingExtension(opened, client, installation);
  if (!now.ok) return { explanation: now.problem };
  if (now.value === undefined)
    return { exitCode: exitCodes.done, human: shown(`Nothing is pending approval in ${reference} any more`) };
  const compared = staleness(set, now.value.set);
  if (compared.kind === "stale")
    return stale(invocation, installation, { ...compared, seen: set.digest }, now.value.set);
  const { resourceVersion } = now.value.extension.metadata;
  const annotations = {
    [approvedPlanAnnotation]: approvedPlanText({ bundle, digest: set.digest }),
    ...approvalAnnotations(await approvingUser(client, signal), textOption(invocation, "reason")),
  };
  const patch = { metadata: { annotations, ...(resourceVersion === undefined ? {} : { resourceVersion }) } };
  const result = await client.write(
    { verb: "patch", type: clusterExtensions, key: { name }, patchType: "merge", patch, fieldManager: "purser-cli" },
    signal,
  );
  if (!result.ok) return refusedWrite(`approve ${bundle}`, result.problem, reference);
  return {
    exitCode: exitCodes.done,
    data: { ...planSetDocument(set), approved: true },
    human: shown(`${terminal.symbol("ok")} approved ${bundle}; purser status ${reference}`),
  };
}
