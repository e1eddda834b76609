// Two replicas behind one Service: both answer for the package API with the certificate that they share.
import assert from "node:assert/strict";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { get as httpsGet } from "node:https";
import { connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createApiServer } from "@purser/apiserver";
import type { Secret } from "@purser/kubernetes/apis/core";
import {
  apiServices,
  clusterRoles,
  leases,
  namespaces,
  roleBindings,
  roles,
  secrets,
  serviceAccounts,
  services,
} from "@purser/kubernetes/apis/resources";
import { resourcePath } from "@purser/kubernetes/apis/resource-type";
import { operatorGroups, subscriptions } from "../../apis/olm-resources.ts";
import { userIdentities } from "@purser/kubernetes/kube/access/identities";
import { createClient, type KubeClient } from "@purser/kubernetes/kube/client";
import { written } from "@purser/kubernetes/kube/refusal";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { systemEntropy } from "@purser/kubernetes/system/system-entropy";
import type { PackageManifest } from "../../apis/v0/package-manifest.ts";
import { improved } from "../../compat.ts";
import { freePort } from "../../image/testing/free-port.ts";
import { type Lifecycle, startLifecycle } from "../lifecycle.ts";
import { packageDirectory } from "../package-directory.ts";

const never = new AbortController().signal;
const apiService = { name: "v1.packages.operators.coreos.com" };
const secretKey = { namespace: "purser-system", name: "purser-serving" };
let directory: string;
let server: Awaited<ReturnType<typeof createApiServer>>;
let client: KubeClient;
/** Plays the Service: connections go to the port of one replica. */
let network: Server;
let target = 0;
const replicas: { readonly port: number; readonly lifecycle: Lifecycle }[] = [];

before(async () => {
  directory = await mkdtemp(join(tmpdir(), "purser-shared-packages-"));
  await cp(join(packageDirectory(), "demo", "default", "catalog"), join(directory, "catalog"), { recursive: true });
  server = await createApiServer();
  client = createClient(server.transport());
  network = createServer((socket) => {
    const onward = connect(target, "127.0.0.1");
    onward.on("error", () => socket.destroy());
    socket.on("error", () => onward.destroy());
    socket.pipe(onward).pipe(socket);
  });
  await new Promise<void>((resolve) => network.listen(0, "127.0.0.1", resolve));
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "purser-system" } };
  written(await client.write({ verb: "create", type: namespaces, object: namespace }, never));
  const role = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name: "purser" } };
  written(await client.write({ verb: "create", type: clusterRoles, object: { ...role, rules: [] } as never }, never));
  const object = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { namespace: "purser-system", name: "purser-packages" },
    spec: { type: "ExternalName", externalName: "127.0.0.1", ports: [{ port: servicePort() }] },
  };
  written(await client.write({ verb: "create", type: services, object }, never));
  replicas.push(await start("first"), await start("second"));
});

after(async () => {
  await Promise.all(replicas.map(({ lifecycle }) => lifecycle.stop()));
  network.close();
  await server.stop();
  await rm(directory, { recursive: true, force: true, maxRetries: 3 });
});

function servicePort(): number {
  const address = network.address();
  return typeof address === "object" ? (address?.port ?? 0) : 0;
}

async function start(identity: string): Promise<(typeof replicas)[number]> {
  const port = await freePort("127.0.0.1");
  const own = createClient(server.transport());
  const started = await startLifecycle(
    {
      client: own,
      identities: userIdentities({ client: own, asUser: (user) => server.transport(user) }),
      catalogs: [{ namespace: "olm", name: "demo", path: join(directory, "catalog") }],
      bundleDirectories: [],
      cacheDirectory: join(directory, `cache-${identity}`),
      compat: improved,
      families: ["v0"],
      webhookCertificates: "auto",
      clock: systemClock,
      entropy: systemEntropy,
      log: () => undefined,
      packageServing: {
        host: "127.0.0.1",
        port,
        service: { namespace: "purser-system", name: "purser-packages", port: servicePort() },
      },
      servingSecret: { ...secretKey, issuer: "own" },
      installationRole: "purser",
      leaderElection: { namespace: "kube-system", name: "purser", identity, retryPeriodMs: 100 },
    },
    "apply",
    never,
  );
  assert.ok(started.ok, JSON.stringify(started));
  await started.value.engine.synced();
  return { port, lifecycle: started.value };
}

async function reaches<Value>(what: string, ask: () => Promise<Value | undefined>): Promise<Value> {
  for (let left = 3000; left > 0; left--) {
    const found = await ask();
    if (found !== undefined) return found;
    await systemClock.sleep(100, never);
  }
  throw new Error(`never: ${what}`);
}

/** What the API server shows through the Service; undefined while it is not available. */
async function listed(): Promise<readonly string[] | undefined> {
  const request = { method: "GET" as const, path: "/apis/packages.operators.coreos.com/v1/packagemanifests" };
  const answer = await client.requestJson(request, never).catch(() => undefined);
  const { items } = (answer ?? {}) as unknown as { readonly items?: readonly PackageManifest[] };
  return items === undefined || items.length === 0 ? undefined : items.map(({ metadata }) => metadata.name ?? "");
}

const leader = async (): Promise<string> =>
  (await client.get(leases, { namespace: "kube-system", name: "purser" }))?.spec?.holderIdentity ?? "";

