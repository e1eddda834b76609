// Passes of the ClusterExtension controller over a small cluster.
import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { JsonObject } from "@purser/kubernetes/json";
import { clusterExtensions } from "../../../apis/olm-resources.ts";
import type { ClusterExtension } from "../../../apis/v1/cluster-extension.ts";
import { cacheOf, requeuedBy } from "../../testing/passes.ts";
import { rolledBackAnnotation } from "../../../apis/policy/rolled-back.ts";
import {
  approvedPlanAnnotation,
  certificateProviderAnnotation,
  migratedFromHelmLabel,
  ownerNameLabel,
  wantedByAnnotation,
} from "../../../apis/v1/labels.ts";
import { defaultGates } from "../../../feature-gates.ts";
import type { CompatSwitch } from "../../../compat.ts";
import type { Surroundings } from "../../surroundings.ts";
import {
  catalogOf,
  extensionCluster,
  extensionOf,
  type Given,
  now,
  policyOf,
  revisionOf,
  succeeded,
} from "./testing/extension-cluster.ts";

const late = ["Progressing=False ProgressDeadlineExceeded"];
const going = ["Progressing=True RollingOut"];
const two = ["1.0.0", "1.1.0"];
const three = [...two, "1.2.0"];
const first = revisionOf(1, "1.0.0", succeeded);
const upgrade = { versions: two, objects: [first] } as const;
const of = (catalog: object, annotations: Readonly<Record<string, string>> = {}): ClusterExtension =>
  extensionOf({ source: { sourceType: "Catalog", catalog: { packageName: "kiln", ...catalog } } }, { annotations });
const upstream = (name: CompatSwitch): Partial<Surroundings> => ({ compat: { keepsUpstream: (one) => one === name } });

/** The revision that takes a new bundle. */
const rolledOut = (name: string, bundle: string, ...marks: readonly string[]): readonly string[] => [
  `create Secret ${name}`,
  `apply ClusterObjectSet ${[name, bundle, ...marks].join(" ")}, pinned`,
  "own Secret",
];
/** What a revision that is as desired but for its lost Secret gets. */
const again = (name: string, bundle: string, ...marks: readonly string[]): readonly string[] => [
  `apply ClusterObjectSet ${[name, bundle, ...marks].join(" ")}, pinned`,
  `create Secret ${name}`,
  "own Secret",
];
const installed = [
  "Installed=True Succeeded: Installed bundle example.com/kiln:v1.0.0 successfully",
  "installed kiln.v1.0.0",
  "event Normal Installed ext: Installed kiln.v1.0.0",
] as const;
const [condition, status, event] = installed;
const none = "Installed=False Failed: No bundle installed";
const about = 'error for resolved bundle "kiln.v1.0.0" with version "1.0.0": ';
const retrying = (cause: string, upstreamText: string): readonly string[] => [
  none,
  `Progressing=True Retrying: ${cause}\n${upstreamText}`,
  "event Warning Retrying ext",
];

const base64 = (bytes: Buffer | string): string => Buffer.from(bytes).toString("base64");
const release = (chunk: string): KubeObject =>
  ({
    apiVersion: "v1",
    kind: "Secret",
    type: "operatorframework.io/index.v1",
    metadata: {
      name: "release",
      namespace: "olmv1-system",
      labels: { owner: "operator-controller", type: "index", name: "ext", status: "deployed", version: "1" },
    },
    data: { extraChunks: base64("[]"), chunk },
  }) as unknown as KubeObject;
const deployed = {
  manifest: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n",
  labels: {
    "olm.operatorframework.io/bundle-name": "kiln.v1.0.0",
    "olm.operatorframework.io/bundle-version": "1.0.0",
    "olm.operatorframework.io/package-name": "kiln",
    "olm.operatorframework.io/bundle-reference": "example.com/kiln:v1.0.0",
  },
};

