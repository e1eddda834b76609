import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { clusterRoleBindings, secrets, serviceAccounts } from "@purser/kubernetes/apis/resources";
import { done } from "@purser/kubernetes/result";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { findCredentials } from "../image/configuration/find-credentials.ts";
import type { ReadPullSecrets } from "../content/pull-secrets.ts";
import { pullSecretReader } from "./pull-secrets.ts";
import { World } from "./testing/world.ts";

const { signal } = new AbortController();
const account = "system:serviceaccount:ours:purser";
let world: World;

before(async () => {
  world = await World.open();
  for (const namespace of ["ours", "team"]) await world.namespace(namespace);
  await world.create(serviceAccounts, {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { namespace: "ours", name: "purser" },
    imagePullSecrets: [{ name: "account" }],
  });
  await world.create(clusterRoleBindings, {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name: "purser" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
    subjects: [{ kind: "ServiceAccount", namespace: "ours", name: "purser" }],
  });
  await secret("team", "named", { "quay.io": "named" });
  await secret("team", "second", { "quay.io": "second", "quay.io/second": "second" });
  await secret("ours", "account", { "quay.io": "account", "quay.io/account": "account", "b.example": "account" });
  await secret("ours", "global", { "quay.io": "global", "b.example": "global", "c.example": "global" });
});
after(() => world.stop());

/** A pull secret with a user name for each path. */
async function secret(namespace: string, name: string, users: Readonly<Record<string, string>>): Promise<void> {
  const auths = Object.fromEntries(
    Object.entries(users).map(([path, user]) => [path, { auth: Buffer.from(`${user}:pw`).toString("base64") }]),
  );
  await world.create(secrets, {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { namespace, name },
    type: "kubernetes.io/dockerconfigjson",
    data: { ".dockerconfigjson": Buffer.from(JSON.stringify({ auths })).toString("base64") },
  });
}

const reader = (): ReadPullSecrets =>
  pullSecretReader({ client: world.clientOf(account), global: { namespace: "ours", name: "global" } });
const named = [
  { namespace: "team", name: "named" },
  { namespace: "team", name: "second" },
];

const rules: readonly (readonly [rule: string, image: readonly [string, string], from: string])[] = [
  ["the first Secret of the object goes before all others", ["quay.io", "acme/app"], "team/named"],
  ["a more specific path of another Secret of the object counts more", ["quay.io", "second/app"], "team/second"],
  ["a more specific path of the ServiceAccount counts more", ["quay.io", "account/app"], "ours/account"],
  ["the ServiceAccount's go before the global one", ["b.example", "app"], "ours/account"],
  ["the global one is for what no other Secret names", ["c.example", "app"], "ours/global"],
];
for (const [rule, [registry, repository], from] of rules)
  test(rule, async () => {
    const { auths: given, complaints } = await reader()(named, signal);
    assert.deepEqual(complaints, []);
    const sources = { given, authFiles: [], environment: {}, clock: systemClock };
    const found = await findCredentials({ registry, repository }, sources, signal);
    assert.ok(found.ok);
    assert.equal(found.value?.source, `pull secret ${from}`);
    assert.equal(found.value?.username, from.split("/")[1]);
  });

test("a Secret that is missing or broken is named, and the others still count", async () => {
  await world.create(secrets, {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { namespace: "team", name: "broken" },
    data: { password: Buffer.from("planted").toString("base64") },
  });
  const wanted = ["none", "broken"].map((name) => ({ namespace: "team", name }));
  const { auths, complaints } = await reader()(wanted, signal);
  assert.deepEqual(complaints, [
    "the pull secret team/none does not exist",
    "the pull secret team/broken has neither .dockerconfigjson nor .dockercfg",
  ]);
  assert.deepEqual(
    [...new Set(auths.map(({ source }) => source))],
    ["pull secret ours/account", "pull secret ours/global"],
  );
  assert.deepEqual(
    await findCredentials(
      { registry: "d.example", repository: "app" },
      { given: auths, authFiles: [], environment: {}, clock: systemClock },
      signal,
    ),
    done(undefined),
  );
});

test("of thousands of Secrets the first hundred are read, each once", async () => {
  const wanted = Array.from({ length: 5_000 }, (_, index) => ({ namespace: "team", name: `none-${index % 2_500}` }));
  const client = world.clientOf(account);
  let reads = 0;
  const read = pullSecretReader({
    client: {
      ...client,
      get: (type, key) => {
        if (type.kind === "Secret") reads++;
        return client.get(type, key);
      },
    },
  });
  const { complaints } = await read(wanted, signal);
  assert.equal(reads, 101);
  assert.equal(complaints.length, 101);
  assert.equal(complaints[99], "the pull secret team/none-99 does not exist");
  assert.equal(complaints[100], "only the first 100 pull secrets are read");
});
