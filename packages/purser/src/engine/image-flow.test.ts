import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test, type TestContext } from "node:test";
import type { Condition } from "@purser/kubernetes/apis/condition";
import { events, secrets } from "@purser/kubernetes/apis/resources";
import {
  catalogSources,
  clusterCatalogs,
  clusterExtensions,
  clusterServiceVersions,
  installPlans,
  subscriptions,
} from "../apis/olm-resources.ts";
import type { CatalogSource } from "../apis/v0/catalog-source.ts";
import type { FaultRegistryOptions } from "../image/testing/fault-registry.ts";
import { DemoRegistry } from "./testing/demo-registry.ts";
import { World } from "./testing/world.ts";

async function open(
  context: TestContext,
  options: FaultRegistryOptions = {},
  prepare: (demo: DemoRegistry) => void = () => {},
): Promise<{ readonly world: World; readonly demo: DemoRegistry }> {
  const demo = await DemoRegistry.start(options);
  context.after(() => demo.stop());
  prepare(demo);
  const world = await World.open({ image: { reference: demo.catalog, pulling: demo.pulling } });
  context.after(() => world.stop());
  return { world, demo };
}

const succeeds = (world: World, namespace: string, name: string): Promise<unknown> =>
  world.reaches(
    clusterServiceVersions,
    { namespace, name },
    "Succeeded",
    ({ status }) => status?.phase === "Succeeded",
  );

const installed = (world: World, name: string, version: string): Promise<unknown> =>
  world.reaches(
    clusterExtensions,
    { name },
    `installed at ${version}`,
    ({ status }) => status?.install?.bundle.version === version,
  );

const inOlm = (name: string) => ({ namespace: "olm", name });

test("operators of both families install from a catalog and bundles that are images only", async (context) => {
  const { world, demo } = await open(context);
  await world.tenant("team");
  await world.subscribe("team", "logbook-db");
  await world.extend("ballast-cache", "0.4.x");
  await Promise.all([succeeds(world, "team", "logbook-db.v1.2.0"), installed(world, "ballast-cache", "0.4.1")]);
  await world.settled();
  const pulls = demo.registry.requests.filter(({ path }) => path.includes("/demo/ballast-cache/manifests/0.4.1"));
  assert.deepEqual(
    pulls.map(({ method }) => method),
    ["GET"],
    "a bundle is asked for once",
  );
});

test("a restart without the registry serves catalog and bundles from what is kept, and says what fails", async (context) => {
  const { world, demo } = await open(context);
  await world.extend("ballast-cache", "0.3.x");
  await installed(world, "ballast-cache", "0.3.0");
  await world.restartEngine(() => {
    for (const position of ["ping", "manifest", "blob"] as const)
      demo.registry.fail(position, { fault: { kind: "status", status: 404 } });
  });
  const shown = await world.reaches(clusterCatalogs, { name: "demo" }, "retrying", ({ status }) =>
    (status?.conditions ?? []).some(({ reason }) => reason === "Retrying"),
  );
  const conditions = shown.status?.conditions ?? [];
  assert.equal(conditions.find(({ type }) => type === "Serving")?.status, "True");
  assert.match(conditions.find(({ type }) => type === "Progressing")?.message ?? "", /404/);
  const source = await world.client.get(catalogSources, inOlm("demo"));
  assert.equal(source?.status?.connectionState?.lastObservedState, "READY");
});

test("a tag that moves is noticed by its poll, and the new content is resolved", async (context) => {
  const { world, demo } = await open(context);
  await world.merge(catalogSources, inOlm("demo"), { spec: { updateStrategy: { registryPoll: { interval: "1s" } } } });
  await world.tenant("team");
  await world.subscribe("team", "logbook-db", { channel: "next" });
  await world.reaches(catalogSources, inOlm("demo"), "READY", isReady);
  await world.reaches(
    catalogSources,
    inOlm("demo"),
    "polled",
    ({ status }) => status?.latestImageRegistryPoll !== undefined,
  );
  await demo.pushCatalog((text) => (/^name: logbook-db$/m.test(text) ? text.replaceAll("stable", "next") : text));
  await succeeds(world, "team", "logbook-db.v1.2.0");
});