test("a replica that does not lead answers with the same packages and the same certificate", async () => {
  assert.deepEqual(
    replicas.map(({ lifecycle }) => lifecycle.engine.leading()),
    [true, false],
  );
  const shown: (readonly string[])[] = [];
  for (const { port } of replicas) {
    target = port;
    shown.push(await reaches(`packages from ${port}`, listed));
  }
  assert.ok((shown[0] ?? []).length > 1);
  assert.deepEqual(shown[1], shown[0]);
});

test("the APIService trusts the authority of the Secret and names the Service of all replicas", async () => {
  const secret = await client.get<Secret>(secrets, secretKey);
  const { spec } = (await client.get(apiServices, apiService)) ?? {};
  assert.equal(spec?.caBundle, secret?.data?.["ca.crt"]);
  assert.deepEqual(spec?.service, { namespace: "purser-system", name: "purser-packages", port: servicePort() });
  assert.deepEqual(Object.keys(secret?.data ?? {}).toSorted(), ["ca.crt", "ca.key", "tls.crt", "tls.key"]);
  assert.equal(secret?.type, "kubernetes.io/tls");
  const role = await client.get(clusterRoles, { name: "purser" });
  for (const object of [secret, await client.get(apiServices, apiService)])
    assert.deepEqual(object?.metadata.ownerReferences, [
      {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRole",
        name: "purser",
        uid: role?.metadata.uid,
      },
    ]);
});

test("a replica that does not lead explains to whom the cluster lets read, by a token, and to nobody else", async () => {
  const metadata = { namespace: "default", name: "missing" };
  const spec = { name: "no-such-package", channel: "stable", source: "demo", sourceNamespace: "olm" };
  const group = { apiVersion: "operators.coreos.com/v1", kind: "OperatorGroup", metadata, spec: {} };
  written(await client.write({ verb: "create", type: operatorGroups, object: group }, never));
  const object = { apiVersion: "operators.coreos.com/v1alpha1", kind: "Subscription", metadata, spec };
  written(await client.write({ verb: "create", type: subscriptions, object }, never));
  const port = replicas[1]?.port ?? 0;
  const [reader, stranger] = [await tokenOf("reader"), await tokenOf("stranger")];
  const lines = await reaches("the refusal", async () => {
    const { text } = await explained(port, "/explain/sub/default/missing", reader);
    return text.includes("PackageNotFound") ? text.split("\n") : undefined;
  });
  const refusal = "Subscription missing asks for package no-such-package, which catalog olm/demo does not have";
  assert.ok(lines.includes(`${refusal} (PackageNotFound)`), lines.join("\n"));
  assert.equal((await explained(port, "/explain/sub/default/missing", undefined)).status, 401);
  assert.deepEqual(await explained(port, "/explain/sub/default/missing", stranger), {
    status: 403,
    text: 'system:serviceaccount:default:stranger may not get subscriptions.operators.coreos.com "missing" in namespace "default"\n',
  });
  assert.deepEqual(await explained(port, "/explain", stranger), {
    status: 200,
    text: "no installations that you may list\n",
  });
});

/** A token of a ServiceAccount; "reader" may get Subscriptions of its namespace. */
async function tokenOf(name: "reader" | "stranger"): Promise<string> {
  const [rbac, metadata] = ["rbac.authorization.k8s.io", { namespace: "default", name }];
  const account = { apiVersion: "v1", kind: "ServiceAccount", metadata };
  written(await client.write({ verb: "create", type: serviceAccounts, object: account }, never));
  if (name === "reader") {
    const rules = [{ apiGroups: ["operators.coreos.com"], resources: ["subscriptions"], verbs: ["get"] }];
    const role = { apiVersion: `${rbac}/v1`, kind: "Role", metadata, rules };
    const subjects = [{ kind: "ServiceAccount", ...metadata }];
    const roleRef = { apiGroup: rbac, kind: "Role", name };
    const binding = { apiVersion: `${rbac}/v1`, kind: "RoleBinding", metadata, subjects, roleRef };
    written(await client.write({ verb: "create", type: roles, object: role as never }, never));
    written(await client.write({ verb: "create", type: roleBindings, object: binding as never }, never));
  }
  const request = {
    method: "POST" as const,
    path: resourcePath(serviceAccounts, metadata, "token"),
    headers: { "content-type": "application/json" },
    body: {
      kind: "object" as const,
      value: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} },
    },
  };
  const answer = await client.requestJson(request, never);
  return (answer as { readonly status: { readonly token: string } }).status.token;
}

function explained(
  port: number,
  path: string,
  token: string | undefined,
): Promise<{ readonly status: number | undefined; readonly text: string }> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port, path, headers, rejectUnauthorized: false, agent: false } as const;
    const asked = httpsGet(options, (response) => {
      let text = "";
      response.on("data", (piece: Buffer) => (text += piece.toString("utf8")));
      response.on("end", () => resolve({ status: response.statusCode, text }));
    });
    asked.on("error", reject);
  });
}

test("a leader that ends leaves the APIService to the one that follows, the last one deletes it", async () => {
  const [first, second] = replicas.splice(0);
  assert.ok(first !== undefined && second !== undefined);
  const before = (await client.get(apiServices, apiService))?.metadata.uid;
  target = second.port;
  await first.lifecycle.stop();
  assert.equal(await leader(), "second");
  assert.equal((await client.get(apiServices, apiService))?.metadata.uid, before);
  assert.ok((await reaches("packages from the second", listed)).length > 1);
  await second.lifecycle.stop();
  assert.equal(await client.get(apiServices, apiService), undefined);
});
