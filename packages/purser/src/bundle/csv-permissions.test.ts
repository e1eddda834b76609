import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClusterServiceVersion } from "../apis/v0/cluster-service-version.ts";
import type { JsonObject } from "@purser/kubernetes/json";
import { writeTyped } from "./api-types/write-typed.ts";
import { permissionsInSteps, permissionsOf } from "./csv-permissions.ts";

function csv(strategy: string, permissions: readonly string[] = ["a"], cluster: readonly string[] = []) {
  const of = (accounts: readonly string[]) =>
    accounts.map((serviceAccountName) => ({ serviceAccountName, rules: [{ verbs: ["get"] }] }));
  const spec = { deployments: [], permissions: of(permissions), clusterPermissions: of(cluster) };
  return {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: { namespace: "ns", name: "op.v1", uid: "u" },
    spec: { displayName: "op", install: { strategy, spec } },
  } as ClusterServiceVersion;
}

for (const strategy of ["", "helm", "Deployment"])
  test(`permissions of the strategy ${JSON.stringify(strategy)} are refused, whatever it holds`, () =>
    assert.deepEqual(permissionsOf(csv(strategy)), { ok: false, problem: "unrecognized install strategy" }));

test("accounts come in order of first appearance, each with its Roles before its ClusterRoles", () => {
  const found = permissionsOf(csv("deployment", ["b", "a", "b"], ["a", "c"]));
  assert.ok(found.ok);
  assert.deepEqual(
    found.value.map(
      ({ serviceAccountName, objects }) => `${serviceAccountName}: ${objects.map(({ type }) => type).join(" ")}`,
    ),
    [
      "b: ServiceAccount Role Role RoleBinding RoleBinding",
      "a: ServiceAccount Role RoleBinding ClusterRole ClusterRoleBinding",
      "c: ServiceAccount ClusterRole ClusterRoleBinding",
    ],
  );
});

test("the rules of a permission are written out once, for the names of its objects and the hash of its Role", () => {
  const whole = csv("deployment", [], ["a"]);
  let reads = 0;
  const rule = {
    get verbs() {
      reads++;
      return ["get"];
    },
  };
  const spec = { deployments: [], clusterPermissions: [{ serviceAccountName: "a", rules: [rule] }] };
  const readsOf = (times: () => unknown): number => {
    reads = 0;
    times();
    return reads;
  };
  const once = readsOf(() => writeTyped("[]PolicyRule", [rule]));
  const given = { ...whole, spec: { ...whole.spec, install: { strategy: "deployment", spec } } };
  assert.equal(
    readsOf(() => permissionsOf(given as ClusterServiceVersion)),
    once,
  );
});

/** How much `count` grew between two pauses at most, and what `permissionsOf` answers afterwards. */
function mostBetweenPauses(given: ClusterServiceVersion, count: () => number): number {
  const steps = permissionsInSteps(given);
  let [before, most] = [count(), 0];
  for (let step = steps.next(); ; step = steps.next()) {
    most = Math.max(most, count() - before);
    before = count();
    if (step.done !== true) continue;
    assert.equal(permissionsOf(given), step.value);
    return most;
  }
}

test("no more than 128 permissions or two pieces of 1024 rules come between two pauses, and the result is kept", () => {
  let reads = 0;
  const counted = {
    get verbs() {
      reads++;
      return ["get"];
    },
  };
  const withPermissions = (permissions: readonly object[]): ClusterServiceVersion => {
    const base = csv("deployment");
    const strategy = {
      strategy: "deployment",
      spec: { deployments: [], permissions, clusterPermissions: permissions },
    };
    return { ...base, spec: { ...base.spec, install: strategy } } as unknown as ClusterServiceVersion;
  };
  const one = (() => {
    writeTyped("[]PolicyRule", [counted]);
    return reads;
  })();
  const many = Array.from({ length: 1000 }, (_, i) => ({ serviceAccountName: `a${i % 7}`, rules: [counted] }));
  assert.equal(mostBetweenPauses(withPermissions(many), () => reads) / one, 128);
  const large = [{ serviceAccountName: "a", rules: Array.from({ length: 5000 }, () => counted) }];
  // The rest of one list and the first piece of the next.
  assert.equal(mostBetweenPauses(withPermissions(large), () => reads) / one, (5000 % 1024) + 1024);
});

test("an empty name is left out of the account and of what the names of Roles are hashed from", () => {
  const namesOf = (whole: ClusterServiceVersion): readonly unknown[] => {
    const found = permissionsOf(whole);
    assert.ok(found.ok);
    return found.value.flatMap(({ objects }) =>
      objects.map(({ object }) => (object["metadata"] as JsonObject)["name"]),
    );
  };
  const whole = csv("deployment", [], []);
  const { name: _name, ...metadata } = whole.metadata;
  const given = (permissions: object, clusterPermissions: object) =>
    ({
      ...whole,
      metadata,
      spec: {
        ...whole.spec,
        install: { strategy: "deployment", spec: { deployments: [], permissions, clusterPermissions } },
      },
    }) as ClusterServiceVersion;
  const account = [{ serviceAccountName: "sa", rules: [] }];
  // As OLM's own step builder names them.
  assert.deepEqual(namesOf(given(account, account)), [
    "sa",
    "-sa-bim6I5P2dx9II3Z0E77SZIO8v3vMT27I8uK8YG",
    "-sa-bim6I5P2dx9II3Z0E77SZIO8v3vMT27I8uK8YG",
    "-1b3XRBRXNUjLmdU4EjcFKPv9C9MBeBkHAiEQgo",
    "-1b3XRBRXNUjLmdU4EjcFKPv9C9MBeBkHAiEQgo",
  ]);
  const [nameless] = namesOf(given([{ serviceAccountName: "", rules: [] }], []));
  assert.equal(nameless, undefined);
});