const template = {
  metadata: { labels: { app: "kiln" } },
  spec: { serviceAccountName: "kiln", containers: [{ name: "kiln", image: "example.com/kiln:1" }] },
};
const spec = { selector: { matchLabels: { app: "kiln" } }, template };
const rules = [{ apiGroups: [""], resources: ["secrets"], verbs: ["get"] }];
/** The bundle needs rights that the revision without objects does not have. */
const withRights: JsonObject = {
  minKubeVersion: "",
  install: {
    strategy: "deployment",
    spec: { deployments: [{ name: "kiln", spec }], clusterPermissions: [{ serviceAccountName: "kiln", rules }] },
  },
};
const gained = "new permissions (ServiceAccount ns/kiln, whole cluster: get  secrets  [cluster-wide, secrets])";

/** One more version in a channel of its own, which requires something, and another package. */
const requiring = (type: string, value: JsonObject): string => `---
schema: olm.bundle
package: kiln
name: kiln.v9.0.0
image: example.com/kiln:v9.0.0
properties:
- {type: olm.package, value: {packageName: kiln, version: 9.0.0}}
- {type: ${type}, value: ${JSON.stringify(value)}}
---
schema: olm.channel
package: kiln
name: nine
entries: [{name: kiln.v9.0.0}]
---
schema: olm.package
name: store
defaultChannel: stable
---
schema: olm.channel
package: store
name: stable
entries: [{name: store.v1.0.0}]
---
schema: olm.bundle
package: store
name: store.v1.0.0
image: example.com/store
properties:
- {type: olm.package, value: {packageName: store, version: 1.0.0}}
`;
const api = requiring("olm.gvk.required", { group: "g.io", version: "v1", kind: "Glaze" });
const nine = of({ channels: ["nine"] });
const unsupported = (type: string): string =>
  `validating bundle "kiln.v9.0.0": bundle "kiln.v9.0.0" has a dependency declared via property "${type}" which is currently not supported`;

const rolledBack = {
  bundle: "kiln.v1.1.0",
  to: "kiln.v1.0.0",
  at: "2026-01-01T00:00:00Z",
  plan: "sha256:1",
  because: "not ready within 10 minutes",
};
const workload = (conditions: readonly object[]): KubeObject =>
  ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { namespace: "ns", name: "kiln" },
    spec,
    ...(conditions.length === 0 ? {} : { status: { conditions } }),
  }) as unknown as KubeObject;
const withPhase = (revision: KubeObject, member: object): KubeObject =>
  ({
    ...revision,
    spec: { lifecycleState: "Active", revision: 2, phases: [{ name: "deploy", objects: [member] }] },
  }) as unknown as KubeObject;
/** Of the plan from the second revision to the first. */
const wayBack = "sha256:0824b03fcd5b8b0921d1f0f03c2cc0b073cc5159d36306cc1d2ad4e348490f56";
const unrecorded =
  "the installed bundle is not known: annotation olm.operatorframework.io/bundle-version of ClusterObjectSet ext-1 is missing; correct it, or delete the ClusterObjectSet";
const unparsed =
  'error parsing objects in "manifests/crd.json": error parsing manifests/crd.json: error converting YAML to JSON: yaml: unexpected EOF';
const ofManager = "subscriptions.operators.coreos.com";
const reserved: Given = {
  csv: {
    minKubeVersion: "",
    customresourcedefinitions: { owned: [{ name: ofManager, version: "v1", kind: "Subscription" }] },
  },
  files: {
    "manifests/crd.json": {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: ofManager },
      spec: {
        group: "operators.coreos.com",
        scope: "Namespaced",
        names: { kind: "Subscription", plural: "subscriptions" },
        versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
      },
    },
  },
};
const claimed = `it brings APIs of the lifecycle manager: ${ofManager}. An operator may require APIs of the groups operators.coreos.com, packages.operators.coreos.com, olm.operatorframework.io, purser.dev, but neither own nor convert them`;
const goesBack = [first, revisionOf(2, "1.1.0", late), policyOf({ rollback: "BeforeReady" })];

