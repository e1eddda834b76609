// Two replicas behind one Service: both answer for the package API with the certificate that they share.
import assert from "node:assert/strict";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createApiServer } from "@purser/apiserver";
import type { Secret } from "@purser/kubernetes/apis/core";
import { apiServices, leases, namespaces, secrets, services } from "@purser/kubernetes/apis/resources";
import { userIdentities } from "@purser/kubernetes/kube/access/identities";
import { createClient, type KubeClient } from "@purser/kubernetes/kube/client";
import { written } from "@purser/kubernetes/kube/refusal";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { systemEntropy } from "@purser/kubernetes/system/system-entropy";
import type { PackageManifest } from "../apis/v0/package-manifest.ts";
import { improved } from "../compat.ts";
import { freePort } from "../image/testing/free-port.ts";
import { type Lifecycle, startLifecycle } from "./lifecycle.ts";
import { packageFolder } from "./package-folder.ts";

const never = new AbortController().signal;
const apiService = { name: "v1.packages.operators.coreos.com" };
const secretKey = { namespace: "purser-system", name: "purser-serving" };
let folder: string;
let server: Awaited<ReturnType<typeof createApiServer>>;
let client: KubeClient;
/** Plays the Service: connections go to the port of one replica. */
let network: Server;
let target = 0;
const replicas: { readonly port: number; readonly lifecycle: Lifecycle }[] = [];

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "purser-shared-packages-"));
  await cp(join(packageFolder(), "demo", "default", "catalog"), join(folder, "catalog"), { recursive: true });
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
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
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
      catalogs: [{ namespace: "olm", name: "demo", path: join(folder, "catalog") }],
      bundleFolders: [],
      cacheFolder: join(folder, `cache-${identity}`),
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
});

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
