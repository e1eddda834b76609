import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClusterUpdatePolicySpec } from "../apis/policy/cluster-update-policy.ts";
import { decidingPolicies, effectivePolicy, holdLabel, type PolicySubject, recheckAt } from "./effective-policy.ts";
import { heldVersions, reasonAgainst } from "./held-versions.ts";

const subject: PolicySubject = {
  kind: "Subscription",
  name: "etcd",
  namespace: "data",
  packageName: "etcd-operator",
  labels: { tier: "prod" },
};
const now = Date.parse("2026-11-23T12:00:00Z");
const apiVersion = "purser.dev/v1alpha1";
const own = (name: string, spec: ClusterUpdatePolicySpec, namespace = "data") => ({
  apiVersion,
  kind: "UpdatePolicy",
  metadata: { name, namespace },
  spec,
});
const everywhere = (name: string, spec: ClusterUpdatePolicySpec) => ({
  apiVersion,
  kind: "ClusterUpdatePolicy",
  metadata: { name },
  spec,
});
type Object = ReturnType<typeof own> | ReturnType<typeof everywhere>;
const decides = (objects: readonly Object[], who: PolicySubject = subject): string => {
  const updatePolicies = objects.filter(({ kind }) => kind === "UpdatePolicy");
  const clusterUpdatePolicies = objects.filter(({ kind }) => kind === "ClusterUpdatePolicy");
  const found = effectivePolicy({ updatePolicies, clusterUpdatePolicies }, who, now);
  if (found.kind === "none") return "none";
  return found.kind === "one"
    ? found.policy.reference
    : `tied: ${found.policies.map(({ reference }) => reference).join(", ")}`;
};
const level = { level: "none" } as const;

for (const [words, objects, expected, who] of [
  ["without a selector selects everything", [everywhere("all", level)], "ClusterUpdatePolicy all", subject],
  ["of another namespace selects nothing", [own("a", level, "other")], "none", subject],
  [
    "of a namespace selects no ClusterExtension",
    [own("a", level)],
    "none",
    { ...subject, kind: "ClusterExtension" } as const,
  ],
  [
    "selects by every part at once",
    [everywhere("a", { ...level, selector: { packages: ["etcd-operator"], kinds: ["ClusterExtension"] } })],
    "none",
    subject,
  ],
  [
    "selects by labels",
    [everywhere("a", { ...level, selector: { labels: { matchLabels: { tier: "test" } } } })],
    "none",
    subject,
  ],
  [
    "whose label selector cannot be read selects everything",
    [everywhere("a", { ...level, selector: { labels: { matchExpressions: [{ key: "tier", operator: "Near" }] } } })],
    "ClusterUpdatePolicy a",
    subject,
  ],
  [
    "that names the package is more specific than one that names the namespace",
    [
      everywhere("a", { ...level, selector: { namespaces: ["data"] } }),
      everywhere("b", { ...level, selector: { packages: ["etcd-operator"] } }),
    ],
    "ClusterUpdatePolicy b",
    subject,
  ],
  [
    "of the cluster that names the installation is more specific than one of its namespace without a selector",
    [own("a", level), everywhere("b", { ...level, selector: { names: ["etcd"] } })],
    "ClusterUpdatePolicy b",
    subject,
  ],
  [
    "ties with another that is as specific",
    [own("b", level), own("a", level)],
    "tied: UpdatePolicy data/a, UpdatePolicy data/b",
    subject,
  ],
  ["that has ended decides nothing", [own("a", { ...level, until: "2026-11-23T12:00:00Z" })], "none", subject],
  [
    "that ends later still decides",
    [own("a", { ...level, until: "2026-11-23T12:00:01Z" })],
    "UpdatePolicy data/a",
    subject,
  ],
] satisfies [string, Object[], string, PolicySubject][])
  test(`a policy ${words}`, () => {
    assert.equal(decides(objects, who), expected);
  });