test("an image template names the catalog of the server's version, and operators install from it", async (context) => {
  const { world, demo } = await open(context);
  const { gitVersion } = await world.client.version(context.signal);
  const tag = /^v\d+\.\d+\.\d+/.exec(gitVersion)?.[0] ?? "";
  const image = await demo.pushCatalog((text) =>
    /^name: logbook-db$/m.test(text) ? text.replaceAll("stable", "templated") : text,
  );
  const repository = `${demo.registry.host}/demo/catalog`;
  demo.registry.push(`demo/catalog:${tag}`, image);
  await demo.pushCatalog();
  const create = (name: string, template: string): Promise<unknown> =>
    world.create(catalogSources, {
      apiVersion: "operators.coreos.com/v1alpha1",
      kind: "CatalogSource",
      metadata: { ...inOlm(name), annotations: { "olm.catalogImageTemplate": template } },
      spec: { sourceType: "grpc" },
    });
  const template = `${repository}:v{kube_major_version}.{kube_minor_version}.{kube_patch_version}`;
  await create("templated", template);
  const ready = await world.reaches(catalogSources, inOlm("templated"), "READY", isReady);
  assert.equal(ready.spec.image, `${repository}:${tag}`);
  assert.deepEqual(resolutionOf(ready), [
    ["TemplatesHaveResolved", "True", "AllTemplatesResolved", "catalog image reference was successfully resolved"],
    ["ResolvedImage", "True", "AllTemplatesResolved", ready.spec.image],
  ]);
  await world.tenant("team");
  await world.subscribe("team", "logbook-db", { source: "templated", channel: "templated" });
  await succeeds(world, "team", "logbook-db.v1.2.0");

  await world.merge(catalogSources, inOlm("templated"), {
    metadata: { annotations: { "olm.catalogImageTemplate": `${repository}:{group:v1/ConfigMap:x}` } },
  });
  const unresolved = await world.reaches(catalogSources, inOlm("templated"), "unresolved", (found) =>
    resolutionOf(found).some(([, , reason]) => reason === "UnableToResolve"),
  );
  assert.equal(unresolved.spec.image, ready.spec.image, "the last image that was resolved stays");
  assert.ok(isReady(unresolved));
  await world.settled();
  const writes = world.engineWrites.length;
  await world.merge(catalogSources, inOlm("templated"), {
    metadata: { annotations: { "olm.catalogImageTemplate": template } },
  });
  await world.reaches(catalogSources, inOlm("templated"), "resolved again", (found) =>
    resolutionOf(found).every(([, status]) => status === "True"),
  );
  await world.settled();
  assert.deepEqual(
    world.engineWrites.slice(writes).map(({ method, path }) => `${method} ${path.replace(/^.*catalogsources/, "")}`),
    ["PUT /templated/status"],
  );
});

const resolutionOf = ({ status }: CatalogSource): readonly (readonly (string | undefined)[])[] =>
  (status?.conditions ?? [])
    .filter(({ type }) => ["TemplatesHaveResolved", "ResolvedImage"].includes(type))
    .map(({ type, status: state, reason, message }) => [type, state, reason, message]);

const isReady = ({ status }: CatalogSource): boolean => status?.connectionState?.lastObservedState === "READY";

test("a registry that wants credentials gets those of spec.secrets, and nothing shows them", async (context) => {
  const password = "p4ss-of-the-registry";
  const { world, demo } = await open(context, { auth: { kind: "basic", username: "reader", password } });
  const refused = await world.reaches(catalogSources, inOlm("demo"), "refused", ({ status }) =>
    (status?.message ?? "").includes("401"),
  );
  assert.doesNotMatch(JSON.stringify(refused.status), /READY/);
  await world.merge(catalogSources, inOlm("demo"), { spec: { secrets: ["pull"] } });
  await world.reaches(catalogSources, inOlm("demo"), "naming the missing Secret", ({ status }) =>
    (status?.message ?? "").includes("the pull secret olm/pull does not exist"),
  );
  const auth = Buffer.from(`reader:${password}`).toString("base64");
  const dataOf = (text: string): Readonly<Record<string, string>> => {
    const config = JSON.stringify({ auths: { [demo.registry.host]: { auth: text } } });
    return { ".dockerconfigjson": Buffer.from(config).toString("base64") };
  };
  await world.create(secrets, {
    apiVersion: "v1",
    kind: "Secret",
    metadata: inOlm("pull"),
    type: "kubernetes.io/dockerconfigjson",
    data: dataOf(Buffer.from("reader:wrong").toString("base64")),
  });
  await world.reaches(catalogSources, inOlm("demo"), "naming the Secret that is refused", ({ status }) =>
    (status?.message ?? "").includes(`The credentials for ${demo.registry.host} come from pull secret olm/pull`),
  );
  await world.merge(secrets, inOlm("pull"), { data: dataOf(auth) });
  await world.tenant("team");
  await world.subscribe("team", "logbook-db");
  await succeeds(world, "team", "logbook-db.v1.2.0");
  const everything = JSON.stringify([
    await world.client.list(catalogSources),
    await world.client.list(clusterCatalogs),
    await world.client.list(clusterServiceVersions),
  ]);
  assert.ok(!everything.includes(password) && !everything.includes(auth));
});

