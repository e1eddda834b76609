import assert from "node:assert/strict";
import { test } from "node:test";
import type { Deployment } from "@purser/kubernetes/apis/apps";
import type { ClusterServiceVersion } from "../../../../apis/v0/cluster-service-version.ts";
import { parseCompat } from "../../../../compat.ts";
import { rolledBackAnnotation, rolledBackText } from "../../../../apis/policy/rolled-back.ts";
import { planCsv } from "./plan-csv.ts";
import { replacementChain } from "./relations.ts";
import { csvAt, entered, failForward, group, namespace, now, type Phase, worldOf } from "./testing/csv-world.ts";
import type { CsvWorld } from "./world.ts";

/** `PHASE/REASON: MESSAGE` that the pass writes, what it deletes, and when it looks again. */
function passAt(world: CsvWorld, time = now): string {
  const { actions, recheckAfterMs, retry } = planCsv(world, time);
  const lines = actions.map((action) => {
    if (action.kind === "status" && action.announce === undefined) return "requirements";
    if (action.kind === "status") return `${action.status.phase}/${action.status.reason}: ${action.status.message}`;
    if (action.kind !== "write") return action.kind;
    const { write } = action;
    return `${write.verb} ${write.type.plural} ${write.verb === "delete" ? write.key.name : ""}`.trim();
  });
  return [
    ...lines,
    ...(retry === undefined ? [] : [`retry: ${retry}`]),
    ...(recheckAfterMs === undefined ? [] : [`again after ${recheckAfterMs} ms`]),
  ].join(", ");
}

/** The CSV with these Deployments in its strategy. */
function deploying(csv: ClusterServiceVersion, ...names: readonly string[]): ClusterServiceVersion {
  const spec = { deployments: names.map((name) => ({ name, spec: {} })) };
  const whole = { ...csv, spec: { ...csv.spec, install: { strategy: "deployment", spec } } };
  return whole as unknown as ClusterServiceVersion;
}

/** A CSV with one Deployment that does not exist. */
function lacking(phase: Phase, reason: string, message = ""): CsvWorld {
  const csv = deploying(csvAt("op.v1", phase, reason), "d");
  const whole: ClusterServiceVersion = { ...csv, status: { ...csv.status, message } };
  const world = worldOf(whole);
  return { ...world, strategy: { ...world.strategy, csv: whole, siblings: [whole] } };
}

const missing = "installing: missing deployment with name=d";
const timeouts: readonly (readonly [string, number, CsvWorld, string])[] = [
  [
    "waits for Deployments right after the install",
    0,
    lacking("Installing", "InstallSucceeded"),
    `Installing/InstallWaiting: ${missing}, again after 5001 ms`,
  ],
  [
    "waits silently for a Deployment that may just have been created",
    4_999,
    lacking("Installing", "InstallWaiting", missing),
    "again after 2 ms",
  ],
  [
    "installs a Deployment again that is still missing after five seconds",
    5_000,
    lacking("Installing", "InstallWaiting", missing),
    `InstallReady/InstallWaiting: ${missing}, again after 295001 ms`,
  ],
  [
    "fails when five minutes have passed",
    300_000,
    lacking("Installing", "InstallWaiting", missing),
    "Failed/InstallCheckFailed: install timeout",
  ],
  [
    "fails when more than five minutes have passed",
    300_001,
    lacking("Installing", "InstallWaiting", missing),
    "Failed/InstallCheckFailed: install timeout",
  ],
  [
    "succeeds after the timeout when its Deployments are ready",
    300_001,
    worldOf(csvAt("op.v1", "Installing", "InstallWaiting")),
    "Succeeded/InstallSucceeded: install strategy completed with no errors",
  ],
];
for (const [what, after, world, expected] of timeouts)
  test(`an installing CSV ${what}`, () => assert.equal(passAt(world, entered + after), expected));

/** The CSV `name` of three that replace one another: op.v1, op.v2, op.v3. */
function ofThree(name: string, phases: readonly [Phase, Phase, Phase], groups = [group], loop = false): CsvWorld {
  const [first, second, third] = phases;
  const siblings = [
    csvAt("op.v1", first, "", loop ? "op.v3" : undefined),
    csvAt("op.v2", second, "", "op.v1"),
    csvAt("op.v3", third, "", "op.v2"),
  ];
  const csv = siblings.find(({ metadata }) => metadata.name === name);
  assert.ok(csv !== undefined);
  return worldOf(csv, { siblings, groups, allGroups: groups });
}

