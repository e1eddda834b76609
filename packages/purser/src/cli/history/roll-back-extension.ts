import type { KubeClient } from "@purser/kubernetes/kube/client";
import type { JsonObject } from "@purser/kubernetes/json";
import { invariant } from "@purser/kubernetes/invariant";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { clusterExtensions } from "../../apis/olm-resources.ts";
import type { ClusterExtension } from "../../apis/v1/cluster-extension.ts";
import { decideExtension } from "../../engine/snapshot/snapshot-decision.ts";
import type { Explanation } from "../../explanation/explanation.ts";
import type { Installation } from "../../installation/installation.ts";
import type { InstallationRevision } from "../../installation/revisions.ts";
import type { RollbackPlan } from "../../review/rollback-plan/rollback-plan.ts";
import type { Invocation, Outcome } from "../command.ts";
import type { OpenedWorld } from "../decision/decision-world.ts";
import { exitCodes } from "../exit-code.ts";
import { shown } from "../output/shown.ts";
import { refusedWrite } from "../report-refusal.ts";
import { waitForInstallation, waits } from "../wait-for.ts";
import { reached } from "./rolled-back.ts";

/** Writes the rollback and waits for its end. */
export type RollBack = (invocation: Invocation, client: KubeClient) => Promise<Outcome>;

/** How a ClusterExtension goes back: pinned to the version, without the check of edges meanwhile. The problem is why it would not get it. */
export function rollBackExtension(
  { world, kubeVersion }: OpenedWorld,
  { name, reference }: Installation,
  { version, bundle }: InstallationRevision,
  { changes }: RollbackPlan,
): Result<RollBack, Explanation> {
  const extension = world.snapshot.clusterExtensions.find(({ metadata }) => metadata.name === name);
  const spec = extension?.spec;
  invariant(extension !== undefined && spec !== undefined, "an extension with revisions has its object");
  const former = spec.source.catalog?.upgradeConstraintPolicy ?? null;
  // OLM v1's check would refuse what was agreed to.
  const breaks = changes.total.crds.some(({ findings }) => findings.length > 0);
  const install = breaks ? { install: { preflight: { crdUpgradeSafety: { enforcement: "None" } } } } : {};
  const catalog = { version, upgradeConstraintPolicy: "SelfCertified" };
  const patch: JsonObject = { spec: { source: { catalog }, ...install } };
  const pinned = {
    ...extension,
    spec: { ...spec, source: { ...spec.source, catalog: { ...spec.source.catalog, ...catalog } } },
  } as ClusterExtension;
  const decision = decideExtension({ ...world, approvesAll: true }, pinned, { clock: systemClock, kubeVersion });
  if (decision.explanation !== undefined) return failed(decision.explanation);
  invariant(decision.chosen[0]?.name === bundle, "a version names one bundle");
  return done(async (invocation, client) => {
    const { signal } = invocation;
    const write = (change: JsonObject) =>
      client.write(
        { verb: "patch", type: clusterExtensions, key: { name }, patchType: "merge", patch: change },
        signal,
      );
    const written = await write(patch);
    if (!written.ok) return refusedWrite(`roll back ${reference}`, written.problem, reference);
    if (!waits(invocation))
      return {
        exitCode: exitCodes.done,
        human: shown(
          `${reference} is being rolled back to ${version} and keeps upgradeConstraintPolicy SelfCertified; purser status ${reference}`,
        ),
      };
    const waited = await waitForInstallation(invocation, client, reference, "ready", { version });
    const outcome = reached(invocation, waited, reference, version, `purser set ${reference} --version any`);
    if (outcome.exitCode !== exitCodes.done) return outcome;
    // The version is pinned, so edges may count again.
    const restored = await write({ spec: { source: { catalog: { upgradeConstraintPolicy: former } } } });
    return restored.ok ? outcome : refusedWrite(`restore ${reference}`, restored.problem, reference);
  });
}
