import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { setImmediate } from "node:timers/promises";
import { connect } from "node:tls";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test, type TestContext } from "node:test";
import { type ApiServer, createApiServer } from "@purser/apiserver";
import { clusterWide, serviceAccounts } from "@purser/kubernetes/apis/resources";
import { resourcePath } from "@purser/kubernetes/apis/resource-type";
import { issueAuthority, issueClient, issueServing, type KeyPair } from "@purser/kubernetes/certificate/certificate";
import { Counters } from "@purser/kubernetes/kube/counters";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import type { JsonObject } from "@purser/kubernetes/json";
import { userIdentities } from "@purser/kubernetes/kube/access/identities";
import { createClient, type KubeClient } from "@purser/kubernetes/kube/client";
import { written } from "@purser/kubernetes/kube/refusal";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { systemEntropy } from "@purser/kubernetes/system/system-entropy";
import { catalogSources, clusterServiceVersions, operatorGroups, subscriptions } from "../apis/olm-resources.ts";
import { improved } from "../compat.ts";
import { type DoorServing, openDoors } from "./doors.ts";
import { type LifecycleOptions, startLifecycle } from "./lifecycle.ts";
import { packageDirectory } from "./package-directory.ts";
import { freePort } from "../image/testing/free-port.ts";

const never = new AbortController().signal;
let directory: string;
let server: ApiServer;
let client: KubeClient;

before(async () => {
  directory = await mkdtemp(join(tmpdir(), "purser-doors-"));
  server = await createApiServer();
  client = createClient(server.transport());
});
after(async () => {
  await server.stop();
  await rm(directory, { recursive: true, force: true, maxRetries: 3 });
});

const options = (doors: DoorServing): LifecycleOptions => ({
  client,
  identities: userIdentities({ client, asUser: (user) => server.transport(user) }),
  catalogs: [],
  bundleDirectories: [],
  cacheDirectory: join(directory, "cache"),
  compat: improved,
  webhookCertificates: "own",
  clock: systemClock,
  entropy: systemEntropy,
  log: () => undefined,
  doors,
});

async function started(context: TestContext, serving: Omit<DoorServing, "host" | "port">): Promise<number> {
  const port = await freePort();
  const lifecycle = await startLifecycle(options({ host: "127.0.0.1", port, ...serving }), "apply", never);
  assert.ok(lifecycle.ok, JSON.stringify(lifecycle));
  context.after(() => lifecycle.value.stop());
  await lifecycle.value.engine.synced();
  await lifecycle.value.engine.settled();
  return port;
}

interface Answer {
  readonly status: number | undefined;
  readonly text: string;
}

function get(port: number, path: string, more: JsonObject = {}, secure = false): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = { host: "127.0.0.1", port, path, agent: false, rejectUnauthorized: false, ...more };
    (secure ? httpsRequest : httpRequest)(asked as never, (answer) => {
      const pieces: Buffer[] = [];
      answer.on("data", (piece: Buffer) => pieces.push(piece));
      answer.on("end", () => resolve({ status: answer.statusCode, text: Buffer.concat(pieces).toString() }));
    })
      .on("error", reject)
      .end();
  });
}

const series = ({ text }: Answer, prefix: string): readonly string[] =>
  text.split("\n").filter((line) => line.startsWith(prefix));

const csv = (name: string): JsonObject => ({
  apiVersion: "operators.coreos.com/v1alpha1",
  kind: "ClusterServiceVersion",
  metadata: { name, namespace: "default" },
  spec: {
    displayName: name,
    version: "1.0.0",
    installModes: [{ type: "OwnNamespace", supported: true }],
    install: { strategy: "deployment", spec: { deployments: [] } },
  },
});

