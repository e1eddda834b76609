import type { InstallSet, ResolvedOperator } from "../outcome.ts";
import { contentKey, type WantedContent } from "./known-content.ts";
import type { InstallRefusal } from "./install-refusal.ts";
import { type Installing, lookupOf, stepsIn } from "./install-steps.ts";
import type { InstallContent, InstallWorld } from "./install-world.ts";
import { operatorPart, type OperatorSurroundings } from "./operator-part.ts";
import { inNamespace, type OwnedWorld, specOf, type WantedInstallPlan, wantedPlan } from "./wanted-install-plan.ts";

export type PlannedInstall =
  /** One of the bundles makes no steps. */
  | { readonly kind: "refused"; readonly refusal: InstallRefusal }
  /** Contents of bundles are missing; `needs` names those that were not requested yet. */
  | {
      readonly kind: "incomplete";
      /** Written when it is read. */
      readonly content: InstallContent;
      readonly needs: readonly WantedContent[];
    }
  /** `plan` is undefined when there is nothing to do: no Subscription moves. */
  | { readonly kind: "complete"; readonly content: InstallContent; readonly plan: WantedInstallPlan | undefined };

/** What one InstallPlan brings: a part of a decision, or without `subscriptions` a whole one with all of the namespace. */
export type ToInstall = Pick<InstallSet, "operators" | "updated"> & Partial<Pick<InstallSet, "subscriptions">>;

/**
 * The InstallPlan that brings what was resolved: OLM's `ResolveSteps`, the unpacking of bundles and `ensureInstallPlan`
 * in one. Pure: the controller, `purser plan` and the conformance suites call it with the contents that they have.
 * Equal inputs give the same name, so that creating a plan twice is harmless.
 */
export function planInstall(all: InstallWorld, { operators, updated, subscriptions }: ToInstall): PlannedInstall {
  const world = { ...all, owners: subscriptions ?? all.subscriptions.filter(inNamespace(all.namespace)) };
  const installing = operators
    .filter(({ upToDate }) => !upToDate)
    .map((operator): Installing => ({ operator, part: operatorPart(operator, surroundingsOf(operator, world)) }));
  const parts = installing.map(({ part }) => part);
  const refusals = parts.flatMap((part) => (part.kind === "refused" ? [part.refusal] : []));
  const unresolvable = refusals.find(({ stage }) => stage === "resolution");
  if (unresolvable !== undefined) return { kind: "refused", refusal: unresolvable };
  const isMade = updated.length > 0;
  const needs = parts.flatMap((part) => (part.kind === "needs" ? [part.request] : []));
  if (needs.length > 0) return incomplete(installing, world, isMade, needs);
  const [refusal] = refusals;
  if (refusal !== undefined) return { kind: "refused", refusal };
  if (parts.some(({ kind }) => kind === "pending")) return incomplete(installing, world, isMade, []);
  const content = contentOf(installing, world, isMade);
  return { kind: "complete", content, plan: wantedPlan(world, content) };
}

/** The bundles of one plan arrive one after the other: only those who look at it write what is known so far. */
function incomplete(
  installing: readonly Installing[],
  world: OwnedWorld,
  isMade: boolean,
  needs: readonly WantedContent[],
): PlannedInstall {
  return {
    kind: "incomplete",
    get content() {
      return contentOf(installing, world, isMade);
    },
    needs,
  };
}

function contentOf(installing: readonly Installing[], world: OwnedWorld, isMade: boolean): InstallContent {
  const steps = stepsIn(installing, world.namespace);
  return {
    steps,
    lookups: installing
      .filter(({ operator }) => operator.bundle.image !== "")
      .map(({ operator, part }) => lookupOf(operator, part.kind === "unpacked")),
    spec: isMade ? specOf(world, steps, installing) : undefined,
    accepted: installing.flatMap(({ operator, part }) =>
      part.kind === "unpacked" && part.accepted !== undefined ? [{ csv: operator.bundle.name, by: part.accepted }] : [],
    ),
  };
}

function surroundingsOf(
  { bundle, catalog }: ResolvedOperator,
  { namespace, catalogs, contents, reservedGroups }: InstallWorld,
): OperatorSurroundings {
  const found = catalogs.find(({ key }) => key.namespace === catalog.namespace && key.name === catalog.name);
  const index = found?.content.kind === "present" ? found.content.index : undefined;
  return { namespace, index, content: contents.get(contentKey(bundle)), reservedGroups };
}