const table: readonly (readonly [string, Given, ...(readonly (readonly string[])[])])[] = [
  [
    "of a bundle that is read gets a revision, and shows its roll-out with the next pass",
    {},
    rolledOut("ext-1", "kiln.v1.0.0"),
    ["Installed=False Absent: No bundle installed", "Progressing=True RollingOut: Revision 1.0.0 is rolling out."],
    [],
  ],
  ["with a newer version is upgraded", upgrade, rolledOut("ext-2", "kiln.v1.1.0")],
  [
    "whose bundle is being read shows that",
    { unread: ["1.0.0"] },
    [none, `Progressing=True RollingOut: ${about}the bundle's content is being read`],
    [],
  ],
  [
    "whose catalog is read for less than 15 seconds shows nothing",
    { catalog: { state: { kind: "pending", since: now - 14_999 }, index: undefined } },
    [],
  ],
  [
    "whose catalog is read for longer shows that",
    { catalog: { state: { kind: "pending", since: now - 15_000 }, index: undefined } },
    retrying(
      "CatalogUnavailable: ClusterExtension ext cannot be resolved while ClusterCatalog cat cannot be read: its content is still being read. Look at the catalog's status and correct its image: kubectl describe clustercatalogs.olm.operatorframework.io cat",
      'error walking catalogs: error getting package "kiln" from catalog "cat": catalog "cat" is not being served',
    ),
  ],
  [
    "for which a right is missing says which",
    { forbidden: ["secrets"] },
    retrying(
      'RolloutFailed: ext: creating ref Secret "ext-1-8f4fe7c60968cd0e": secrets. "" is forbidden: denied by test',
      `${about}creating ref Secret "ext-1-8f4fe7c60968cd0e": secrets. "" is forbidden: denied by test`,
    ),
  ],
  [
    "whose upgrade brings denied rights stays, with its rights as they are",
    { ...upgrade, objects: [first, policyOf({ permissionIncrease: "Deny" })], csv: withRights },
    [
      ...again("ext-1", "kiln.v1.0.0"),
      condition,
      "Progressing=True Succeeded: Desired state reached",
      `UpdateHeld=True VersionHeld: kiln.v1.1.0 is held back by ClusterUpdatePolicy policy: ${gained}. see which policy decides, and change it: purser policy effective ext/ext`,
      status,
      event,
    ],
  ],
  [
    "whose roll-out is stuck goes on to a newer version",
    { versions: three, objects: [first, revisionOf(2, "1.1.0", late)] },
    rolledOut("ext-3", "kiln.v1.2.0"),
  ],
  [
    "whose roll-out is stuck stays there as in OLM",
    { versions: three, objects: [first, revisionOf(2, "1.1.0", late)], surroundings: upstream("stuck-rollouts") },
    [...again("ext-2", "kiln.v1.1.0"), condition, "Progressing=False ProgressDeadlineExceeded: ", status, event],
  ],
  [
    "whose roll-out goes on does not leave it for a newer version",
    { versions: three, objects: [first, revisionOf(2, "1.1.0", going)] },
    [...again("ext-2", "kiln.v1.1.0"), condition, "Progressing=True RollingOut: ", status, event],
  ],
  [
    "that asks for another version leaves its roll-out",
    { versions: three, extension: of({ version: "1.2.0" }), objects: [first, revisionOf(2, "1.1.0", going)] },
    rolledOut("ext-3", "kiln.v1.2.0"),
  ],
  [
    "whose policy wants that goes back from a late upgrade, and records it first",
    { versions: two, objects: goesBack },
    [
      `patch ClusterExtension ext ${JSON.stringify({
        metadata: {
          annotations: { [rolledBackAnnotation]: JSON.stringify({ ...rolledBack, plan: wayBack }) },
          uid: "uid-ext",
        },
      })}`,
      `event Warning RolledBack ext: kiln.v1.1.0 was not ready within 10 minutes, so at 2026-01-01T00:00:00Z it was rolled back to kiln.v1.0.0 by the plan ${wayBack}; it is held back until: purser unhold ext/ext`,
    ],
    rolledOut("ext-3", "kiln.v1.0.0"),
  ],
  [
    "that went back shows it",
    {
      versions: two,
      extension: of({}, { [rolledBackAnnotation]: JSON.stringify(rolledBack) }),
      objects: goesBack,
    },
    rolledOut("ext-3", "kiln.v1.0.0"),
    [
      condition,
      "Progressing=True RollingOut: Revision 1.0.0 is rolling out.",
      "RolledBack=True BeforeReady: kiln.v1.1.0 was not ready within 10 minutes, so at 2026-01-01T00:00:00Z it was rolled back to kiln.v1.0.0 by the plan sha256:1. End the hold: purser unhold ext/ext",
      status,
      event,
    ],
  ],
  [
    "does not go back before its time is over",
    { versions: two, objects: [first, revisionOf(2, "1.1.0", going), policyOf({ rollback: "BeforeReady" })] },
    [...again("ext-2", "kiln.v1.1.0"), condition, "Progressing=True RollingOut: ", status, event],
  ],
  [
    "of which a pod was ready does not go back, and says why",
    {
      versions: two,
      objects: [
        first,
        withPhase(revisionOf(2, "1.1.0", late), { object: workload([]) }),
        workload([{ type: "Progressing", reason: "NewReplicaSetAvailable" }]),
        policyOf({ rollback: "BeforeReady" }),
      ],
    },
    [
      ...again("ext-2", "kiln.v1.1.0"),
      condition,
      "Progressing=False ProgressDeadlineExceeded: ",
      "RolledBack=False RolloutStuck: kiln.v1.1.0 does not go back to kiln.v1.0.0 by itself: ns/kiln had a ready pod already. see what cannot be undone, then decide: purser rollback ext/ext --dry-run",
      status,
      event,
    ],
  ],
  [
    "whose new revision cannot be read does not go back, and says why",
    {
      versions: two,
      objects: [
        first,
        withPhase(revisionOf(2, "1.1.0", late), { ref: { name: "lost", namespace: "x", key: "k" } }),
        policyOf({ rollback: "BeforeReady" }),
      ],
    },
    [
      ...again("ext-2", "kiln.v1.1.0"),
      condition,
      "Progressing=False ProgressDeadlineExceeded: ",
      'RolledBack=False RolloutStuck: kiln.v1.1.0 does not go back to kiln.v1.0.0 by itself: resolving ref in phase "deploy": getting Secret x/lost: secrets "lost" not found. see its revisions: purser history ext/ext',
      status,
      event,
    ],
  ],
  [
    "that lacks a package has it installed where that is wanted",
    {
      extension: nine,
      extra: requiring("olm.package.required", { packageName: "store", versionRange: ">=1.0.0" }),
      surroundings: { dependencies: "install" },
    },
    [
      "create ClusterExtension store",
      none,
      `Progressing=True RollingOut: DependencyMissing: kiln.v9.0.0 requires package store >=1.0.0; ClusterExtension store is being installed for it. Wait for it: purser status ext/store\n${unsupported("olm.package.required")}`,
    ],
    [],
  ],
  [
    "that lacks an API is refused",
    { extension: nine, extra: api },
    retrying(
      "DependencyMissing: ClusterExtension ext would get kiln.v9.0.0, which requires API Glaze (g.io/v1), and the cluster has none. Add a catalog that has it, or install it without a catalog",
      unsupported("olm.gvk.required"),
    ),
  ],
  [
    "whose required API is served is installed",
    { extension: nine, extra: api, serves: ["g.io/v1"] },
    [
      none,
      'Progressing=True RollingOut: error for resolved bundle "kiln.v9.0.0" with version "9.0.0": the bundle\'s content is being read',
    ],
  ],
  [
    "whose bundle brings an API of the lifecycle manager is refused",
    reserved,
    [
      `Progressing=False Blocked: BundleInvalid: kiln.v1.0.0: ${claimed}\n${about}${claimed}`,
      "event Warning Blocked ext",
    ],
    [],
  ],
  [
    "whose bundle brings an API of the lifecycle manager is installed as in OLM",
    { ...reserved, surroundings: upstream("reserved-groups") },
    rolledOut("ext-1", "kiln.v1.0.0"),
  ],
  [
    "of a Helm release takes it over as its first revision",
    { objects: [release(base64(gzipSync(JSON.stringify(deployed))))] },
    [
      "create ClusterObjectSet ext-1 kiln.v1.0.0",
      "event Normal Migrated ext: The Helm release of OLM v1 is taken over as revision ext-1",
    ],
  ],
  [
    "of a Helm release that cannot be read is left as it is",
    { objects: [release("x")] },
    retrying(
      'RolloutFailed: ext: its Helm release cannot be taken over: failed to decode release "release": unexpected end of file; nothing is changed until it can be read',
      'migrating storage: failed to decode release "release": unexpected end of file',
    ),
    [],
  ],
  [
    "whose Helm release is being taken over waits",
    {
      objects: [
        revisionOf(1, "1.0.0", [], { labels: { [ownerNameLabel]: "ext", [migratedFromHelmLabel]: "true" } }),
        release("x"),
      ],
    },
    [],
  ],
  [
    "with a revision does not look at a Helm release",
    { ...upgrade, objects: [first, release("x")] },
    rolledOut("ext-2", "kiln.v1.1.0"),
  ],
  [
    "does not take another one's revision for its own",
    { objects: [revisionOf(1, "1.0.0", succeeded, { name: "other-1", labels: { [ownerNameLabel]: "other" } })] },
    rolledOut("ext-1", "kiln.v1.0.0"),
  ],
  [
    "whose installed bundle is not recorded is left as it is",
    { objects: [revisionOf(1, "", succeeded)] },
    [
      `Installed=Unknown Failed: ${unrecorded}`,
      `Progressing=True Retrying: ${unrecorded}\nretrying to get installed bundle`,
      "event Warning Retrying ext",
    ],
    [],
  ],
  [
    "that needs a newer cluster is refused",
    { kubeVersion: "v1.27.9" },
    [
      `Progressing=False Blocked: ClusterIncompatible: kiln.v1.0.0 needs Kubernetes 1.28.0 or newer, and the cluster runs 1.27.9. Name a version that runs on it in spec.source.catalog.version, or upgrade the cluster; to list the versions of the catalogs: purser show kiln --versions\n${about}CSV version requirement not met: minKubeVersion (1.28.0) > server version (1.27.9)`,
      "event Warning Blocked ext",
    ],
    [],
  ],
  [
    "that needs a newer cluster is installed as in OLM",
    { kubeVersion: "v1.27.9", surroundings: upstream("kube-versions") },
    rolledOut("ext-1", "kiln.v1.0.0"),
  ],
  [
    "that is installed on an older cluster stays",
    { kubeVersion: "v1.27.9", objects: [first] },
    [...again("ext-1", "kiln.v1.0.0"), condition, "Progressing=True Succeeded: Desired state reached", status, event],
    [],
  ],
  [
    "of a broken bundle says where",
    { files: { "manifests/crd.json": "{" } },
    retrying(`BundleInvalid: kiln.v1.0.0: manifests/crd.json:1:2: ${unparsed}`, `${about}${unparsed}`),
  ],
  [
    "with an unknown setting says which",
    { extension: extensionOf({ config: { configType: "Inline", inline: { foo: 1 } } }) },
    [
      `Progressing=False InvalidConfiguration: ConfigurationInvalid: ext: spec.config.inline.foo: unknown field "foo" (schema #/additionalProperties). Remove spec.config.inline.foo: kubectl patch clusterextensions.olm.operatorframework.io ext --type merge -p '{"spec":{"config":null}}'\n${about}invalid ClusterExtension configuration: invalid configuration: unknown field "foo"`,
      "event Warning InvalidConfiguration ext",
    ],
  ],
  [
    "of an unknown package is refused",
    { extension: of({ packageName: "none" }) },
    retrying(
      "PackageNotFound: ClusterExtension ext asks for package none, which cat does not have. Remove the extension, which has installed nothing: purser uninstall ext/ext",
      'no bundles found for package "none"',
    ),
  ],
];
for (const [what, given, ...passes] of table)
  test(`an extension ${what}`, async () => {
    const cluster = extensionCluster(given);
    for (const expected of passes) assert.deepEqual(await cluster.pass(), expected);
  });

