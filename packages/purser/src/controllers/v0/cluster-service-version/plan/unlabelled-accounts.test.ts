import assert from "node:assert/strict";
import { test } from "node:test";
import type { ServiceAccount } from "@purser/kubernetes/apis/core";
import type { ClusterServiceVersion } from "../../../../apis/v0/cluster-service-version.ts";
import { labelAccounts } from "./unlabelled-accounts.ts";

test("of a CSV's accounts only those that it owns, that stay and that lack the label are labelled", () => {
  const csv = { metadata: { namespace: "ops", name: "op.v1", uid: "csv" } } as ClusterServiceVersion;
  const ownerReferences = [{ apiVersion: "a", kind: "ClusterServiceVersion", name: "op.v1", uid: "csv" }];
  const [owner] = ownerReferences;
  const account = (name: string, metadata: object): ServiceAccount =>
    ({ apiVersion: "v1", kind: "ServiceAccount", metadata: { namespace: "ops", name, ...metadata } }) as ServiceAccount;
  const accounts = [
    account("older", { ownerReferences }),
    account("labelled", { ownerReferences, labels: { "olm.managed": "true" } }),
    account("leaving", { ownerReferences, deletionTimestamp: "2026-01-01T00:00:00Z" }),
    account("user", {}),
    account("other", { ownerReferences: [{ ...owner, uid: "other" }] }),
  ];
  const actions = labelAccounts({
    csv,
    serviceAccounts: new Map(accounts.map((one) => [one.metadata.name ?? "", one])),
  });
  assert.deepEqual(
    actions.map((action) => action.kind === "write" && "key" in action.write && action.write.key),
    [{ namespace: "ops", name: "older" }],
  );
});
