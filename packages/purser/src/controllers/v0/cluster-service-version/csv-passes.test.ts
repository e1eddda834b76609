// Passes of the CSV controller over a small cluster, which may refuse one kind of write.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject, ObjectKey } from "@purser/kubernetes/apis/object";
import type { ObjectWrite, Written, WriteRefusal } from "@purser/kubernetes/apis/object-write";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { ApplyContext } from "@purser/kubernetes/kube/controller/controller";
import { refusalOf } from "@purser/kubernetes/kube/refusal";
import { failed, type Result } from "@purser/kubernetes/result";
import { RecordingCluster } from "../../../../conformance/suites/v0/recording-cluster.ts";
import type { ClusterServiceVersion } from "../../../apis/v0/cluster-service-version.ts";
import { type Compat, improved, parseCompat } from "../../../compat.ts";
import type { Surroundings } from "../../surroundings.ts";
import { csvController } from "./csv-controller.ts";
import { csvAt, group, namespace, now } from "./plan/testing/csv-world.ts";

interface Refusing {
  /** `verb Kind` of the write that is refused. */
  readonly write: string;
  readonly reason: string;
}

class RefusingCluster extends RecordingCluster {
  readonly #refusing: Refusing | undefined;

  constructor(held: readonly KubeObject[], refusing: Refusing | undefined) {
    super(held);
    this.#refusing = refusing;
  }

  override async write(write: ObjectWrite): Promise<Result<Written, WriteRefusal>> {
    const result = await super.write(write);
    if (`${write.verb} ${write.type.kind}` !== this.#refusing?.write) return result;
    const { reason } = this.#refusing;
    return failed(refusalOf({ code: 0, reason, message: `refused as ${reason}` }));
  }
}

interface Surrounded extends Partial<Refusing> {
  readonly compat?: Compat;
  /** What informers hold, by name. */
  readonly cached?: readonly string[];
  /** Kinds whose objects no informer holds whole. */
  readonly unfollowed?: readonly string[];
  /** Whether the CSV of the pass does not exist. */
  readonly isGone?: boolean;
}

/** Writes, events, log entries, the watches and retries of its end, and the error of one pass, in order. */
async function pass(
  csv: ClusterServiceVersion,
  held: readonly object[],
  { write, reason = "", compat = improved, cached = [], unfollowed = [], isGone = false }: Surrounded = {},
): Promise<readonly string[]> {
  const found: string[] = [];
  const objects = [...(isGone ? [] : [csv]), ...held] as unknown as readonly KubeObject[];
  const cluster = new RefusingCluster(objects, write === undefined ? undefined : { write, reason });
  const writer = (as: string) => ({
    write: (write: ObjectWrite) => {
      const hasProxy = JSON.stringify(write).includes('"HTTP_PROXY","value":"http://proxy:3128"');
      found.push(`${write.verb} ${write.type.kind}${as}${hasProxy ? " with a proxy" : ""}`);
      return cluster.write(write);
    },
  });
  const shownOf = ({ kind }: ResourceType): string => (unfollowed.includes(kind) ? "1" : "held");
  const context = {
    reader: cluster,
    writer: writer(""),
    identities: { serviceAccount: ({ name }: { readonly name: string }) => writer(` as ${name}`) },
    cache: {
      cached: (_: ResourceType, { name }: ObjectKey) => (cached.includes(name) ? {} : undefined),
      byIndex: (_: ResourceType, index: string, value: string) =>
        index === "alongside" && value === "ns/op.v1" ? [crd] : [],
      versionOf: shownOf,
      versionsIn: shownOf,
      reduced: () => undefined,
    },
    events: {
      record: (_: object, type: string, reason: string, message: string) =>
        found.push(`event ${type} ${reason}: ${message}`),
    },
    log: (level: string, message: string, fields: object) =>
      found.push(`log ${level} ${message} ${JSON.stringify(fields)}`),
    now,
    signal: new AbortController().signal,
  };
  const discovery = { typeOf: () => Promise.resolve(undefined) };
  const surroundings = { compat, clock: { monotonic: () => 0, now: () => now }, discovery };
  const key = { namespace, name: csv.metadata.name ?? "" };
  try {
    const controller = csvController(surroundings as unknown as Surroundings);
    const { watches = [], retry } = await controller.reconcile(key, context as unknown as ApplyContext);
    found.push(
      ...watches.map(({ plural }) => `watches ${plural}`),
      ...(retry === undefined ? [] : [`retries: ${retry}`]),
    );
  } catch (error) {
    found.push(String(error));
  }
  return found;
}

const labels = {
  "olm.managed": "true",
  "olm.owner": "op.v1",
  "olm.owner.namespace": namespace,
  "olm.owner.kind": "ClusterServiceVersion",
};
const apiVersion = "apiextensions.k8s.io/v1";
const crd = {
  apiVersion,
  kind: "CustomResourceDefinition",
  metadata: { name: "as.g.io" },
  spec: {
    group: "g.io",
    scope: "Namespaced",
    names: { kind: "A", plural: "as" },
    versions: [{ name: "v1", served: true, storage: true }],
    conversion: { strategy: "Webhook", webhook: { clientConfig: { service: { namespace } } } },
  },
};
const left = [
  { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name: "r", labels } },
  crd,
];