/** The revision that is made for a bundle with a webhook: who issues its certificate. */
const provider = async (given: Given, ...more: readonly KubeObject[]): Promise<string> => {
  const webhook = {
    type: "ValidatingAdmissionWebhook",
    generateName: "kiln.example.com",
    admissionReviewVersions: ["v1"],
    sideEffects: "None",
    deploymentName: "kiln",
    containerPort: 443,
    failurePolicy: "Fail",
  };
  const csv = { minKubeVersion: "", webhookdefinitions: [webhook] };
  const lines = await extensionCluster({ csv, objects: more, ...given }).pass();
  return (
    lines
      .find((line) => line.startsWith("apply"))
      ?.split(" ")[4]
      ?.replace(",", "") ?? lines.join("\n")
  );
};
const certManager = ["cert-manager.io/v1"];
const openshift = ["config.openshift.io/v1", ...certManager];
const pinned = revisionOf(1, "1.0.0", succeeded, { annotations: { [certificateProviderAnnotation]: "own" } });
for (const [what, given, expected, ...more] of [
  ["without any provider are issued by Purser", {}, "own"],
  ["are issued by cert-manager", { serves: certManager }, "cert-manager"],
  [
    "are issued by OpenShift's service CA first",
    { serves: openshift, surroundings: { gates: { ...defaultGates, WebhookProviderOpenshiftServiceCA: true } } },
    "service-ca",
  ],
  [
    "are issued by what the instance was started with",
    { serves: certManager, surroundings: { webhookCertificates: "own" } },
    "own",
  ],
  [
    "are not issued by cert-manager while its gate is off",
    { serves: certManager, surroundings: { gates: { ...defaultGates, WebhookProviderCertManager: false } } },
    "own",
  ],
  ["stay with who issued them first", { serves: certManager }, "own", pinned],
] as const satisfies readonly (readonly [string, Given, string, ...KubeObject[]])[])
  test(`certificates of webhooks ${what}`, async () => assert.equal(await provider(given, ...more), expected));