const verdictOf = (status: { readonly conditions?: readonly Condition[] } | undefined): string => {
  const { message = "" } = status?.conditions?.find(({ type }) => type === "SignatureVerified") ?? {};
  return message.replaceAll(/sha256:[0-9a-f]{64}/g, "KEY").replaceAll(/policy \S+ \(\S+ \S+\)/g, "policy");
};

test("who signed a catalog and the bundles of both families stands in their statuses and on the InstallPlan", async (context) => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { world, demo } = await open(context, {}, (registry) => {
    registry.requireSignatures(publicKey);
    for (const name of ["catalog:latest", "ballast-cache:0.4.1", "ballast-cache:0.3.0"])
      registry.sign(name, privateKey);
  });
  await world.tenant("team");
  await world.subscribe("team", "logbook-db");
  await world.extend("ballast-cache", "0.4.x");
  await installed(world, "ballast-cache", "0.4.1");
  const by = "signed by key KEY, accepted by signature policy";
  const { host } = demo.registry;
  const source = await world.client.get(catalogSources, inOlm("demo"));
  const catalog = await world.client.get(clusterCatalogs, { name: "demo" });
  const extension = await world.client.get(clusterExtensions, { name: "ballast-cache" });
  assert.equal(verdictOf(source?.status), `image ${demo.catalog} is ${by}`);
  assert.equal(verdictOf(catalog?.status), `image ${demo.catalog} is ${by}`);
  const bundle = `bundle ballast-cache.v0.4.1 (${host}/demo/ballast-cache:0.4.1)`;
  assert.equal(verdictOf(extension?.status), `${bundle} is ${by}`);
  const unsigned = await world.reaches(subscriptions, { namespace: "team", name: "logbook-db" }, "rejected", (found) =>
    (found.status?.conditions ?? []).some(({ message }) => message?.includes("SignatureRejected") === true),
  );
  const failure = unsigned.status?.conditions?.find(({ type }) => type === "BundleUnpackFailed")?.message ?? "";
  assert.match(
    failure,
    /SignatureRejected: logbook-db\.v1\.2\.0: .* it has no signature\. Sign it, .*; next try at \d/,
  );
  demo.sign("logbook-db:1.2.0", privateKey);
  await succeeds(world, "team", "logbook-db.v1.2.0");
  const [plan] = await world.client.list(installPlans, { namespace: "team" });
  const note = plan?.metadata.annotations?.["purser.dev/signatures"] ?? "";
  assert.match(note, /^logbook-db\.v1\.2\.0 is signed by key sha256:[0-9a-f]{64}, accepted by signature policy \//);
});

test("a pull that fails again and again shows its next try, and is one event", async (context) => {
  const { world, demo } = await open(context);
  await world.reaches(catalogSources, inOlm("demo"), "READY", isReady);
  demo.registry.fail("manifest", { fault: { kind: "status", status: 404 } });
  await world.extend("ballast-cache", "0.4.x");
  const tries = new Set<string>();
  await world.until("three next tries", async () => {
    const { status } = (await world.client.get(clusterExtensions, { name: "ballast-cache" })) ?? {};
    const text = status?.conditions?.find(({ type }) => type === "Progressing")?.message ?? "";
    const next = /BundleUnavailable: ballast-cache.*answered 404.*; next try at (\S+Z)\n/.exec(text)?.[1];
    return next !== undefined && tries.add(next).size === 3;
  });
  await world.settled();
  const emitted = (await world.client.list(events)).filter(
    ({ involvedObject }) => involvedObject.name === "ballast-cache",
  );
  assert.deepEqual(
    emitted.map(({ reason, count }) => [reason, count]),
    [["Retrying", 1]],
  );
  const writes = world.engineWrites.filter(({ path }) => path.includes("clusterextensions/ballast-cache/status"));
  assert.ok(writes.length <= tries.size + 2, `${writes.length} writes for ${tries.size} tries`);
});