const base = csvAt("op.v1", "Succeeded");
const leaving = {
  ...base,
  metadata: { ...base.metadata, deletionTimestamp: "2026-01-01T00:10:00Z" },
  spec: {
    ...base.spec,
    webhookdefinitions: [{ type: "ConversionWebhook", deploymentName: "d", conversionCRDs: ["as.g.io"] }],
  },
} as unknown as ClusterServiceVersion;

const [role, reset, release] = ["delete ClusterRole", "patch CustomResourceDefinition", "patch ClusterServiceVersion"];
const all = [role, reset, release];
const logged = 'log warn An object of a deleted operator could not be reset {"error":"refused as Forbidden"}';
for (const [what, write, reason, expected] of [
  ["leaves nothing behind and is released last", "", "", all],
  ["whose leftovers are deleted already is released", role, "NotFound", all],
  ["whose leftovers may not be deleted is kept", role, "Forbidden", [role, "ApiRefusedError: refused as Forbidden"]],
  ["whose CRD is deleted already is released", reset, "NotFound", all],
  ["whose CRD may not be reset is released, and that is logged", reset, "Forbidden", [role, reset, logged, release]],
  ["that is deleted already is done", release, "NotFound", all],
  ["that cannot be released is tried again", release, "Conflict", [...all, "ApiRefusedError: refused as Conflict"]],
] as const)
  test(`a CSV that is being deleted and ${what}`, async () =>
    assert.deepEqual(await pass(leaving, left, write === "" ? {} : { write, reason }), expected));