const plan = "purser.dev/plan";
/** What waits for approval: the value of the annotation that approves it. */
async function asked(given: Given): Promise<string> {
  const [line = ""] = await extensionCluster(given).pass();
  const [, name = "", text = "{}"] = /^patch ClusterExtension (\w+) (.*)$/.exec(line) ?? [];
  assert.equal(name, "ext", line);
  const { metadata } = JSON.parse(text) as { metadata: { annotations: Readonly<Record<string, string>> } };
  return metadata.annotations[plan] ?? "";
}
const manual = policyOf({ approval: { install: "Manual", minor: "Manual" } });
const askingUpgrade = { versions: two, objects: [first, manual] };

const approvals: readonly (readonly [string, Given, readonly [string, string]])[] = [
  ["an installation", { objects: [manual] }, ["ext-1", "kiln.v1.0.0"]],
  ["an upgrade", askingUpgrade, ["ext-2", "kiln.v1.1.0"]],
  [
    "an upgrade with new rights",
    { ...upgrade, objects: [first, policyOf({ permissionIncrease: "RequireApproval" })], csv: withRights },
    ["ext-2", "kiln.v1.1.0"],
  ],
];
for (const [what, given, marks] of approvals)
  test(`${what} that a policy holds is made when exactly its changes are approved, and says by whom`, async () => {
    const approved = await asked(given);
    const [bundle = "", digest = ""] = approved.split("@");
    assert.equal(bundle, marks[1]);
    const extension = of({}, { [approvedPlanAnnotation]: approved, [plan]: approved });
    const cluster = extensionCluster({ ...given, extension });
    // The annotation of what waits is removed first.
    const [removed = "", ...others] = await cluster.pass();
    assert.deepEqual(
      [removed, others],
      [`patch ClusterExtension ext {"metadata":{"annotations":{"${plan}":null},"uid":"uid-ext"}}`, []],
    );
    const lines = await cluster.pass();
    assert.deepEqual(lines.slice(0, 3), rolledOut(...marks, digest, "someone"));
    assert.match(lines[3] ?? "", new RegExp(`^event Normal Approved ext: .*${digest}.*someone`));
  });

