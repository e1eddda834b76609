import assert from "node:assert/strict";
import { test } from "node:test";
import type { CatalogHealth, Subscription, SubscriptionCondition } from "../../../../apis/v0/subscription.ts";
import { projectCatalogHealth } from "./catalog-health.ts";
import type { CatalogInScope } from "./world.ts";

const now = Date.parse("2026-01-01T00:00:00Z");
const apiVersion = "operators.coreos.com/v1alpha1";

function scope(name: string, healthy = true): CatalogInScope {
  const metadata = { namespace: "olm", name, uid: `uid-${name}` };
  return {
    source: { apiVersion, kind: "CatalogSource", metadata, spec: { sourceType: "grpc" } },
    content: { kind: "unavailable", cause: "" },
    healthy,
  };
}

function known(name: string, healthy = true): CatalogHealth {
  const catalogSourceRef = { apiVersion, kind: "CatalogSource", namespace: "olm", name, uid: `uid-${name}` };
  return { catalogSourceRef, healthy, lastUpdated: "" };
}

type Held = Pick<SubscriptionCondition, "status" | "reason" | "message">;

/** `status reason: message` of the condition for a Subscription to `olm/cat`. */
function shown(catalogs: readonly CatalogInScope[], before: readonly CatalogHealth[], held?: Held): string {
  const conditions: readonly SubscriptionCondition[] =
    held === undefined ? [] : [{ type: "CatalogSourcesUnhealthy", ...held }];
  const status = { catalogHealth: before, conditions, lastUpdated: "" };
  const subscription: Subscription = {
    apiVersion,
    kind: "Subscription",
    metadata: { namespace: "ns", name: "s" },
    spec: { name: "a", source: "cat", sourceNamespace: "olm" },
    status,
  };
  const [next] = projectCatalogHealth(subscription, status, catalogs, now).conditions ?? [];
  return `${next?.status} ${next?.reason}: ${next?.message}`;
}

const healthyText = "all available catalogsources are healthy";
const added: Held = { status: "False", reason: "CatalogSourcesAdded", message: healthyText };
const table: readonly (readonly [string, string, string])[] = [
  [
    "no catalog now or before: the empty list is the trouble",
    shown([], []),
    "True NoCatalogSourcesFound: dependency resolution requires at least one catalogsource",
  ],
  [
    "the last catalog was deleted: the targeted one is missing",
    shown([], [known("cat")]),
    "True CatalogSourcesDeleted: targeted catalogsource olm/cat missing",
  ],
  [
    "only another catalog is left",
    shown([scope("other")], [known("cat"), known("other")]),
    "True CatalogSourcesDeleted: targeted catalogsource olm/cat missing",
  ],
  ["a first catalog is healthy", shown([scope("cat")], []), `False CatalogSourcesAdded: ${healthyText}`],
  [
    "a list that no longer changes loses the reason of its last change",
    shown([scope("cat")], [known("cat")], added),
    `False AllCatalogSourcesHealthy: ${healthyText}`,
  ],
  [
    "a catalog that became healthy is a change",
    shown([scope("cat")], [known("cat", false)], added),
    `False CatalogSourcesUpdated: ${healthyText}`,
  ],
  [
    "another catalog of the same number is a change",
    shown([scope("cat")], [known("other")], added),
    `False CatalogSourcesUpdated: ${healthyText}`,
  ],
  [
    "the targeted catalog is unhealthy as before",
    shown([scope("cat", false)], [known("cat", false)], added),
    "True UnhealthyCatalogSourceFound: targeted catalogsource olm/cat unhealthy",
  ],
];

for (const [name, actual, expected] of table) test(name, () => assert.equal(actual, expected));
