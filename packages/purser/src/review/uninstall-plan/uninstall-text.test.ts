import assert from "node:assert/strict";
import { test } from "node:test";
import { digestOf } from "@purser/kubernetes/digest";
import type { ApiFate, UninstallPlan } from "./uninstall-plan.ts";
import { uninstallLines } from "./uninstall-text.ts";

const digest = digestOf("plan");
const api = (kind: string, fate: ApiFate["fate"], instances: number | undefined, because?: string): ApiFate => ({
  crd: `${kind}.g.io`,
  kind,
  instances,
  sharedWith: [],
  ownedElsewhere: false,
  fate,
  ...(because === undefined ? {} : { because }),
});

/** `meaning|text` of each line. */
const painted = (plan: Partial<UninstallPlan>): readonly string[] =>
  uninstallLines({
    installation: "sub/ns/op",
    objects: [],
    apis: [],
    dependents: [],
    unneeded: [],
    digest,
    inputs: {},
    mode: "unused",
    deletedInstances: 0,
    uncounted: [],
    ...plan,
  } as UninstallPlan).map(({ meaning = "", text }) => `${meaning}|${text}`);

const [head, end] = ["strong|Uninstall sub/ns/op (mode unused)", `|  plan     ${digest}`];

test("an operator without APIs is its objects, counted by kind, the most frequent first", () => {
  const objects = ["Role", "Service", "Role", "Account", "Deployment"].map((kind) => ({ kind, name: "x" }));
  assert.deepEqual(painted({ objects }), [
    head,
    "|  removed  5 objects: 2 Role, 1 Account, 1 Deployment and 1 Service",
    end,
  ]);
});

test("APIs that are removed and kept, who is affected and what is unneeded have a line each", () => {
  assert.deepEqual(
    painted({
      objects: [{ kind: "Role", name: "r" }],
      apis: [
        api("A", "removed", 3),
        api("B", "removed", 1),
        api("C", "removed", 0),
        api("D", "kept", undefined, "it is shared"),
        api("E", "kept", 0),
      ],
      dependents: [{ installation: "sub/ns/other", kind: "A" }],
      unneeded: [
        { installation: "sub/ns/a", instances: 2 },
        { installation: "sub/ns/b", instances: 1 },
        { installation: "sub/ns/c", instances: 0 },
        { installation: "sub/ns/d", instances: undefined },
      ],
    }),
    [
      head,
      "|  removed  1 object: 1 Role",
      "attention|  removed  3 CRDs, 4 instances (A 3 and B 1)",
      "|  kept     2 CRDs, 0 instances (D not counted)",
      "|  kept     D.g.io: it is shared",
      "attention|  affects  sub/ns/other requires A, which nothing will serve",
      "|  unneeded sub/ns/a was installed for it, and nothing else requires it (2 instances)",
      "|  unneeded sub/ns/b was installed for it, and nothing else requires it (1 instance)",
      "|  unneeded sub/ns/c was installed for it, and nothing else requires it",
      "|  unneeded sub/ns/d was installed for it, and nothing else requires it",
      end,
    ],
  );
  assert.deepEqual(painted({ apis: [api("A", "kept", 0)] })[2], "|  kept     1 CRD, 0 instances");
});