test("changes that are others than the approved ones are not made, and those of now wait for approval", async () => {
  const now = await asked(askingUpgrade);
  const stale = `kiln.v1.1.0@sha256:${"0".repeat(64)}`;
  const cluster = extensionCluster({ ...askingUpgrade, extension: of({}, { [approvedPlanAnnotation]: stale }) });
  assert.deepEqual(await cluster.pass(), [
    `patch ClusterExtension ext {"metadata":{"annotations":{"${plan}":"${now}"},"uid":"uid-ext"}}`,
  ]);
  const [, digest = ""] = now.split("@");
  const text = `The changes of kiln.v1.1.0 that were approved, sha256:${"0".repeat(64)}, are now ${digest}: nothing is changed. See and approve them: purser approve ext/ext`;
  assert.deepEqual(await cluster.pass(), [
    condition,
    "Progressing=True Succeeded: Desired state reached",
    `PlanStale=True Changed: ${text}`,
    status,
    event,
    `event Warning Changed ext: ${text}`,
  ]);
});

test("a bundle that waits for approval is asked for, and nothing is compared before it is read", async () => {
  const cluster = extensionCluster({ ...askingUpgrade, unread: ["1.1.0"] });
  const held =
    "UpdateHeld=True ApprovalRequired: kiln.v1.1.0 is held back by ClusterUpdatePolicy policy: minor upgrades need approval. see what it changes, and approve it: purser approve ext/ext";
  assert.deepEqual(await cluster.pass(), [
    ...again("ext-1", "kiln.v1.0.0"),
    condition,
    "Progressing=True Succeeded: Desired state reached",
    held,
    status,
    event,
  ]);
  assert.ok(cluster.content.asked.includes("kiln 1.1.0 example.com/kiln:v1.1.0"));
});