const at = (version: string) => ({ name: `etcd.v${version}`, version });
for (const [spec, version, installed, expected] of [
  [{ versions: { denied: ["1.1.0"] } }, "1.1.0", "1.0.0", "denied"],
  [{ versions: { denied: ["1.1.0"] } }, "1.1.0", undefined, "denied"],
  [{ versions: { denied: ["1.1.0"] } }, "1.2.0", "1.0.0", undefined],
  [{ versions: { allowed: ["1.1.0", "1.1.1"] } }, "1.2.0", "1.0.0", "allowed are 1.1.0 and 1.1.1"],
  [{ versions: { allowed: ["1.1.0"] } }, "1.1.0", "1.0.0", undefined],
  [{ versions: { allowed: [] } }, "1.1.0", undefined, "allowed are "],
  [{ versions: { range: "<1.2" } }, "1.2.0", "1.0.0", "range <1.2"],
  [{ versions: { range: "<1.2" } }, "1.1.9", "1.0.0", undefined],
  [{ versions: { range: "newest" } }, "1.1.9", "1.0.0", 'its range "newest" cannot be read'],
  [{ level: "none" }, "1.0.1", "1.0.0", "no upgrades"],
  [{ level: "none" }, "1.0.1", undefined, undefined],
  [{ level: "patch" }, "1.0.9", "1.0.0", undefined],
  [{ level: "patch" }, "1.1.0", "1.0.0", "level patch"],
  [{ level: "patch" }, "2.0.0", "1.0.0", "level patch"],
  [{ level: "minor" }, "1.9.0", "1.0.0", undefined],
  [{ level: "minor" }, "2.0.0", "1.9.0", "level minor"],
  [{ level: "major" }, "3.0.0", "1.0.0", undefined],
] satisfies [ClusterUpdatePolicySpec, string, string | undefined, string | undefined][])
  test(`${JSON.stringify(spec)} ${expected === undefined ? "allows" : "holds"} ${version} ${installed === undefined ? "as a first installation" : `after ${installed}`}`, () => {
    assert.equal(reasonAgainst(spec, at(version), installed === undefined ? undefined : at(installed)), expected);
  });

const about = { reference: "sub/data/etcd", packageName: "etcd-operator", now };

test("what is installed is never held back, and the reason names policy, rule, end and words", () => {
  const spec = { versions: { range: "<1" }, until: "2026-12-31T00:00:00Z", reason: "change freeze" };
  const effective = {
    kind: "one",
    policy: { reference: "ClusterUpdatePolicy prod", spec, isHold: false, firstSeen: [] },
    lessSpecific: [],
  } as const;
  assert.deepEqual(heldVersions(effective, [at("1.0.0"), at("1.1.0"), at("0.9.0")], at("1.0.0"), about), [
    {
      code: "VersionHeld",
      bundles: ["etcd.v1.1.0"],
      reason: "ClusterUpdatePolicy prod: range <1, until 2026-12-31T00:00:00Z (change freeze)",
      remedy: { summary: "see which policy decides, and change it", command: "purser policy effective sub/data/etcd" },
    },
  ]);
});

test("tied policies hold every version but the installed one, and are named", () => {
  const policies = ["a", "b"].map((name) => ({
    reference: `UpdatePolicy data/${name}`,
    spec: level,
    isHold: true,
    firstSeen: [],
  }));
  assert.deepEqual(
    heldVersions({ kind: "tied", policies }, [at("1.0.0"), at("1.1.0")], at("1.0.0"), about).map(
      ({ bundles, reason }) => [bundles, reason],
    ),
    [[["etcd.v1.1.0"], "UpdatePolicy data/a and UpdatePolicy data/b are equally specific, so none of them decides"]],
  );
});

test("an installation is decided again exactly at the first of the times, and never without one", () => {
  const now = 10_000;
  assert.deepEqual(
    [[], [undefined], [undefined, 15_000, 12_000], [9_000, 12_000]].map((ends) => recheckAt(ends, now)),
    [undefined, undefined, 2_000, 0],
  );
});

test("a policy of the namespace narrows what that of the cluster allows, however specific it is, and never widens it", () => {
  const updatePolicies = [own("mine", { selector: { names: ["etcd"] }, level: "major" })];
  const clusterUpdatePolicies = [
    everywhere("all", { level: "none" }),
    everywhere("packages", { selector: { packages: ["etcd-operator"] }, level: "none" }),
  ];
  const deciding = decidingPolicies({ updatePolicies, clusterUpdatePolicies }, subject, now).map((one) =>
    one.kind === "one" ? one.policy.reference : one.kind,
  );
  assert.deepEqual(deciding, ["ClusterUpdatePolicy packages", "UpdatePolicy data/mine"]);
  assert.deepEqual(decidingPolicies({ updatePolicies: [], clusterUpdatePolicies: [] }, subject, now), []);
});

test("a hold or a rejection narrows what the policies beside it allow, and takes the place of none", () => {
  const held = <One extends Object>(policy: One): One => ({
    ...policy,
    metadata: { ...policy.metadata, labels: { [holdLabel]: "true" } },
  });
  const selector = { names: ["etcd"] };
  const deciding = decidingPolicies(
    {
      updatePolicies: [own("careful", { approval: { minor: "Manual" } }), held(own("hold-etcd", { selector }))],
      clusterUpdatePolicies: [
        held(everywhere("hold-etcd", { selector, versions: { denied: ["1.1.0"] } })),
        everywhere("prod", { approval: { install: "Manual" } }),
      ],
    },
    subject,
    now,
  );
  assert.deepEqual(
    deciding.map((one) => (one.kind === "one" ? [one.policy.reference, one.policy.isHold] : one.kind)),
    [
      ["ClusterUpdatePolicy prod", false],
      ["ClusterUpdatePolicy hold-etcd", true],
      ["UpdatePolicy data/careful", false],
      ["UpdatePolicy data/hold-etcd", true],
    ],
  );
});