const forward = [failForward];
const replaced =
  "Deleting/Replaced: has been replaced by a newer ClusterServiceVersion that has successfully installed.";
const chains: readonly (readonly [string, CsvWorld, string])[] = [
  [
    "a replaced CSV is deleted when its own replacement succeeded",
    ofThree("op.v1", ["Replacing", "Succeeded", "Pending"]),
    replaced,
  ],
  [
    "a replaced CSV stays while its own replacement failed, though the last of the chain runs",
    ofThree("op.v1", ["Replacing", "Failed", "Succeeded"]),
    "",
  ],
  [
    "failing forward, a replaced CSV stays while only the middle of the chain runs",
    ofThree("op.v1", ["Replacing", "Succeeded", "Pending"], forward),
    "",
  ],
  [
    "failing forward, a replaced CSV is deleted when the last of the chain succeeded",
    ofThree("op.v1", ["Replacing", "Replacing", "Succeeded"], forward),
    replaced,
  ],
  [
    "failing forward, a failed CSV in the middle steps aside for the last",
    ofThree("op.v2", ["Replacing", "Failed", "Pending"], forward),
    "Replacing/BeingReplaced: Fail Forward is enabled, allowing Failed csv to be replaced by csv: op.v3",
  ],
  [
    "a failed CSV in the middle is not replaced without failing forward",
    ofThree("op.v2", ["Replacing", "Failed", "Pending"]),
    "Succeeded/InstallSucceeded: install strategy completed with no errors",
  ],
  [
    "failing forward, a replaced CSV in the middle waits until the first is deleted",
    ofThree("op.v2", ["Replacing", "Replacing", "Succeeded"], forward),
    "",
  ],
  [
    "failing forward, a pending CSV installs when the failed one before it steps aside",
    ofThree("op.v3", ["Replacing", "Replacing", "Pending"], forward),
    "InstallReady/AllRequirementsMet: all requirements found, attempting install",
  ],
  [
    "failing forward, the last CSV waits while the failed one before it has not stepped aside",
    ofThree("op.v3", ["Replacing", "Failed", "Pending"], forward),
    "Pending/AllRequirementsMet: all requirements found, waiting until op.v2 has succeeded and can be replaced",
  ],
  [
    "a pending CSV says for which CSV it waits",
    ofThree("op.v2", ["Installing", "Pending", "Pending"]),
    "Pending/AllRequirementsMet: all requirements found, waiting until op.v1 has succeeded and can be replaced",
  ],
  [
    "a pending CSV does not report that it waits for one that steps aside in its next pass",
    ofThree("op.v2", ["Succeeded", "Pending", "Pending"]),
    "requirements",
  ],
];
for (const [what, world, expected] of chains) test(what, () => assert.equal(passAt(world), expected));

test("failing forward, a cyclic chain is retried with the reason", () => {
  // Nothing before the CSV: the one that it names is no sibling. After it, the chain comes back.
  const self = csvAt("op.v1", "Replacing");
  const siblings = [self, csvAt("op.v2", "Pending", "", "op.v1"), csvAt("op.v3", "Pending", "", "op.v2")];
  const circle = [...siblings, csvAt("op.v2", "Pending", "", "op.v3")];
  const world = worldOf(self, { siblings: circle, groups: forward, allGroups: forward });
  assert.equal(passAt(world), "retry: fail forward upgrades enabled, unable to identify last CSV in replacement chain");
});

for (const [words, groups] of [
  ["", [group]],
  ["failing forward, ", forward],
] as const)
  test(`${words}a replaced CSV that names itself begins anew, and stays in Replacing with --compat=lost-replacement`, () => {
    const self = csvAt("op.v1", "Replacing", "BeingReplaced", "op.v1");
    const alone = { siblings: [self], groups, allGroups: groups };
    const lost = "marked as replacement, but no replacement CSV found in cluster";
    assert.equal(passAt(worldOf(self, alone)), `Pending/RequirementsUnknown: ${lost}`);
    const upstream = parseCompat("lost-replacement");
    assert.ok(upstream.ok);
    assert.equal(passAt(worldOf(self, { ...alone, compat: upstream.value })), `retry: ${lost}`);
  });

function deploymentOf(name: string, owner?: string): Deployment {
  const ownerReferences =
    owner === undefined ? [] : [{ apiVersion: "v1", kind: "ClusterServiceVersion", name: owner, uid: owner }];
  return { apiVersion: "apps/v1", kind: "Deployment", metadata: { namespace, name, ownerReferences } } as Deployment;
}

