import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type ApiServer, createApiServer } from "@purser/apiserver";
import { clusterRoles, customResourceDefinitions, namespaces } from "@purser/kubernetes/apis/resources";
import { invariant } from "@purser/kubernetes/invariant";
import { userIdentities } from "@purser/kubernetes/kube/access/identities";
import { createClient, type KubeClient } from "@purser/kubernetes/kube/client";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { systemEntropy } from "@purser/kubernetes/system/system-entropy";
import { written } from "@purser/kubernetes/kube/refusal";
import {
  catalogSources,
  clusterCatalogs,
  clusterServiceVersions,
  olmConfigs,
  operatorGroups,
} from "../apis/olm-resources.ts";
import type { ClusterServiceVersion } from "../apis/v0/cluster-service-version.ts";
import { improved } from "../compat.ts";
import { type LifecycleOptions, startLifecycle } from "./lifecycle.ts";

const { signal } = new AbortController();
let directory: string;
let server: ApiServer;
let client: KubeClient;

before(async () => {
  directory = await mkdtemp(join(tmpdir(), "purser-lifecycle-"));
  server = await createApiServer();
  client = createClient(server.transport());
});
after(async () => {
  await server.stop();
  await rm(directory, { recursive: true, force: true });
});

const options = (change: Partial<LifecycleOptions> = {}): LifecycleOptions => ({
  client,
  identities: userIdentities({ client, asUser: (user) => server.transport(user) }),
  catalogs: [],
  bundleDirectories: [],
  cacheDirectory: join(directory, "cache"),
  compat: improved,
  webhookCertificates: "own",
  clock: systemClock,
  entropy: systemEntropy,
  log: () => {},
  ...change,
});
const ownDefinitions = async (): Promise<number> =>
  (await client.list(customResourceDefinitions)).filter(({ spec }) => spec.group.includes("operator")).length;

test("with definitions 'given' startLifecycle creates namespaces and no CRDs", async () => {
  const started = await startLifecycle(options(), "given", signal);
  invariant(started.ok, "it starts");
  await started.value.stop();
  assert.equal(await ownDefinitions(), 0);
  const names = (await client.list(namespaces)).map(({ metadata }) => metadata.name);
  assert.deepEqual(
    ["olm", "olmv1-system"].filter((name) => !names.includes(name)),
    [],
  );
});

test("with definitions 'apply' startLifecycle registers catalogs with OLM v0 and OLM v1 and is the leader immediately", async () => {
  const catalogs = [{ namespace: "tenant", name: "community", path: directory }];
  const started = await startLifecycle(options({ catalogs }), "apply", signal);
  invariant(started.ok, "it starts");
  const { engine, stop, catalogOrigin } = started.value;
  await engine.synced();
  assert.ok(engine.leading());
  assert.equal(catalogOrigin, undefined);
  assert.equal(await ownDefinitions(), 11);
  assert.ok((await client.get(catalogSources, { namespace: "tenant", name: "community" })) !== undefined);
  assert.ok((await client.get(clusterCatalogs, { name: "community" })) !== undefined);
  await stop();
  assert.ok(!engine.leading());
});

test("startLifecycle waits for the deletion of a definition, which waits for a finalizer of ours, and applies it again", async () => {
  const csv = {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: { namespace: "default", name: "left.v1", finalizers: ["operators.coreos.com/csv-cleanup"] },
    spec: { displayName: "left", install: { strategy: "deployment", spec: { deployments: [] } }, installModes: [] },
  } as unknown as ClusterServiceVersion;
  const key = { name: "clusterserviceversions.operators.coreos.com" };
  written(await client.write({ verb: "create", type: clusterServiceVersions, object: csv }, signal));
  const before = await client.get(customResourceDefinitions, key);
  written(await client.write({ verb: "delete", type: customResourceDefinitions, key }, signal));
  const lines: string[] = [];
  const log: LifecycleOptions["log"] = (level, message, { definitions } = {}) => {
    if (typeof definitions === "string") lines.push(`${level} ${message}: ${definitions}`);
  };
  const started = await startLifecycle(options({ log }), "apply", signal);
  invariant(started.ok, "it starts");
  await started.value.stop();
  assert.deepEqual(lines.slice(0, 1), [
    "warn Waiting for the deletion of CustomResourceDefinitions: clusterserviceversions.operators.coreos.com (CustomResource deletion is in progress)",
  ]);
  const live = await client.get(customResourceDefinitions, key);
  assert.notEqual(live?.metadata.uid, before?.metadata.uid);
  assert.equal(live?.metadata.deletionTimestamp, undefined);
  assert.deepEqual(await client.list(clusterServiceVersions), []);
});

test("startLifecycle makes OLMConfig, the roles for users, and a group in a namespace of OLM's that has none", async () => {
  const groups = async (): Promise<readonly string[]> =>
    (await client.list(operatorGroups)).map(
      ({ metadata: { namespace, name }, spec }) =>
        `${namespace}/${name} ${JSON.stringify(spec?.targetNamespaces ?? [])}`,
    );
  assert.deepEqual(await groups(), ['olm/olm-operators ["olm"]', "operators/global-operators []"]);
  assert.ok((await client.get(olmConfigs, { name: "cluster" })) !== undefined);
  const roles = (await client.list(clusterRoles)).filter(({ metadata }) => metadata.name?.startsWith("aggregate-olm-"));
  assert.deepEqual(
    roles.map(({ metadata }) => [metadata.name, ...Object.keys(metadata.labels ?? {})].join(" ")),
    [
      "aggregate-olm-edit rbac.authorization.k8s.io/aggregate-to-admin rbac.authorization.k8s.io/aggregate-to-edit",
      "aggregate-olm-view rbac.authorization.k8s.io/aggregate-to-admin rbac.authorization.k8s.io/aggregate-to-edit rbac.authorization.k8s.io/aggregate-to-view",
    ],
  );
  const key = { namespace: "operators", name: "global-operators" };
  await client.write({ verb: "delete", type: operatorGroups, key }, signal);
  const own = { apiVersion: "operators.coreos.com/v1", kind: "OperatorGroup", metadata: { ...key, name: "own" } };
  await client.write({ verb: "create", type: operatorGroups, object: own }, signal);
  const again = await startLifecycle(options(), "apply", signal);
  invariant(again.ok, "it starts");
  await again.value.stop();
  assert.deepEqual(await groups(), ['olm/olm-operators ["olm"]', "operators/own []"]);
});

test("when the catalog address is in use startLifecycle starts no controllers and reports the address", async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
  const address = taken.address();
  invariant(address !== null && typeof address === "object", "it listens on a port");
  const { port } = address;
  let asked = 0;
  const counting: KubeClient = {
    ...client,
    watch: (...request) => {
      asked++;
      return client.watch(...request);
    },
  };
  const catalogServing = { host: "127.0.0.1", port };
  const started = await startLifecycle(options({ client: counting, catalogServing }), "apply", signal);
  taken.close();
  assert.ok(!started.ok);
  assert.equal(started.problem.address, `127.0.0.1:${port}`);
  assert.equal(asked, 0);
});