test("metrics follow the cluster's objects, and series of objects that are gone end", async (context) => {
  const port = await started(context, { debug: true });
  assert.deepEqual(await get(port, "/healthz"), { status: 200, text: "ok" });
  assert.deepEqual(await get(port, "/readyz"), { status: 200, text: "ok" });
  assert.deepEqual(series(await get(port, "/metrics"), "csv_count"), ["csv_count 0"]);
  const key = { namespace: "default", name: "lonely.v1.0.0" };
  written(await client.write({ verb: "create", type: clusterServiceVersions, object: csv(key.name) as never }, never));
  const source = {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "CatalogSource",
    metadata: { namespace: "default", name: "nowhere" },
    spec: { sourceType: "grpc", address: "127.0.0.1:1" },
  };
  written(await client.write({ verb: "create", type: catalogSources, object: source as never }, never));
  const named = (answer: Answer): readonly string[] =>
    [...series(answer, "csv_"), ...series(answer, "catalog_source"), ...series(answer, "catalogsource")].filter(
      (line) => line.includes("lonely") || line.includes("nowhere"),
    );
  let answer = await get(port, "/metrics");
  while (named(answer).length < 4 || !answer.text.includes('reason="NoOperatorGroup"'))
    answer = await get(port, "/metrics");
  assert.deepEqual(named(answer), [
    'csv_succeeded{namespace="default",name="lonely.v1.0.0",version="1.0.0"} 0',
    'csv_abnormal{namespace="default",name="lonely.v1.0.0",version="1.0.0",phase="Failed",reason="NoOperatorGroup"} 1',
    'catalog_source_snapshots_total{namespace="default",name="nowhere"} 0',
    'catalogsource_ready{namespace="default",name="nowhere"} 0',
  ]);
  const live = await client.get(clusterServiceVersions, key);
  const replacing = { ...live, status: { ...live?.status, phase: "Replacing" } };
  written(
    await client.write(
      { verb: "replace", type: clusterServiceVersions, object: replacing as never, subresource: "status" },
      never,
    ),
  );
  while (series(answer, "csv_upgrade_count")[0] !== "csv_upgrade_count 1") answer = await get(port, "/metrics");
  written(await client.write({ verb: "delete", type: clusterServiceVersions, key }, never));
  written(
    await client.write({ verb: "delete", type: catalogSources, key: { namespace: "default", name: "nowhere" } }, never),
  );
  while (named(answer).length > 0) answer = await get(port, "/metrics");
  assert.deepEqual(series(answer, "purser_leading"), ["purser_leading 1"]);
  const queues = JSON.parse((await get(port, "/debug/queues")).text) as { readonly queues: JsonObject };
  assert.ok("install-plan" in queues.queues);
});

/** A token of a ServiceAccount; `allowed` binds the right to get the metrics. */
async function tokenOf(name: string, allowed: boolean): Promise<string> {
  const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { namespace: "default", name } };
  written(await client.write({ verb: "create", type: serviceAccounts, object: account }, never));
  const rbac = "rbac.authorization.k8s.io";
  if (allowed) {
    const rules = [{ nonResourceURLs: ["/metrics"], verbs: ["get"] }];
    const role = { apiVersion: `${rbac}/v1`, kind: "ClusterRole", metadata: { name }, rules };
    const subjects = [{ kind: "ServiceAccount", namespace: "default", name }];
    const roleRef = { apiGroup: rbac, kind: "ClusterRole", name };
    const binding = { apiVersion: `${rbac}/v1`, kind: "ClusterRoleBinding", metadata: { name }, subjects, roleRef };
    const roles = clusterWide(rbac, "v1", "ClusterRole", "clusterroles");
    const bindings = clusterWide(rbac, "v1", "ClusterRoleBinding", "clusterrolebindings");
    written(await client.write({ verb: "create", type: roles, object: role as never }, never));
    written(await client.write({ verb: "create", type: bindings, object: binding as never }, never));
  }
  const answer = await client.requestJson(
    {
      method: "POST",
      path: resourcePath(serviceAccounts, { namespace: "default", name }, "token"),
      headers: { "content-type": "application/json" },
      body: { kind: "object", value: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} } },
    },
    never,
  );
  return (answer as { readonly status: { readonly token: string } }).status.token;
}

async function certificateFiles(authority: KeyPair, name: string): Promise<NonNullable<DoorServing["files"]>> {
  const issuing = { now: Date.now() - 60_000, validityMs: 3_600_000, entropy: systemEntropy };
  const serving = await issueServing({ ...issuing, authority, hosts: ["127.0.0.1", name] });
  const files = {
    certificate: join(directory, "tls.crt"),
    key: join(directory, "tls.key"),
    clientAuthorities: join(directory, "ca.crt"),
  };
  await writeFile(files.certificate, serving.certificatePem);
  await writeFile(files.key, serving.privateKeyPem);
  await writeFile(files.clientAuthorities, authority.certificatePem);
  return files;
}

