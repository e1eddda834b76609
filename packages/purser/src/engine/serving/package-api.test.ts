import assert from "node:assert/strict";
import { request as httpsRequest } from "node:https";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { createApiServer } from "@purser/apiserver";
import type { APIService } from "@purser/kubernetes/apis/apiregistration";
import { apiServices, namespaces, services } from "@purser/kubernetes/apis/resources";
import type { JsonObject } from "@purser/kubernetes/json";
import { userIdentities } from "@purser/kubernetes/kube/access/identities";
import { readBody } from "@purser/kubernetes/kube/api-body";
import { createClient, type KubeClient } from "@purser/kubernetes/kube/client";
import { written } from "@purser/kubernetes/kube/refusal";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { systemEntropy } from "@purser/kubernetes/system/system-entropy";
import type { PackageManifest } from "../../apis/v0/package-manifest.ts";
import { improved } from "../../compat.ts";
import { type Lifecycle, type LifecycleOptions, startLifecycle } from "../lifecycle.ts";
import { packageDirectory } from "../package-directory.ts";

const never = new AbortController().signal;
const root = "/apis/packages.operators.coreos.com/v1";
const apiServiceName = "v1.packages.operators.coreos.com";
let directory: string;
let server: Awaited<ReturnType<typeof createApiServer>>;
let client: KubeClient;
const writes: string[] = [];

before(async () => {
  directory = await mkdtemp(join(tmpdir(), "purser-packages-"));
  await cp(join(packageDirectory(), "demo", "default", "catalog"), join(directory, "catalog"), { recursive: true });
  server = await createApiServer();
  client = createClient(server.transport());
});

after(async () => {
  await server.stop();
  await rm(directory, { recursive: true, force: true, maxRetries: 3 });
});

async function start(packageServing: LifecycleOptions["packageServing"]): Promise<Lifecycle> {
  const transport = server.transport();
  const own = createClient((request, signal) => {
    if (request.method !== "GET" && !request.path.includes("/leases") && !request.path.includes("subjectaccessreviews"))
      writes.push(`${request.method} ${request.path}`);
    return transport(request, signal);
  });
  const started = await startLifecycle(
    {
      client: own,
      identities: userIdentities({ client: own, asUser: (user) => server.transport(user) }),
      catalogs: [{ namespace: "olm", name: "demo", path: join(directory, "catalog") }],
      bundleDirectories: [],
      cacheDirectory: join(directory, "cache"),
      compat: improved,
      webhookCertificates: "auto",
      clock: systemClock,
      entropy: systemEntropy,
      log: () => undefined,
      ...(packageServing === undefined ? {} : { packageServing }),
    },
    "apply",
    never,
  );
  assert.ok(started.ok, JSON.stringify(started));
  await started.value.engine.synced();
  return started.value;
}

async function reaches<Value>(what: string, ask: () => Promise<Value | undefined>): Promise<Value> {
  for (let left = 3000; left > 0; left--) {
    const found = await ask();
    if (found !== undefined) return found;
    await systemClock.sleep(100, never);
  }
  throw new Error(`never: ${what}`);
}

const isAvailable = ({ status, spec }: APIService): boolean =>
  spec?.service?.name === "purser-package-api" &&
  status?.conditions?.find(({ type }) => type === "Available")?.status === "True";
const registered = (): Promise<APIService> =>
  reaches("an available APIService", async () => {
    const found = await client.get(apiServices, { name: apiServiceName });
    return found !== undefined && isAvailable(found) ? found : undefined;
  });
const apiServiceTo = (service: string, labels: Record<string, string>): APIService => ({
  apiVersion: "apiregistration.k8s.io/v1",
  kind: "APIService",
  metadata: { name: apiServiceName, labels },
  spec: {
    group: "packages.operators.coreos.com",
    version: "v1",
    groupPriorityMinimum: 2000,
    versionPriority: 15,
    insecureSkipTLSVerify: true,
    service: { namespace: "default", name: service, port: 443 },
  },
});
const get = async (path: string, headers: Readonly<Record<string, string>> = {}, of = client) => {
  const {
    status,
    headers: answered,
    body,
  } = await of.request({ method: "GET", path: `${root}${path}`, headers }, never);
  const { text, json } = await readBody(body);
  return { status, headers: answered, text, json: json === undefined ? {} : (json as JsonObject) };
};
const items = async (path: string): Promise<readonly PackageManifest[]> =>
  ((await get(path)).json as unknown as { readonly items: readonly PackageManifest[] }).items;

