import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Event, Secret } from "@purser/kubernetes/apis/core";
import { configMaps, events, secrets } from "@purser/kubernetes/apis/resources";
import { catalogSources, clusterServiceVersions, installPlans } from "../apis/olm-resources.ts";
import type { InstallPlan, Step } from "../apis/v0/install-plan.ts";
import { parseCompat } from "../compat.ts";
import { olmConfigMap } from "../controllers/v0/install-plan/testing/olm-config-map.ts";
import { World } from "./testing/world.ts";

let world: World;
before(async () => {
  world = await World.open();
});
after(() => world?.stop());

const namespace = "planned";

const stepOf = (kind: string, name: string, manifest: object = {}): Step => ({
  resolving: "",
  resource: {
    group: "",
    version: "v1",
    kind,
    name,
    sourceName: "demo",
    sourceNamespace: "olm",
    manifest: JSON.stringify(manifest),
  },
  status: "Unknown",
});

/** Creates an approved InstallPlan with these steps and waits until it has this phase and message. */
async function started(
  name: string,
  steps: readonly Step[],
  phase: "Complete" | "Installing",
  message = "",
): Promise<InstallPlan> {
  await world.create(installPlans, {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "InstallPlan",
    metadata: { namespace, name },
    spec: { approval: "Automatic", approved: true, clusterServiceVersionNames: [] },
  });
  const never = new AbortController().signal;
  const status = { phase: "Installing", catalogSources: [], plan: steps };
  const patched = await world.client.write(
    {
      verb: "patch",
      type: installPlans,
      key: { namespace, name },
      subresource: "status",
      patchType: "merge",
      patch: { status } as never,
    },
    never,
  );
  assert.ok(patched.ok);
  return world.reaches(
    installPlans,
    { namespace, name },
    `${phase} ${message}`,
    (plan) => plan.status?.phase === phase && (plan.status.message ?? "").includes(message),
  );
}

async function secret(name: string, where: string, text: string): Promise<void> {
  const data = { token: Buffer.from(text).toString("base64") };
  const object = { apiVersion: "v1", kind: "Secret", metadata: { namespace: where, name }, data, type: "Opaque" };
  await world.create(secrets, object as Secret);
}

test("a Secret step copies the pull secret of a catalog from the namespace of global catalogs", async () => {
  await world.tenant(namespace);
  await secret("pull", "olm", "of the catalog");
  await world.merge(catalogSources, { namespace: "olm", name: "demo" }, { spec: { secrets: ["pull"] } });
  const plan = await started("copies", [stepOf("Secret", "pull")], "Complete");
  assert.deepEqual(
    plan.status?.plan?.map(({ status }) => status),
    ["Created"],
  );
  const copy = await world.client.get(secrets, { namespace, name: "pull" });
  assert.equal(Buffer.from(String(copy?.data?.["token"]), "base64").toString(), "of the catalog");
});

test("without --compat=copied-secrets a Secret that no CatalogSource names is not copied", async () => {
  await secret("private", "olm", "of nobody else");
  const plan = await started("denied", [stepOf("Secret", "private")], "Installing", "names it in spec.secrets");
  assert.equal(
    plan.status?.message,
    "retrying execution due to error: secret private is not copied: no CatalogSource of namespace olm names it in spec.secrets",
  );
  assert.equal(await world.client.get(secrets, { namespace, name: "private" }), undefined);
});

test("a warning of the API server is an event about the step that caused it", async () => {
  const manifest = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "odd" }, dada: { a: "b" } };
  await world.create(clusterServiceVersions, {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: { namespace, name: "op.v1" },
    spec: { displayName: "op", install: { strategy: "deployment", spec: { deployments: [] } } },
  });
  const odd = { ...stepOf("ConfigMap", "odd", manifest), resolving: "op.v1" };
  await started("warns", [{ ...stepOf("Secret", "pull"), status: "Present" }, odd], "Complete");
  assert.ok(await world.client.get(configMaps, { namespace, name: "odd" }));
  const event = await world.until("an event", async () => {
    const found: readonly Event[] = await world.client.list(events, { namespace });
    return found.find(({ reason }) => reason === "AppliedWithWarnings");
  });
  assert.equal(event.involvedObject.fieldPath, "status.plan[1]");
  assert.match(
    event.message ?? "",
    /^1 warning\(s\) generated during installation of operator "op.v1" \(ConfigMap "odd"\): /,
  );
  assert.equal(world.metrics.value("installplan_warnings_total"), 1);
});

test("a plan of OLM whose steps are in its ConfigMap is installed from there, once it is approved", async () => {
  const csv = {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: { name: "packed.v2" },
    spec: { displayName: "packed", install: { strategy: "deployment", spec: { deployments: [] } } },
  };
  const settings = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "packed-settings" }, data: { a: "b" } };
  const source = await world.client.get(catalogSources, { namespace: "olm", name: "demo" });
  const { apiVersion, kind } = { apiVersion: "operators.coreos.com/v1alpha1", kind: "CatalogSource" };
  const stored = olmConfigMap({ "csv.json": JSON.stringify(csv), "settings.json": JSON.stringify(settings) }, "packed");
  const ownerReferences = [{ apiVersion, kind, name: "demo", uid: source?.metadata.uid ?? "" }];
  await world.create(configMaps, { ...stored, metadata: { ...stored.metadata, ownerReferences } });
  const reference = {
    kind: "ConfigMap",
    name: "packed",
    namespace: "olm",
    catalogSourceName: "demo",
    catalogSourceNamespace: "olm",
    replaces: "",
    properties: "",
  };
  const settingsStep = { ...stepOf("ConfigMap", "packed-settings", reference), resolving: "packed.v2" };
  const csvStep = stepOf("ClusterServiceVersion", "packed.v2", reference);
  const resource = { ...csvStep.resource, group: "operators.coreos.com", version: "v1alpha1" };
  const steps = [{ ...csvStep, resolving: "packed.v2", resource }, settingsStep];
  const plan = await started("packed", steps, "Complete");
  assert.deepEqual(
    plan.status?.plan?.map(({ status }) => status),
    ["Created", "Created"],
  );
  const found = await world.client.get(configMaps, { namespace, name: "packed-settings" });
  assert.deepEqual(found?.data, { a: "b" });
  const refused = async (name: string, changes: object, why: string): Promise<void> => {
    const manifest = JSON.stringify({ ...reference, ...changes });
    const step = { ...settingsStep, resource: { ...settingsStep.resource, manifest } };
    const waiting = await started(name, [step], "Installing", "unpacked bundle configmap");
    assert.equal(
      waiting.status?.message,
      `retrying execution due to error: error finding unpacked bundle configmap for ref ${why}; delete the InstallPlan to plan again`,
    );
  };
  await refused("lost", { name: "lost" }, 'olm/lost: configmaps "lost" not found');
  await refused(
    "theirs",
    { namespace: "theirs", catalogSourceNamespace: "theirs" },
    `theirs/packed: catalogs for this InstallPlan are in namespaces ${namespace} and olm only`,
  );
});

test("with --compat=copied-secrets every Secret of the global namespace is copied", async () => {
  await world.stop();
  const compat = parseCompat("copied-secrets");
  assert.ok(compat.ok);
  world = await World.open({ compat: compat.value });
  await world.tenant(namespace);
  await secret("private", "olm", "of nobody else");
  await started("copies", [stepOf("Secret", "private")], "Complete");
  assert.ok(await world.client.get(secrets, { namespace, name: "private" }));
});