test("with TLS the cluster decides who gets metrics, and a client certificate opens the debug pages", async (context) => {
  const issuing = { now: Date.now() - 60_000, validityMs: 3_600_000, entropy: systemEntropy };
  const authority = await issueAuthority({ ...issuing, commonName: "doors" });
  const files = await certificateFiles(authority, "doors");
  const port = await started(context, { debug: false, files });
  const ask = (path: string, more: JsonObject = {}): Promise<Answer> => get(port, path, more, true);
  const bearer = (token: string): JsonObject => ({ headers: { authorization: `Bearer ${token}` } });
  assert.equal((await ask("/healthz")).status, 200);
  assert.deepEqual(await ask("/metrics"), { status: 401, text: "Unauthorized\n" });
  assert.deepEqual(await ask("/metrics", bearer("invented")), { status: 401, text: "Unauthorized\n" });
  assert.deepEqual(await ask("/metrics", bearer(await tokenOf("stranger", false))), {
    status: 403,
    text: 'system:serviceaccount:default:stranger may not get /metrics: bind a ClusterRole with nonResourceURLs ["/metrics"]\n',
  });
  assert.equal((await ask("/metrics", bearer(await tokenOf("scraper", true)))).status, 200);
  assert.deepEqual(await ask("/debug/queues"), {
    status: 403,
    text: "debug pages require a client certificate of --client-ca\n",
  });
  const person = await issueClient({ ...issuing, authority, commonName: "sre", organizations: [] });
  const certificate = { cert: person.certificatePem, key: person.privateKeyPem };
  assert.equal((await ask("/debug/queues", certificate)).status, 200);
  const other = await issueAuthority({ ...issuing, commonName: "other" });
  const impostor = await issueClient({ ...issuing, authority: other, commonName: "sre", organizations: [] });
  assert.equal(
    (await ask("/debug/queues", { cert: impostor.certificatePem, key: impostor.privateKeyPem })).status,
    403,
  );
});

test("a process that may not watch a type is not ready and names the right; once ready it stays so", async (context) => {
  const port = await freePort();
  const message = 'catalogsources is forbidden: User "purser" cannot watch resource "catalogsources"';
  let isForbidden = true;
  const body = { kind: "Status", apiVersion: "v1", status: "Failure", code: 403, reason: "Forbidden", message };
  const transport = server.transport();
  const bounded = createClient((request, signal) =>
    isForbidden && request.query?.get("watch") === "true" && request.path.endsWith("/catalogsources")
      ? transport({ ...request, path: "/forbidden" }, signal).then(
          (answer) => ({ ...answer, status: 403, body: { kind: "object", value: body } }) as never,
        )
      : transport(request, signal),
  );
  const doors = { host: "127.0.0.1", port, debug: false };
  const lifecycle = await startLifecycle({ ...options(doors), client: bounded }, "apply", never);
  assert.ok(lifecycle.ok);
  context.after(() => lifecycle.value.stop());
  await lifecycle.value.engine.synced();
  const ready = async (wanted: number): Promise<Answer> => {
    for (;;) {
      const answer = await get(port, "/readyz");
      if (answer.status === wanted) return answer;
      await systemClock.sleep(20, never);
    }
  };
  await ready(503);
  while (lifecycle.value.engine.cache.unfollowed()[0]?.problem === undefined) await systemClock.sleep(20, never);
  assert.deepEqual(await get(port, "/readyz"), {
    status: 503,
    text: `[-]caches failed: ${message}\nreadyz check failed\n`,
  });
  isForbidden = false;
  const source = {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "CatalogSource",
    metadata: { namespace: "olm", name: "late" },
    spec: { sourceType: "grpc", address: "127.0.0.1:1" },
  } as const;
  written(await client.write({ verb: "create", type: catalogSources, object: source }, never));
  context.after(() =>
    client.write({ verb: "delete", type: catalogSources, key: { namespace: "olm", name: "late" } }, never),
  );
  // The next list shows it; only a change that the watch brings says that it is allowed.
  for (let label = 0; (await get(port, "/readyz")).status !== 200; label++) {
    const patch = { metadata: { labels: { label: String(label) } } };
    await client.write(
      { verb: "patch", type: catalogSources, key: { namespace: "olm", name: "late" }, patchType: "merge", patch },
      never,
    );
    await systemClock.sleep(50, never);
  }
  isForbidden = true;
  assert.equal((await get(port, "/readyz")).status, 200);
});

test("an address that is taken, or a certificate that cannot be read, is a problem with the address", async (context) => {
  const port = await started(context, { debug: false });
  const taken = await startLifecycle(options({ host: "127.0.0.1", port, debug: false }), "apply", never);
  assert.deepEqual(taken, {
    ok: false,
    problem: {
      kind: "metricsAddress",
      address: `127.0.0.1:${port}`,
      message: `listen EADDRINUSE: address already in use 127.0.0.1:${port}`,
    },
  });
  const missing = join(directory, "missing.pem");
  const files = { certificate: missing, key: missing };
  const unreadable = await startLifecycle(options({ host: "127.0.0.1", port, debug: false, files }), "apply", never);
  assert.ok(!unreadable.ok && unreadable.problem.message.includes(missing), JSON.stringify(unreadable));
});

