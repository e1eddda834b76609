import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import { hasChanges, plannedIn } from "./plan-document.ts";

const set = { digest: "sha256:aa", inputs: { options: "sha256:bb" } } as const;
const plan = { kind: "ChangePlan", installation: "sub/data/etcd", ...set } as const;
const list = { kind: "ChangePlanList", digest: "sha256:aa", items: [plan] } as const;
const decision = (members: JsonObject): JsonObject => ({
  kind: "Decision",
  subject: { reference: "sub/data/etcd", assumed: false },
  chosen: [],
  updated: [],
  ...members,
});
const fresh = { chosen: [{ name: "etcd.v2", upToDate: false }] };

test("a document has changes when a command that carries it out would write something", () => {
  const cases: readonly (readonly [JsonObject, boolean])[] = [
    [decision({}), false],
    [decision({ chosen: [{ name: "etcd.v2", upToDate: true }] }), false],
    [decision(fresh), true],
    [decision({ updated: [{ name: "etcd", currentCSV: "etcd.v2" }] }), true],
    [decision({ waiting: list }), true],
    [{ kind: "Upgrade", from: "1.0.0", to: "1.0.0", patch: null }, false],
    [{ kind: "Upgrade", from: "1.0.0", to: "1.1.0", patch: null }, true],
    [{ kind: "Upgrade", from: "1.0.0", to: "1.0.0", patch: { spec: {} } }, true],
    [{ kind: "UninstallPlan" }, true],
    [{ kind: "Rollback" }, true],
    [{ kind: "ChangePlan" }, true],
    [{ kind: "Installation" }, false],
  ];
  assert.deepEqual(
    cases.map(([data]) => hasChanges(data)),
    cases.map(([, changes]) => changes),
  );
  assert.equal(hasChanges(undefined), false);
});

test("the command, its argument and its flags follow from the document, and what cannot be carried out says why", () => {
  const unread = "the changes are not known; add --pull to read the images of bundles, or --bundles DIR";
  const assumed = { subject: { reference: "package etcd@1.0.0", assumed: true } };
  const given = { namespace: "data", channel: "stable", to: "1.1.0", full: true };
  const upgrade = { kind: "Upgrade", installation: "ext/etcd", from: "1.0.0", to: "1.1.0", patch: null } as const;
  const cases: readonly (readonly [JsonObject, unknown])[] = [
    [
      decision({ ...fresh, changes: [plan] }),
      { command: "upgrade", argument: "sub/data/etcd", options: { to: "1.1.0", channel: "stable" }, ...set },
    ],
    [
      decision({ ...fresh, ...assumed, changes: [plan] }),
      { command: "install", argument: "etcd@1.0.0", options: { namespace: "data", channel: "stable" }, ...set },
    ],
    [
      decision({ waiting: list, changes: [{ explanation: {} }] }),
      { command: "upgrade", argument: "sub/data/etcd", options: { to: "1.1.0", channel: "stable" }, ...set },
    ],
    [decision({}), "there is nothing to do"],
    [decision(fresh), unread],
    [decision({ ...fresh, changes: [plan, { explanation: {} }] }), unread],
    [decision({ waiting: { explanation: {} }, changes: [plan] }), unread],
    [
      decision({ ...fresh, subject: { reference: "namespace data", assumed: false }, changes: [plan] }),
      "a whole namespace is no installation",
    ],
    [
      { ...upgrade, changes: list },
      { command: "upgrade", argument: "ext/etcd", options: { to: "1.1.0", channel: "stable" }, ...set },
    ],
    [{ ...upgrade, changes: null }, unread],
    [{ ...upgrade, to: "1.0.0", changes: null }, "there is nothing to upgrade"],
    [
      { kind: "UninstallPlan", installation: "ext/etcd", mode: "unused", ...set },
      { command: "uninstall", argument: "ext/etcd", options: { mode: "unused" }, ...set },
    ],
    [
      { kind: "Rollback", installation: "ext/etcd", revision: { revision: 3 }, changes: plan },
      { command: "rollback", argument: "ext/etcd", options: { to: "3" }, ...set },
    ],
    [plan, "differences between two versions of a package are no plan of an installation"],
  ];
  for (const [data, expected] of cases) assert.deepEqual(plannedIn(data, given), expected);
});
