import assert from "node:assert/strict";
import { test } from "node:test";
import { digestOf } from "@purser/kubernetes/digest";
import type { ChangePlan, Changes } from "./change-plan.ts";
import type { FieldChange } from "./field-changes.ts";
import type { ObjectChange } from "./object-changes.ts";
import { planLines } from "./plan-text.ts";

const nothing: Changes = { objects: [], crds: [], permissions: [], images: [], webhooks: [], downtime: [] };
const digest = digestOf("plan");
const single = (total: Partial<Changes>, plan: Partial<ChangePlan> = {}): ChangePlan => ({
  digest,
  inputs: {},
  installation: "sub/ns/op",
  from: { name: "op.v1", version: "1.0.0" },
  to: { name: "op.v2", version: "2.0.0" },
  hops: [{ from: "1.0.0", to: "2.0.0", changes: { ...nothing, ...total } }],
  total: { ...nothing, ...total },
  dependencies: [],
  deprecations: [],
  ...plan,
});

/** `meaning|text` of each line; `|text` of one that is not painted. */
const painted = (plan: ChangePlan, full = false): readonly string[] =>
  planLines(plan, full).map(({ meaning = "", text }) => `${meaning}|${text}`);

const head = `strong|Changes of sub/ns/op: 1.0.0 -> 2.0.0    ${digest}`;
const [noObjects, noPermissions, noImages] = [
  "|  objects     none",
  "|  permissions unchanged",
  "|  images      unchanged",
];

test("nothing that changes is three lines below the title", () =>
  assert.deepEqual(painted(single({})), [head, noObjects, noPermissions, noImages]));

test("an installation has no version before", () => {
  const { from: _, ...plan } = single({});
  assert.deepEqual(painted(plan)[0], `strong|Changes of sub/ns/op: install 2.0.0    ${digest}`);
});

const objectOf = (change: ObjectChange["change"], more: Partial<ObjectChange> = {}): ObjectChange => ({
  group: "apps",
  kind: "Deployment",
  namespace: "ns",
  name: "manager",
  change,
  fields: [],
  drift: [],
  ...more,
});
const pathOf = (...fields: readonly string[]) => fields.map((field) => ({ field }));
const fields: readonly FieldChange[] = [
  { kind: "changed", path: pathOf("spec", "replicas"), before: 1, after: 2 },
  { kind: "added", path: pathOf("spec", "paused"), after: true },
  { kind: "removed", path: pathOf("spec", "strategy"), before: "Recreate" },
  { kind: "reordered", path: pathOf("spec", "list"), order: [] },
];

test("fields of changed objects: what they were is bad, what they become is good, their paths are plain", () =>
  assert.deepEqual(painted(single({ objects: [objectOf("changed", { fields })] })), [
    head,
    "|  objects     1 changed",
    noPermissions,
    noImages,
    "strong|--- Deployment ns/manager",
    "|    spec.replicas",
    "bad|      - 1",
    "good|      + 2",
    "|    spec.paused",
    "good|      + true",
    "|    spec.strategy",
    "bad|      - Recreate",
    "|    spec.list in a different order",
  ]));

test("six changed objects are shown without --full, others only with it, objects that are kept with what drifted", () => {
  const objects = [
    ...Array.from({ length: 7 }, (_, at) => objectOf("changed", { name: `changed-${at}` })),
    objectOf("created", { name: "created" }),
    objectOf("deleted", { name: "deleted" }),
    objectOf("kept", { name: "kept" }),
    objectOf("kept", { name: "drifted", drift: [{ kind: "changed", path: pathOf("spec"), before: "a", after: "b" }] }),
    objectOf("changed", { kind: "CustomResourceDefinition", group: "apiextensions.k8s.io", name: "as.g.io" }),
  ];
  const lines = painted(single({ objects }));
  assert.deepEqual(lines.slice(1, 5), [
    "|  objects     1 created, 8 changed, 1 deleted, 2 kept",
    noPermissions,
    noImages,
    "attention|  drift       Deployment ns/drifted: 1 field changed on the cluster",
  ]);
  assert.deepEqual(lines.slice(5), [
    ...Array.from({ length: 6 }, (_, at) => `strong|--- Deployment ns/changed-${at}`),
    "detail|... 4 more objects: --full",
  ]);
  assert.deepEqual(painted(single({ objects }), true).slice(5), [
    ...Array.from({ length: 7 }, (_, at) => `strong|--- Deployment ns/changed-${at}`),
    "strong|--- Deployment ns/created created",
    "strong|--- Deployment ns/deleted deleted",
    "strong|--- Deployment ns/drifted kept",
    "|    changed on the cluster:",
    "|    spec",
    "bad|      - a",
    "good|      + b",
    "strong|--- CustomResourceDefinition ns/as.g.io",
  ]);
});