test("a certificate whose files change is shown to new connections, and a broken one is not", async (context) => {
  const issuing = { now: Date.now() - 60_000, validityMs: 3_600_000, entropy: systemEntropy };
  const authority = await issueAuthority({ ...issuing, commonName: "doors" });
  const files = await certificateFiles(authority, "first");
  const lifecycle = await startLifecycle(
    options({ host: "127.0.0.1", port: await freePort(), debug: false }),
    "apply",
    never,
  );
  assert.ok(lifecycle.ok, JSON.stringify(lifecycle));
  context.after(() => lifecycle.value.stop());
  const clock = new VirtualClock();
  const port = await freePort();
  const logged: string[] = [];
  const { engine } = lifecycle.value;
  const log = (_: unknown, text: string): number => logged.push(text);
  const explain = {} as unknown as Parameters<typeof openDoors>[1]["explain"];
  const doors = await openDoors(
    { host: "127.0.0.1", port, debug: false, files },
    { engine, families: ["v0", "v1"], client, clock, log, metrics: new Counters(), explain },
  );
  assert.ok(doors.ok, JSON.stringify(doors));
  context.after(doors.value);
  assert.match(await shownNames(port), /DNS:first/);
  await certificateFiles(authority, "second");
  while (logged.length < 1) {
    clock.advance(10_000);
    await setImmediate();
  }
  assert.match(await shownNames(port), /DNS:second/);
  await writeFile(files.certificate, "no certificate");
  while (logged.length < 2) {
    clock.advance(10_000);
    await setImmediate();
  }
  assert.match(await shownNames(port), /DNS:second/);
  assert.deepEqual(logged, [
    "the certificate of the metrics address was renewed",
    "the new certificate of the metrics address cannot be used",
  ]);
});

/** The alternative names of the certificate that a new connection gets. */
function shownNames(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().subjectaltname ?? "");
      socket.destroy();
    }).on("error", reject);
  });
}

test("a resolution is measured, looks at a Subscription are counted, and so is each content of a catalog", async (context) => {
  const port = await freePort();
  const catalogs = [{ namespace: "olm", name: "demo", path: join(packageDirectory(), "demo", "default", "catalog") }];
  const lifecycle = await startLifecycle(
    { ...options({ host: "127.0.0.1", port, debug: false }), catalogs },
    "apply",
    never,
  );
  assert.ok(lifecycle.ok, JSON.stringify(lifecycle));
  context.after(() => lifecycle.value.stop());
  const metadata = { namespace: "default", name: "db" };
  const spec = { name: "logbook-db", channel: "stable", source: "demo", sourceNamespace: "olm" };
  const group = { apiVersion: "operators.coreos.com/v1", kind: "OperatorGroup", metadata, spec: {} };
  written(await client.write({ verb: "create", type: operatorGroups, object: group }, never));
  const object = { apiVersion: "operators.coreos.com/v1alpha1", kind: "Subscription", metadata, spec };
  written(await client.write({ verb: "create", type: subscriptions, object }, never));
  const shown = (answer: Answer): readonly string[] => [
    ...series(answer, 'olm_resolution_duration_seconds_count{outcome="succeeded"}').slice(0, 1),
    ...series(answer, "subscription_sync_total").slice(0, 1),
    ...series(answer, "catalog_source_snapshots_total"),
  ];
  let answer = await get(port, "/metrics");
  while (shown(answer).length < 3) answer = await get(port, "/metrics");
  assert.equal(shown(answer)[2], 'catalog_source_snapshots_total{namespace="olm",name="demo"} 1');
  written(await client.write({ verb: "delete", type: subscriptions, key: metadata }, never));
  while (series(answer, "subscription_sync_total").length > 0) answer = await get(port, "/metrics");
});

test("a process that does not lead shows its own work and no objects of the cluster", async (context) => {
  const leaderElection = { namespace: "kube-system", name: "doors", identity: "first" };
  const both: number[] = [];
  for (const identity of ["first", "second"]) {
    const port = await freePort();
    const doors = { host: "127.0.0.1", port, debug: false };
    const lifecycle = await startLifecycle(
      { ...options(doors), leaderElection: { ...leaderElection, identity } },
      "apply",
      never,
    );
    assert.ok(lifecycle.ok, JSON.stringify(lifecycle));
    context.after(() => lifecycle.value.stop());
    while (identity === "first" && !lifecycle.value.engine.leading()) await setImmediate();
    await lifecycle.value.engine.synced();
    both.push(port);
  }
  const shown = await Promise.all(
    both.map(async (port) => {
      const answer = await get(port, "/metrics");
      return [...series(answer, "purser_leading"), ...series(answer, "subscription_count")];
    }),
  );
  assert.deepEqual(shown, [["purser_leading 1", "subscription_count 0"], ["purser_leading 0"]]);
});