test("a CSV whose APIs another group provides deletes only its own Deployments", () => {
  const csv = deploying(csvAt("op.v1", "Succeeded"), "own", "foreign", "unowned");
  const owned = [{ name: "as.g.io", version: "v1", kind: "A" }];
  const owning: ClusterServiceVersion = { ...csv, spec: { ...csv.spec, customresourcedefinitions: { owned } } };
  const rival = {
    ...group,
    metadata: { namespace: "other", name: "rival", uid: "rival", annotations: { "olm.providedAPIs": "A.v1.g.io" } },
    status: { namespaces: [""], lastUpdated: "" },
  };
  const world = worldOf(owning, { allGroups: [group, rival] });
  const deployments = [
    deploymentOf("own", "op.v1"),
    deploymentOf("foreign", "somebody"),
    deploymentOf("unowned"),
    deploymentOf("not-of-the-strategy", "op.v1"),
  ];
  assert.equal(
    passAt({ ...world, strategy: { ...world.strategy, csv: owning, deployments } }),
    "delete deployments own, Failed/InterOperatorGroupOwnerConflict: intersecting operatorgroups provide the same apis",
  );
});

/** op.v1 and op.v2, which replaces it and has the mark of an automatic rollback; \`own\` is the CSV of the pass. */
function rolledBack(own: "op.v1" | "op.v2", phases: readonly [Phase, Phase], change: Partial<CsvWorld> = {}): CsvWorld {
  const mark = {
    bundle: "op.v2",
    to: "op.v1",
    at: "2026-01-01T00:00:00Z",
    plan: "sha256:1",
    because: "late",
    uid: "op.v2",
  };
  const left = csvAt("op.v2", phases[1], "InstallComponentFailedNoRetry", "op.v1");
  const annotations = { ...left.metadata.annotations, [rolledBackAnnotation]: rolledBackText(mark) };
  const siblings = [csvAt("op.v1", phases[0]), { ...left, metadata: { ...left.metadata, annotations } }];
  return worldOf(siblings.find(({ metadata }) => metadata.name === own) ?? assert.fail(), { siblings, ...change });
}

const waitsForFormer = "Replacing/BeingReplaced: rolled back to csv: op.v1";
const upstreamReplacement = {
  compat: { keepsUpstream: (name: string) => name === "lost-replacement" },
};
const rollbacks: readonly (readonly [string, CsvWorld, string])[] = [
  [
    "the newer CSV waits while the former one is Replacing",
    rolledBack("op.v2", ["Replacing", "Failed"]),
    waitsForFormer,
  ],
  ["the newer CSV waits while the former one is Pending", rolledBack("op.v2", ["Pending", "Pending"]), waitsForFormer],
  [
    "the newer CSV waits while the former one is about to install",
    rolledBack("op.v2", ["InstallReady", "Installing"]),
    waitsForFormer,
  ],
  ...(["Installing", "Succeeded", "Failed"] as const).map(
    (phase) =>
      [
        `the newer CSV is left once the former one is ${phase}`,
        rolledBack("op.v2", [phase, "Replacing"]),
        "Deleting/Replaced: rolled back to csv: op.v1",
      ] as const,
  ),
  ["the newer CSV is deleted", rolledBack("op.v2", ["Installing", "Deleting"]), "delete clusterserviceversions op.v2"],
  [
    "the former CSV installs again",
    rolledBack("op.v1", ["Replacing", "Failed"]),
    "Pending/RequirementsUnknown: rolled back from csv: op.v2",
  ],
  [
    "the former CSV installs again with OLM's treatment of lost replacements",
    rolledBack("op.v1", ["Replacing", "Failed"], upstreamReplacement),
    "Pending/RequirementsUnknown: rolled back from csv: op.v2",
  ],
  [
    "the former CSV is not replaced once more",
    rolledBack("op.v1", ["Succeeded", "Replacing"]),
    "Succeeded/InstallSucceeded: install strategy completed with no errors",
  ],
  [
    "the former CSV passes its requirements, as the newer one is no rival",
    rolledBack("op.v1", ["Pending", "Replacing"]),
    "InstallReady/AllRequirementsMet: all requirements found, attempting install",
  ],
];
for (const [what, world, expected] of rollbacks)
  test(`in an automatic rollback ${what}`, () => assert.equal(passAt(world), expected));

test("a CSV that was left stays in the replacement chain, so that the former one is not its rival", () => {
  const { csv, siblings } = rolledBack("op.v1", ["Pending", "Replacing"]);
  assert.deepEqual([...replacementChain(csv, siblings)], ["op.v1", "op.v2"]);
});
