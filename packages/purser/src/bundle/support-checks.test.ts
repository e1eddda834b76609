import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClusterServiceVersion } from "../apis/v0/cluster-service-version.ts";
import { type BundleFeature, unsupportedReason } from "./support-checks.ts";

interface Bundle {
  readonly modes?: readonly string[];
  readonly apiServices?: number;
  readonly webhooks?: number;
}

const csvOf = ({ modes = ["AllNamespaces"], apiServices = 0, webhooks = 0 }: Bundle): ClusterServiceVersion =>
  ({
    spec: {
      installModes: modes.map((type) => ({ type, supported: true })),
      ...(apiServices === 0 ? {} : { apiservicedefinitions: { owned: [{}] } }),
      ...(webhooks === 0 ? {} : { webhookdefinitions: [{}] }),
    },
  }) as unknown as ClusterServiceVersion;

const one =
  "unsupported bundle: bundle must support at least one of [AllNamespaces SingleNamespace OwnNamespace] install modes";
const all = "unsupported bundle: bundle does not support AllNamespaces install mode";
const cases: readonly (readonly [
  what: string,
  bundle: Bundle,
  provider: "none" | "cert-manager",
  off: readonly BundleFeature[],
  reason: string | undefined,
])[] = [
  ["all namespaces", {}, "none", [], undefined],
  ["one namespace", { modes: ["SingleNamespace"] }, "none", [], undefined],
  ["its own namespace", { modes: ["OwnNamespace"] }, "none", [], undefined],
  ["several namespaces alone", { modes: ["MultiNamespace"] }, "none", [], one],
  ["no namespace", { modes: [] }, "none", [], one],
  ["one namespace, without that feature", { modes: ["SingleNamespace"] }, "none", ["singleOwnNamespace"], all],
  ["all namespaces, without that feature", {}, "none", ["singleOwnNamespace"], undefined],
  [
    "API services",
    { apiServices: 1 },
    "cert-manager",
    [],
    "unsupported bundle: apiServiceDefintions are not supported",
  ],
  ["webhooks with certificates", { webhooks: 1 }, "cert-manager", [], undefined],
  [
    "webhooks without certificates",
    { webhooks: 1 },
    "none",
    [],
    "unsupported bundle: webhookDefinitions are not supported: certificate provider is nil",
  ],
  [
    "webhooks, without that feature",
    { webhooks: 1 },
    "none",
    ["webhooks"],
    "unsupported bundle: webhookDefinitions are not supported",
  ],
];
for (const [what, bundle, provider, off, reason] of cases)
  test(`a bundle for ${what} is ${reason === undefined ? "supported" : "refused"}`, () =>
    assert.equal(unsupportedReason(csvOf(bundle), provider as never, off), reason));
