import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type ApiServer, createApiServer } from "@purser/apiserver";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { configMaps, customResourceDefinitions, namespaces } from "@purser/kubernetes/apis/resources";
import { SeededEntropy } from "@purser/kubernetes/entropy";
import type { JsonObject } from "@purser/kubernetes/json";
import { createClient, type KubeClient } from "@purser/kubernetes/kube/client";
import { ApiRefusedError, refusalOf } from "@purser/kubernetes/kube/refusal";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import type { ClusterExtension } from "../../apis/v1/cluster-extension.ts";
import type { ClusterObjectSet } from "../../apis/v1/cluster-object-set.ts";
import { readBundle } from "../../bundle/read-bundle.ts";
import { smallBundle, smallCsv } from "../../bundle/testing/small-bundle.ts";
import { liveObjects, storedCount } from "./live-objects.ts";
import { installedVersion, reviewExtension } from "./review-extension.ts";

const signal = new AbortController().signal;
let server: ApiServer;
let client: KubeClient;

const crdOf = (plural: string, required: readonly string[], more: object = {}) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${plural}.g.io` },
  spec: {
    group: "g.io",
    scope: "Namespaced",
    names: { kind: `Kind${plural}`, plural },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: { a: { type: "string" }, b: { type: "string" } },
            ...(required.length === 0 ? {} : { required }),
          },
        },
      },
    ],
    ...more,
  },
});

async function create(type: ResourceType, object: object): Promise<void> {
  const written = await client.write({ verb: "create", type, object: object as KubeObject }, signal);
  assert.ok(written.ok, JSON.stringify(written));
}

const kindas: ResourceType = { group: "g.io", version: "v1", kind: "Kindas", plural: "as", namespaced: true };

before(async () => {
  server = await createApiServer({
    clock: new VirtualClock(Date.parse("2026-01-01T00:00:00Z")),
    entropy: new SeededEntropy(1),
    controllers: false,
  });
  client = createClient(server.transport());
  await create(namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name: "ns" } });
  await create(configMaps, {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { namespace: "ns", name: "c" },
    data: { a: "1" },
  });
  for (const plural of ["as", "bs"]) await create(customResourceDefinitions, crdOf(plural, []));
  for (const [name, fields] of [
    ["x", { a: "1" }],
    ["y", {}],
    ["z", { a: "1", b: "1" }],
  ] as const)
    await create(kindas, { apiVersion: "g.io/v1", kind: "Kindas", metadata: { namespace: "ns", name }, ...fields });
});
after(() => server.stop());

const configMap = (name: string): JsonObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { namespace: "ns", name },
});

test("objects that exist have a live state; those that do not, or whose kind is not served, have none", async () => {
  const { live, stored } = await liveObjects(client, [
    configMap("c"),
    configMap("missing"),
    { apiVersion: "v1", kind: "Namespace", metadata: { name: "ns" } },
    { apiVersion: "none.io/v1", kind: "None", metadata: { name: "ns" } },
    { kind: "ConfigMap", metadata: { namespace: "ns", name: "unversioned" } },
  ]);
  assert.deepEqual([...live.keys()], ["ConfigMap ns/c ", "Namespace ns "]);
  assert.deepEqual([live.get("ConfigMap ns/c ")?.["data"], stored.size], [{ a: "1" }, 0]);
});

test("custom resources of a CRD are counted, with those that the new version refuses; the last of two objects counts", async () => {
  const conversion = {
    conversion: {
      strategy: "Webhook",
      webhook: { conversionReviewVersions: ["v1"], clientConfig: { url: "https://example.com/" } },
    },
  };
  const found = async (...crds: readonly object[]) => [
    ...(await liveObjects(client, crds as readonly JsonObject[])).stored,
  ];
  const versions = ["v1"];
  assert.deepEqual(await found(crdOf("as", ["a", "b"]), crdOf("as", [])), [
    ["as.g.io", { count: 3, versions, refused: [] }],
  ]);
  assert.deepEqual(await found(crdOf("as", []), crdOf("as", ["a"]), crdOf("bs", ["a"], conversion)), [
    ["as.g.io", { count: 3, versions, refused: [{ object: "ns/y", fields: "a: Required value" }] }],
    ["bs.g.io", { count: 0, versions, refused: [] }],
  ]);
  const [[, converted] = []] = await found(crdOf("as", ["a", "b"], conversion));
  assert.deepEqual(converted, {
    count: 3,
    versions,
    refused: [
      { object: "ns/x", fields: "b: Required value" },
      { object: "ns/y", fields: "[a: Required value, b: Required value]" },
    ],
    converts: true,
  });
});

test("custom resources that may not be listed are not counted; other failures are reported", async () => {
  const refusing = (code: number, reason: string) => ({
    get: client.get.bind(client),
    list: () => Promise.reject(new ApiRefusedError(refusalOf({ code, reason, message: "refused" }))),
  });
  const crd = crdOf("as", []) as never;
  assert.equal(await storedCount(client, crd), 3);
  assert.equal(await storedCount(refusing(403, "Forbidden"), crd), undefined);
  await assert.rejects(storedCount(refusing(500, "InternalError"), crd), ApiRefusedError);
  const { spec, ...rest } = crdOf("as", []);
  const unserved = { ...rest, spec: { ...spec, versions: spec.versions.map((one) => ({ ...one, served: false })) } };
  assert.equal(await storedCount(client, unserved as never), undefined);
});

const revision = (phases: readonly object[], annotations?: object): ClusterObjectSet =>
  ({
    apiVersion: "olm.operatorframework.io/v1",
    kind: "ClusterObjectSet",
    metadata: { name: "kiln-1", ...(annotations === undefined ? {} : { annotations }) },
    spec: { lifecycleState: "Active", revision: 1, phases },
  }) as unknown as ClusterObjectSet;
const former = {
  "olm.operatorframework.io/bundle-name": "kiln.v0.9.0",
  "olm.operatorframework.io/bundle-version": "0.9.0",
};
const phaseOf = (...objects: readonly object[]) => ({ name: "deploy", objects: objects.map((object) => ({ object })) });

test("the version that a revision holds has its objects and the name and version of its bundle, and nothing of it stays", async () => {
  const found = await installedVersion(revision([phaseOf(configMap("a")), phaseOf(configMap("b"))], former), client);
  assert.ok(found.ok);
  const { stays, ...version } = found.value;
  const objects = [configMap("a"), configMap("b")];
  const expected = { name: "kiln.v0.9.0", version: "0.9.0", csv: {}, objects, granted: objects, deprecations: [] };
  assert.deepEqual(version, expected);
  assert.equal(stays(configMap("a")), false);
  const unnamed = await installedVersion(revision([]), client);
  assert.deepEqual(unnamed.ok && [unnamed.value.name, unnamed.value.version, unnamed.value.objects], ["", "", []]);
  const lost = revision([{ name: "deploy", objects: [{ ref: { name: "gone", namespace: "ns", key: "k" } }] }]);
  const refused = await installedVersion(lost, client);
  assert.match(refused.ok ? "" : refused.problem, /^resolving ref in phase "deploy": /);
});

test("an extension's next revision is compared with the one before and with the cluster", async () => {
  const service = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" }, data: { a: "2" } };
  const bundle = readBundle(smallBundle({ "manifests/cm.json": service }));
  assert.ok(bundle.ok);
  const to = { name: "kiln.v1.0.0", digest: bundle.value.digest, bundle: bundle.value };
  const extension = (inline?: JsonObject): ClusterExtension =>
    ({
      metadata: { name: "kiln" },
      spec: { namespace: "ns", ...(inline === undefined ? {} : { config: { inline } }) },
    }) as unknown as ClusterExtension;
  const review = async (installed: ClusterObjectSet | undefined, more: object = {}, inline?: JsonObject) => {
    const found = await reviewExtension({ extension: extension(inline), installed, to: { ...to, ...more } }, client);
    if (!found.ok) return found.problem;
    const { installation, from, to: next, hops, dependencies, deprecations, total } = found.value;
    const changes = total.objects.map(
      ({ change, kind, name, namespace }) => `${change} ${kind} ${namespace ?? ""}/${name}`,
    );
    return { installation, from, next, hops: hops.length, dependencies, deprecations, changes };
  };
  const first = {
    installation: "ext/kiln",
    from: undefined,
    next: { name: "kiln.v1.0.0", version: "1.0.0" },
    hops: 1,
    dependencies: [],
    deprecations: ["kiln is old"],
    changes: [
      "changed ConfigMap ns/c",
      "created CustomResourceDefinition /pots.kiln.example.com",
      "created Deployment ns/kiln",
    ],
  };
  assert.deepEqual(await review(undefined, { deprecations: ["kiln is old"] }), first);
  const gone = { ...configMap("gone"), metadata: { namespace: "ns", name: "gone" } };
  assert.deepEqual(await review(revision([phaseOf(configMap("c"), gone)], former)), {
    installation: "ext/kiln",
    from: { name: "kiln.v0.9.0", version: "0.9.0" },
    next: { name: "kiln.v1.0.0", version: "1.0.0" },
    hops: 1,
    dependencies: [],
    deprecations: [],
    changes: [
      "changed ConfigMap ns/c",
      "created CustomResourceDefinition /pots.kiln.example.com",
      "created Deployment ns/kiln",
    ],
  });
  assert.equal(
    await review(revision([{ name: "deploy", objects: [{ ref: { name: "gone", namespace: "ns", key: "k" } }] }])),
    'resolving ref in phase "deploy": getting Secret ns/gone: secrets "gone" not found',
  );
  assert.equal(
    await review(undefined, {}, { watchNamespace: 1 }),
    'terminal error: invalid ClusterExtension configuration: invalid configuration: unknown field "watchNamespace"',
  );
  const csv = readBundle(smallBundle({ "manifests/csv.json": smallCsv({ version: undefined }) }));
  assert.ok(csv.ok);
  const { next } = (await review(undefined, { bundle: csv.value })) as { readonly next: object };
  assert.deepEqual(next, { name: "kiln.v1.0.0", version: "0.0.0" });
});
