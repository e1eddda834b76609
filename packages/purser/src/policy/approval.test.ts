import assert from "node:assert/strict";
import { test } from "node:test";
import type { PolicyApproval } from "../apis/policy/update-policy.ts";
import { approvalAsked, approvalFor, judgesContents } from "./approval.ts";
import type { PolicySubject } from "./effective-policy.ts";

const at = (version: string) => ({ name: `etcd.v${version}`, version });
const all: PolicyApproval = { install: "Manual", patch: "Manual", minor: "Manual", major: "Manual" };

for (const [approval, installed, version, expected] of [
  [undefined, "1.0.0", "2.0.0", undefined],
  [{ install: "Manual" }, undefined, "1.0.0", "installations need approval"],
  [{ ...all, install: "Automatic" }, undefined, "1.0.0", undefined],
  [{ patch: "Manual" }, "1.0.0", "1.0.1", "patch upgrades need approval"],
  [{ patch: "Manual" }, "1.0.0", "1.1.0", undefined],
  [{ minor: "Manual" }, "1.0.0", "1.1.0", "minor upgrades need approval"],
  [{ minor: "Manual" }, "1.0.0", "1.0.1", undefined],
  [{ minor: "Manual" }, "1.0.0", "2.0.0", undefined],
  [{ major: "Manual" }, "1.0.0", "2.0.0", "major upgrades need approval"],
  [{ major: "Manual" }, "1.0.0", "1.9.0", undefined],
  [{ major: "Manual" }, "1.0.0", "newest", "major upgrades need approval"],
  [{ ...all, minor: "Automatic" }, "1.0.0", "1.1.0", undefined],
  [all, "1.0.0", "1.0.0", undefined],
] satisfies [PolicyApproval | undefined, string | undefined, string, string | undefined][])
  test(`${JSON.stringify(approval)} asks ${expected === undefined ? "nothing" : "for approval"} of ${version} ${installed === undefined ? "as a first installation" : `after ${installed}`}`, () => {
    assert.equal(
      approvalAsked(
        approval === undefined ? {} : { approval },
        at(version),
        installed === undefined ? undefined : at(installed),
      ),
      expected,
    );
  });

const subject: PolicySubject = {
  kind: "Subscription",
  name: "etcd",
  namespace: "data",
  packageName: "etcd",
  labels: {},
};
const policy = (name: string, approval: PolicyApproval) => ({
  apiVersion: "purser.dev/v1alpha1",
  kind: "ClusterUpdatePolicy",
  metadata: { name },
  spec: { approval },
});

test("the policy that decides is named, and none asks when several tie, because then nothing is upgraded", () => {
  const asked = (...clusterUpdatePolicies: readonly ReturnType<typeof policy>[]) =>
    approvalFor({ updatePolicies: [], clusterUpdatePolicies }, subject, at("1.1.0"), at("1.0.0"), { now: 0 });
  assert.equal(asked(policy("prod", all)), "ClusterUpdatePolicy prod: minor upgrades need approval");
  assert.equal(asked(policy("prod", { major: "Manual" })), undefined);
  assert.equal(asked(policy("prod", all), policy("other", all)), undefined);
  assert.equal(asked(), undefined);
});

test("contents of upgrades are looked at when one of the deciding policies has rules on them", () => {
  const scoped = (name: string, namespaceOfPolicy: string | undefined, rules: object) => ({
    ...policy(name, {}),
    kind: namespaceOfPolicy === undefined ? "ClusterUpdatePolicy" : "UpdatePolicy",
    metadata: { name, ...(namespaceOfPolicy === undefined ? {} : { namespace: namespaceOfPolicy }) },
    spec: rules,
  });
  const judges = (own: object | undefined, cluster: object | undefined): boolean =>
    judgesContents(
      {
        updatePolicies: own === undefined ? [] : [scoped("own", "data", own)],
        clusterUpdatePolicies: cluster === undefined ? [] : [scoped("all", undefined, cluster)],
      },
      subject,
      0,
    );
  const rules = { permissionIncrease: "RequireApproval" };
  assert.deepEqual(
    [
      judges(undefined, undefined),
      judges({}, {}),
      judges(rules, undefined),
      judges(undefined, rules),
      judges(rules, {}),
      judges({}, rules),
      judges({ crdChange: "RequireApproval" }, undefined),
      judges({ permissionIncrease: "Allow", crdChange: "Allow" }, undefined),
    ],
    [false, false, true, true, true, true, true, false],
  );
});