test("what waits for approval is compared once, and again for another bundle", async () => {
  const cluster = extensionCluster({ objects: [manual] });
  await cluster.pass();
  assert.deepEqual(cluster.reads, ["1.0.0"]);
  await cluster.pass();
  await cluster.pass();
  assert.deepEqual(cluster.reads, ["1.0.0"]);
});

test("a revision that is as desired is not read again, and a deleted extension gives its bundles up", async () => {
  const cluster = extensionCluster({});
  await cluster.pass();
  await cluster.pass();
  assert.deepEqual([cluster.reads, cluster.content.released], [["1.0.0"], []]);
  cluster.drop(clusterExtensions, "ext");
  assert.deepEqual(await cluster.pass(), []);
  assert.deepEqual(cluster.content.released, ["ClusterExtension ext"]);
});

for (const [what, forbidden, objects] of [
  ["the first revision of a Helm release", "clusterobjectsets", [release(base64(gzipSync(JSON.stringify(deployed))))]],
  ["the status", "clusterextensions", [revisionOf(1, "", succeeded)]],
  ["the record of a way back", "clusterextensions", goesBack],
] as const)
  test(`a refused write of ${what} fails the pass`, async () => {
    const lines = await extensionCluster({ versions: two, forbidden: [forbidden], objects }).pass();
    assert.match(lines.at(-1) ?? "", new RegExp(`^[^e].*${forbidden}.* is forbidden: denied by test`));
    assert.equal(lines.length, 1);
  });