suite("the package API", () => {
  suite("while it is served", () => {
    let lifecycle: Lifecycle;
    before(async () => {
      lifecycle = await start({ host: "127.0.0.1", port: 0 });
      await registered();
    });
    after(() => lifecycle.stop());

    test("lists what can be installed, in all namespaces and as seen from one", async () => {
      const all = await items("/packagemanifests");
      const seen = await items("/namespaces/default/packagemanifests");
      assert.ok(all.length > 1);
      assert.deepEqual([...new Set(all.map(({ metadata }) => metadata.namespace))], ["olm"]);
      assert.deepEqual([...new Set(seen.map(({ metadata }) => metadata.namespace))], ["default"]);
      assert.deepEqual(
        seen.map(({ metadata, status }) => [metadata.name, status]),
        all.map(({ metadata, status }) => [metadata.name, status]),
      );
    });

    test("reads one package, and answers 404 with a Status for another", async () => {
      const [first] = await items("/packagemanifests");
      const name = first?.metadata.name ?? "";
      const found = await get(`/namespaces/default/packagemanifests/${name}`);
      assert.deepEqual([found.status, (found.json["status"] as JsonObject)["packageName"]], [200, name]);
      const missing = await get("/namespaces/default/packagemanifests/none");
      assert.deepEqual(
        [missing.status, missing.json["reason"], missing.json["message"]],
        [404, "NotFound", 'packagemanifests.packages.operators.coreos.com "none" not found'],
      );
    });

    test("selects by label and by name", async () => {
      const [first] = await items("/packagemanifests");
      const name = first?.metadata.name ?? "";
      const query = async (text: string): Promise<readonly (string | undefined)[]> => {
        const request = { method: "GET" as const, path: `${root}/packagemanifests`, query: new URLSearchParams(text) };
        const list = (await client.requestJson(request, never)) as unknown as {
          readonly items: readonly PackageManifest[];
        };
        return list.items.map(({ metadata }) => metadata.name);
      };
      assert.deepEqual(await query(`fieldSelector=metadata.name%3D${name}`), [name]);
      assert.deepEqual(await query("labelSelector=catalog%3Dother"), []);
      assert.ok((await query("labelSelector=catalog%3Ddemo")).includes(name));
    });

    test("an icon is sent once: a client that has it gets 304", async () => {
      const [first] = await items("/packagemanifests");
      const path = `/namespaces/default/packagemanifests/${first?.metadata.name ?? ""}/icon`;
      const found = await get(path);
      assert.equal(found.status, 200);
      assert.match(found.headers["content-type"] ?? "", /^image\//);
      assert.equal(found.headers["content-security-policy"], "default-src 'none'; sandbox");
      const again = await get(path, { "if-none-match": found.headers["etag"] ?? "" });
      assert.deepEqual([again.status, again.text], [304, ""]);
      assert.equal((await get(path, { "if-none-match": '"other"' })).status, 200);
    });

    test("discovery and OpenAPI name the kind, so that kubectl get and kubectl explain work", async () => {
      const { json } = await get("");
      assert.deepEqual(
        (json["resources"] as readonly JsonObject[]).map(({ name, verbs }) => [name, verbs]),
        [
          ["packagemanifests", ["get", "list"]],
          ["packagemanifests/icon", ["get"]],
        ],
      );
      const schema = (await client.requestJson({ method: "GET", path: `/openapi/v3${root}` }, never)) as JsonObject;
      const model = "com.coreos.operators.packages.v1.PackageManifest";
      assert.ok(((schema["components"] as JsonObject)["schemas"] as JsonObject)[model] !== undefined);
      const whole = (await client.requestJson({ method: "GET", path: "/openapi/v2" }, never)) as JsonObject;
      assert.ok((whole["definitions"] as JsonObject)[model] !== undefined);
      const again = await client.requestJson({ method: "GET", path: "/openapi/v2" }, never);
      assert.equal(again, whole, "the documents of both servers are merged once");
    });

    test("a user without the right to read PackageManifests is refused", async () => {
      const alice = createClient(server.transport({ name: "alice", groups: ["system:authenticated"] }));
      assert.equal((await get("/packagemanifests", {}, alice)).status, 403);
    });

    test("a client that is not the API server is nobody, whatever user it names", async () => {
      const port = (await registered()).spec?.service?.port ?? 0;
      const ask = (path: string): Promise<readonly [number | undefined, string]> =>
        new Promise((resolve, reject) => {
          const headers = { "x-remote-user": "admin", "x-remote-group": "system:masters" };
          const options = { port, host: "127.0.0.1", path, headers, rejectUnauthorized: false, agent: false } as const;
          const asked = httpsRequest(options, (response) => {
            let text = "";
            response.on("data", (piece: Buffer) => (text += piece.toString("utf8")));
            response.on("end", () => resolve([response.statusCode, text]));
          });
          asked.on("error", reject);
          asked.end();
        });
      const [status, text] = await ask(`${root}/packagemanifests`);
      assert.equal(status, 403);
      assert.match(text, /User \\"system:anonymous\\" cannot list resource \\"packagemanifests\\"/);
      assert.deepEqual(await ask("/healthz"), [200, "ok"]);
      assert.deepEqual(await ask("/readyz"), [200, "ok"]);
    });

    test("an APIService and a Service that somebody changes or deletes are repaired", async () => {
      const { spec } = await registered();
      const deletion = {
        verb: "delete",
        type: services,
        key: { namespace: "olm", name: "purser-package-api" },
      } as const;
      written(await client.write(deletion, never));
      const patch = { spec: { caBundle: "", insecureSkipTLSVerify: true, service: { port: 1 } } };
      const key = { name: apiServiceName };
      written(await client.write({ verb: "patch", type: apiServices, key, patchType: "merge", patch }, never));
      await reaches("the former registration", async () => {
        const service = await client.get(services, { namespace: "olm", name: "purser-package-api" });
        const now = (await client.get(apiServices, key))?.spec;
        return service !== undefined && JSON.stringify(now) === JSON.stringify(spec) ? now : undefined;
      });
      await registered();
      await lifecycle.engine.settled();
      writes.length = 0;
      await client.write(
        { verb: "patch", type: apiServices, key, patchType: "merge", patch: { metadata: { annotations: { a: "b" } } } },
        never,
      );
      await lifecycle.engine.settled();
      assert.deepEqual(
        writes.filter((write) => /apiservices|services/.test(write)),
        [],
      );
    });
  });

  suite("when it is not served any more", () => {
    test("an orderly stop removes the APIService, so that namespaces can be deleted", async () => {
      const lifecycle = await start({ host: "127.0.0.1", port: 0 });
      await registered();
      await lifecycle.stop();
      assert.equal(await client.get(apiServices, { name: apiServiceName }), undefined);
      const object = { apiVersion: "v1", kind: "Namespace", metadata: { name: "leaving" } };
      written(await client.write({ verb: "create", type: namespaces, object }, never));
      written(await client.write({ verb: "delete", type: namespaces, key: { name: "leaving" } }, never));
      await reaches("the end of the namespace", async () =>
        (await client.get(namespaces, { name: "leaving" })) === undefined ? true : undefined,
      );
    });

    test("what a killed process left leads to the next one", async () => {
      const object = apiServiceTo("killed", { "app.kubernetes.io/managed-by": "purser" });
      written(await client.write({ verb: "create", type: apiServices, object }, never));
      const lifecycle = await start({ host: "127.0.0.1", port: 0 });
      await registered();
      await lifecycle.stop();
    });

    test("what a killed process left is removed by the next one that does not serve it", async () => {
      const object = apiServiceTo("killed", { "app.kubernetes.io/managed-by": "purser" });
      written(await client.write({ verb: "create", type: apiServices, object }, never));
      const lifecycle = await start("none");
      assert.equal(await client.get(apiServices, { name: apiServiceName }), undefined);
      await lifecycle.stop();
    });

    test("the APIService of another package server stays", async () => {
      written(await client.write({ verb: "create", type: apiServices, object: apiServiceTo("other", {}) }, never));
      const lifecycle = await start("none");
      await lifecycle.stop();
      const found = await client.get(apiServices, { name: apiServiceName });
      assert.equal(found?.spec?.service?.name, "other");
      written(await client.write({ verb: "delete", type: apiServices, key: { name: apiServiceName } }, never));
    });
  });
});