test("what an operator may do: rules it gains are good, rules it loses are bad, and a gain asks for attention", () => {
  const pods = { rule: { verbs: ["get"], apiGroups: [""], resources: ["pods"] }, flags: [] };
  const secrets = { rule: { verbs: ["*"], apiGroups: [""], resources: ["secrets"] }, flags: ["secrets"] as const };
  const permissions = (added: readonly (typeof pods | typeof secrets)[], removed: readonly (typeof pods)[]) =>
    painted(single({ permissions: [{ account: "ns/op", namespace: "ns", added, removed }] })).slice(2, -1);
  assert.deepEqual(permissions([secrets], [pods]), [
    "attention|  permissions 1 rule gained, 1 lost",
    "|    ServiceAccount ns/op, namespace ns",
    "good|      + *  secrets  [secrets]",
    "bad|      - get  pods",
  ]);
  assert.equal(permissions([], [pods])[0], "|  permissions 0 rules gained, 1 lost");
});

test("images: new ones are listed, those no longer used and those by tag are counted", () => {
  const images = [
    { image: "r/a:1", change: "added" },
    { image: "r/b@sha256:0", digest: "sha256:0", change: "added" },
    { image: "r/c:1", change: "removed" },
    { image: "r/d:1", change: "kept" },
  ] as const;
  assert.deepEqual(painted(single({ images })).slice(3), [
    "|  images      2 new, 1 no longer used, 1 new not pinned by digest",
    "good|      + r/a:1",
    "good|      + r/b@sha256:0",
  ]);
});

test("CRDs, webhooks, pauses, objects that stay behind, needs and deprecations have a line each", () => {
  const left = { change: "left", findings: [], rules: [] } as const;
  const plan = single(
    {
      crds: [
        { name: "as.g.io", ...left, stored: 2 },
        { name: "bs.g.io", ...left },
        { name: "cs.g.io", change: "changed", findings: ["a field was removed"], rules: ["r"], stored: 1 },
        { name: "ds.g.io", change: "deleted", findings: ["it is deleted"], rules: ["deletion"] },
      ],
      webhooks: [{ type: "ConversionWebhook", name: "hook", change: "added", fields: [] }],
      downtime: ["the operator restarts"],
      objects: [
        objectOf("left", { name: "old" }),
        objectOf("left", { kind: "CustomResourceDefinition", group: "apiextensions.k8s.io", name: "as.g.io" }),
      ],
    },
    {
      dependencies: [
        { bundle: "b.v1", askedBy: [] },
        {
          bundle: "c.v1",
          askedBy: [
            { bundle: "op.v2", requirement: "API C" },
            { bundle: "b.v1", requirement: "package c" },
          ],
        },
      ],
      deprecations: ["use another", ""],
    },
  );
  assert.deepEqual(painted(plan), [
    head,
    "|  objects     2 left behind",
    noPermissions,
    "|  crd         as.g.io is left in the cluster with 2 stored objects",
    "|  crd         bs.g.io is left in the cluster",
    "attention|  ! crd       cs.g.io: a field was removed  (1 stored object)",
    "attention|  ! crd       ds.g.io: it is deleted  (stored objects not counted)",
    noImages,
    "|  webhook     ConversionWebhook hook added",
    "attention|  restart     the operator restarts",
    "|  left        Deployment ns/old stays behind",
    "|  needs       b.v1",
    "|  needs       c.v1, for op.v2 (API C) and b.v1 (package c)",
    "attention|  deprecated  use another",
    "attention|  deprecated  no reason given by the catalog",
    "detail|... 2 more objects: --full",
  ]);
});

test("several upgrades show their path and what each changes, with --full its objects instead of those of all", () => {
  const changed = { ...nothing, objects: [objectOf("changed")] };
  const plan = single(
    { objects: [objectOf("changed", { name: "total" })] },
    {
      hops: [
        { from: "1.0.0", to: "1.5.0", changes: nothing },
        { from: "1.5.0", to: "2.0.0", changes: changed },
      ],
    },
  );
  const total = [
    head,
    "|  path        1.0.0 -> 1.5.0 -> 2.0.0, 2 hops",
    "|  objects     1 changed",
    noPermissions,
    noImages,
  ];
  const first = ["strong|hop 1.0.0 -> 1.5.0", noObjects, noPermissions, noImages];
  const second = ["strong|hop 1.5.0 -> 2.0.0", "|  objects     1 changed", noPermissions, noImages];
  assert.deepEqual(painted(plan), [...total, ...first, ...second, "strong|--- Deployment ns/total"]);
  assert.deepEqual(painted(plan, true), [...total, ...first, ...second, "strong|--- Deployment ns/manager"]);
});