const lacking = extensionOf(
  {},
  {
    status: {
      conditions: [
        { type: "Ready", status: "False", reason: "DependencyMissing", message: "", lastTransitionTime: "" },
      ],
    } as ClusterExtension["status"],
  },
);
const wanted = { ...extensionOf(), metadata: { name: "store", annotations: { [wantedByAnnotation]: "ext" } } };
const ofOther = (shown: readonly string[], labels: JsonObject = { [ownerNameLabel]: "other" }): KubeObject =>
  revisionOf(1, "1.0.0", shown, { labels });
for (const [what, changed, held, expected] of [
  ["an extension its own", extensionOf(), [], ["ext"]],
  ["an extension that others want those that lack something too", wanted, [lacking], ["store", "ext"]],
  ["an extension that nobody wants no other", { ...wanted, metadata: { name: "store" } }, [lacking], ["store"]],
  ["a catalog all", catalogOf("cat"), [extensionOf()], ["ext"]],
  ["a policy all", policyOf({}), [extensionOf()], ["ext"]],
  ["a revision its owner's", ofOther(going), [lacking], ["other"]],
  ["a revision that succeeded those that lack something too", ofOther(succeeded), [lacking], ["other", "ext"]],
  ["a revision that succeeded no other", ofOther(succeeded), [extensionOf()], ["other"]],
  ["a revision of nobody those that lack something", ofOther(succeeded, {}), [lacking], ["ext"]],
  ["a Helm release its own", release("x"), [extensionOf()], ["ext"]],
] as const)
  test(`a change of ${what} wakes`, () =>
    assert.deepEqual(requeuedBy(extensionCluster({}).controller, changed, held), expected));

test("content wakes: a catalog all extensions, but not for its times; a bundle those that asked for it, once", async () => {
  const cluster = extensionCluster({ unread: ["1.0.0"] });
  await cluster.pass();
  const ended = new AbortController();
  const woken: string[] = [];
  const cache = cacheOf(cluster.controller, [extensionOf(), { ...extensionOf(), metadata: { name: "b" } }]);
  const listening = (async () => {
    for await (const { name } of cluster.controller.wakes[0]?.(ended.signal, cache) ?? []) woken.push(name);
  })();
  const notices: (() => void)[] = [
    () => cluster.content.tryLater("cat"),
    () => cluster.content.setCatalog("cat", { state: { kind: "pending", since: 0 }, index: undefined }),
    () => cluster.content.setBundle("kiln 1.0.0 other", { state: { kind: "pending", since: 0 }, objects: undefined }),
    ...[1, 2].map(
      () => () =>
        cluster.content.setBundle("kiln 1.0.0 example.com/kiln:v1.0.0", {
          state: { kind: "pending", since: 0 },
          objects: undefined,
        }),
    ),
  ];
  const seen: string[] = [];
  for (const notice of notices) {
    notice();
    await new Promise((resolve) => setImmediate(resolve));
    seen.push(woken.splice(0).join(" "));
  }
  assert.deepEqual(seen, ["", "ext b", "", "ext", ""]);
  ended.abort();
  await listening.catch(() => {});
});

test("the revision has no digest of its bundle as in OLM", async () => {
  const lines = await extensionCluster({ surroundings: upstream("bundle-pins") }).pass();
  assert.deepEqual(lines, ["create Secret ext-1", "apply ClusterObjectSet ext-1 kiln.v1.0.0", "own Secret"]);
});