const permissions = [
  { serviceAccountName: "op", rules: [{ apiGroups: ["g.io"], resources: ["as"], verbs: ["delete"] }] },
];
const cleaning = {
  ...leaving,
  spec: {
    ...leaving.spec,
    cleanup: { enabled: true },
    install: { strategy: "deployment", spec: { deployments: [], permissions } },
    customresourcedefinitions: { owned: [{ name: "as.g.io", version: "v1", kind: "A" }] },
  },
  status: { ...leaving.status, conditions: [{ phase: "Succeeded" }] },
} as unknown as ClusterServiceVersion;
const operand = [
  { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
  { apiVersion: "g.io/v1", kind: "A", metadata: { namespace, name: "x" } },
];
const status = "replace ClusterServiceVersion";
const asOperator = "delete A as op";
for (const [what, reason, expected] of [
  ["as an account of the operator before anything else", "", [asOperator, status]],
  ["unless they are deleted already", "NotFound", [asOperator, status]],
  [
    "and a refusal is shown as an event",
    "Forbidden",
    [asOperator, "event Warning CleanupFailed: refused as Forbidden", "ApiRefusedError: refused as Forbidden"],
  ],
] as const)
  test(`the custom resources of a CSV that asks for it are deleted ${what}`, async () => {
    const refusing = reason === "" ? {} : { write: "delete A", reason };
    assert.deepEqual(await pass(cleaning, [...left, ...operand], refusing), expected);
  });

const arriving = csvAt("op.v1", "Pending");
const met = "event Normal AllRequirementsMet: all requirements found, attempting install";
for (const [what, reason, expected] of [
  ["is announced and written", "", [met, status]],
  ["of a CSV that is deleted meanwhile is no error", "NotFound", [met, status]],
  ["that is in conflict is tried again", "Conflict", [met, status, "ApiRefusedError: refused as Conflict"]],
] as const)
  test(`the next phase ${what}`, async () => {
    const refusing = reason === "" ? {} : { write: status, reason };
    assert.deepEqual(await pass(arriving, [group], refusing), expected);
  });

test("a failure is announced as a warning", async () => {
  const unknown = { ...arriving, spec: { ...arriving.spec, install: { strategy: "helm" } } } as ClusterServiceVersion;
  assert.deepEqual(await pass(unknown, [group]), [
    "event Warning InvalidInstallStrategy: install strategy invalid: unrecognized install strategy",
    status,
  ]);
});

test("with --compat=csv-cleanup the custom resources stay", async () => {
  const compat = parseCompat("csv-cleanup");
  assert.ok(compat.ok);
  assert.deepEqual(await pass(cleaning, [...left, ...operand], { compat: compat.value }), [role, reset, release]);
});

test("of a CSV that does not exist what its install left is deleted, and its CRDs are reset", async () => {
  const serving = {
    apiVersion: "apiregistration.k8s.io/v1",
    kind: "APIService",
    metadata: { name: "v1.g.io", labels },
  };
  assert.deepEqual(await pass(leaving, [...left, serving], { isGone: true }), ["delete APIService", reset]);
});

const deployment = { name: "d", spec: { template: { spec: { containers: [{ name: "c", image: "x" }] } } } };
const installing = {
  ...csvAt("op.v1", "InstallReady"),
  spec: { ...base.spec, install: { strategy: "deployment", spec: { deployments: [deployment] } } },
} as unknown as ClusterServiceVersion;
const proxy = {
  apiVersion: "config.openshift.io/v1",
  kind: "Proxy",
  metadata: { name: "cluster" },
  status: { httpProxy: "http://proxy:3128" },
};

const succeeded = "event Normal InstallSucceeded: waiting for install components to report healthy";
for (const [what, cached, create] of [
  ["is written before the phase that follows from it", [], "create Deployment"],
  ["uses the proxy of a cluster that has one", ["proxies.config.openshift.io"], "create Deployment with a proxy"],
] as const)
  test(`what is installed ${what}`, async () =>
    assert.deepEqual(await pass(installing, [group, proxy], { cached }), [create, succeeded, status]));

test("a refused install is the reason of the phase, and is tried again", async () => {
  const refusing = { write: "create Deployment", reason: "Invalid" };
  const message = "install strategy failed: refused as Invalid";
  assert.deepEqual(await pass(installing, [group], refusing), [
    "create Deployment",
    `event Warning InstallComponentFailed: ${message}`,
    status,
    "retries: refused as Invalid",
  ]);
});

test("a settled CSV is woken by objects that no informer holds, but for CRDs, which are watched anyway", async () => {
  const needs = { required: [{ name: "as.g.io", version: "v1", kind: "A" }] };
  const permissions = [{ serviceAccountName: "op", rules: [] }];
  const install = { strategy: "deployment", spec: { deployments: [], permissions } };
  const rests = csvAt("op.v1", "Succeeded", "InstallSucceeded");
  const resting = {
    ...rests,
    status: { ...rests.status, message: "install strategy completed with no errors" },
    spec: { ...base.spec, install, customresourcedefinitions: needs },
  } as unknown as ClusterServiceVersion;
  const established = ["Established", "NamesAccepted"].map((type) => ({ type, status: "True" }));
  const held = [
    group,
    { ...crd, status: { conditions: established } },
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { namespace, name: "op" } },
  ];
  const unfollowed = ["CustomResourceDefinition", "ServiceAccount"];
  assert.deepEqual(await pass(resting, held, { unfollowed }), ["watches serviceaccounts"]);
  assert.deepEqual(
    await pass({ ...resting, status: { ...resting.status, ...arriving.status } }, held, { unfollowed }),
    [met, status],
  );
});
