// Worlds that decide what an InstallPlan holds, for tests.
import assert from "node:assert/strict";
import { digestOf } from "@purser/kubernetes/digest";
import type { JsonObject } from "@purser/kubernetes/json";
import type { InstallPlan } from "../../../../apis/v0/install-plan.ts";
import type { Subscription } from "../../../../apis/v0/subscription.ts";
import { smallCsv } from "../../../../bundle/testing/small-bundle.ts";
import type { CatalogIndex } from "../../../../catalog/catalog-index.ts";
import { resolveNow } from "../../../resolution.ts";
import { shortNamespace } from "../../../testing/short-world.ts";
import type { NamespaceCatalog } from "../../input.ts";
import { resolveNamespace } from "../../resolve-namespace.ts";
import type { InstallWorld } from "../install-world.ts";
import { contentKey, type KnownContent } from "../known-content.ts";
import { planInstall, type PlannedInstall } from "../plan-install.ts";

/** Of the bundle that {@link present} gives. */
export const digest = digestOf("a bundle");

/** What a world decides: the operators by the names of their bundles, and how to plan with certain contents. */
export function decided(
  index: CatalogIndex,
  subscriptions: readonly string[],
  change: Partial<Pick<InstallWorld, "installPlans" | "reservedGroups">> & {
    /** Before that of `index`, which is `olm/cat`. */
    readonly catalogs?: readonly NamespaceCatalog[];
    readonly installed?: readonly string[];
    readonly spec?: (name: string) => Partial<Subscription["spec"]>;
    readonly at?: Partial<NonNullable<Subscription["status"]>>;
  } = {},
) {
  const { spec = () => ({}), at, catalogs = [], installed = [], ...rest } = change;
  const short = shortNamespace({ catalogs: {}, subscriptions, installed });
  const input = {
    ...short,
    subscriptions: short.subscriptions.map((subscription): Subscription => {
      const { name = "" } = subscription.metadata;
      return {
        ...subscription,
        metadata: { ...subscription.metadata, uid: `uid-${name}` },
        spec: { ...subscription.spec, ...spec(name) },
        ...(at === undefined ? {} : { status: { lastUpdated: "", ...at } }),
      };
    }),
    catalogs: [
      ...catalogs,
      { key: { namespace: "olm", name: "cat" }, priority: 0, content: { kind: "present", index } as const },
    ],
  };
  const outcome = resolveNow(resolveNamespace(input));
  if (outcome.kind !== "resolved") throw new Error(`${outcome.kind}: ${outcome.upstream}`);
  const operators = new Map(outcome.operators.map((operator) => [String(operator.bundle.name), operator]));
  return {
    operators,
    plan: (contents: Readonly<Record<string, KnownContent>> = {}, readable = input.catalogs): PlannedInstall =>
      planInstall(
        {
          ...input,
          catalogs: readable,
          installPlans: [],
          reservedGroups: "refused",
          ...rest,
          contents: new Map(
            Object.entries(contents).map(([name, content]) => {
              const operator = operators.get(name);
              assert.ok(operator !== undefined, name);
              return [contentKey(operator.bundle), content];
            }),
          ),
        },
        outcome,
      ),
  };
}

/** Content whose CSV makes steps when it is a whole one. */
export function present(csv: JsonObject | undefined, objects: readonly JsonObject[] = []): KnownContent {
  const all = csv === undefined ? objects : [csv, ...objects];
  return { kind: "present", digest, bundle: { objects: all, ...(csv === undefined ? {} : { csv }) } };
}

/** A CSV of that name without any fault; `change` replaces whole members. */
export const named = (name: string, change: JsonObject = {}): JsonObject => ({ ...smallCsv({}, { name }), ...change });

/** The InstallPlan that was made; fails when there is none. */
export function completed(install: PlannedInstall) {
  assert.equal(install.kind, "complete", JSON.stringify(install).slice(0, 300));
  assert.ok(install.kind === "complete" && install.plan !== undefined, "there is no plan");
  return install.plan;
}

/** `Kind name` of each step, in order. */
export const stepNames = (plan: {
  readonly status: Pick<NonNullable<InstallPlan["status"]>, "plan">;
}): readonly string[] => (plan.status.plan ?? []).map(({ resource }) => `${resource.kind} ${resource.name}`);
