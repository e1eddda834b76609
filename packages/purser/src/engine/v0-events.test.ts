import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Event } from "@purser/kubernetes/apis/core";
import type { CustomResourceDefinition } from "@purser/kubernetes/apis/apiextensions";
import { customResourceDefinitions, events } from "@purser/kubernetes/apis/resources";
import { clusterServiceVersions, installPlans, olmConfigs } from "../apis/olm-resources.ts";
import type { Step } from "../apis/v0/install-plan.ts";
import { World } from "./testing/world.ts";

const never = new AbortController().signal;
let world: World;
before(async () => {
  world = await World.open();
  await rm(join(world.bundlesDirectory, "semaphore-gateway"), { recursive: true });
});
after(() => world?.stop());

/** `Type Reason on apiVersion Kind NAMESPACE/NAME[:FIELD] by COMPONENT: MESSAGE`, its first line. */
function line({ type, reason, involvedObject, source, message }: Event): string {
  const { apiVersion, kind, namespace = "", name, fieldPath } = involvedObject;
  const [text = ""] = (message ?? "").split("\n");
  const field = fieldPath === undefined ? "" : `:${fieldPath}`;
  return `${type} ${reason} on ${apiVersion} ${kind} ${namespace}/${name}${field} by ${source?.component}: ${text}`;
}

/** Whether and how often an operator waits for its workload depends on the machine, so those events are left out. */
async function recorded(namespace: string, count: number, type?: string): Promise<readonly string[]> {
  const found = await world.until(`${count} events in ${namespace}`, async () => {
    const all = await world.client.list(events);
    // Those about a Namespace are in the namespace "default".
    const own = all
      .filter(({ source }) => source?.component?.startsWith("operator-lifecycle-manager"))
      .filter(({ involvedObject: { kind, name, namespace: of } }) => (kind === "Namespace" ? name : of) === namespace)
      .filter((event) => event.reason !== "InstallWaiting" && (type === undefined || event.type === type));
    return own.length >= count && own;
  });
  return found.map(line).sort();
}

const csv = "operators.coreos.com/v1alpha1 ClusterServiceVersion";
const component = "by operator-lifecycle-manager";

test("each phase of an operator is an event with its reason and message, a Warning when it failed", async () => {
  const name = "logbook-db.v1.2.0";
  const about = `on ${csv} phases/${name} ${component}`;
  await world.tenant("phases");
  await world.subscribe("phases", "logbook-db", { startingCSV: name });
  const succeeds = (): Promise<unknown> =>
    world.reaches(
      clusterServiceVersions,
      { namespace: "phases", name },
      "Succeeded",
      ({ status }) => status?.phase === "Succeeded",
    );
  await succeeds();
  const installed = [
    `Normal AllRequirementsMet ${about}: all requirements found, attempting install`,
    `Normal InstallSucceeded ${about}: install strategy completed with no errors`,
    `Normal InstallSucceeded ${about}: waiting for install components to report healthy`,
    `Normal RequirementsUnknown ${about}: requirements not yet checked`,
  ];
  assert.deepEqual(await recorded("phases", 4), installed);
  await world.group("phases", "second", { targetNamespaces: ["phases"] });
  await world.reaches(
    clusterServiceVersions,
    { namespace: "phases", name },
    "Failed",
    ({ status }) => status?.phase === "Failed",
  );
  const failed = (await recorded("phases", 1, "Warning")).filter((text) => text.includes(about));
  assert.deepEqual(failed, [
    `Warning TooManyOperatorGroups ${about}: csv created in namespace with multiple operatorgroups, can't pick one automatically`,
  ]);
});

test("a namespace that cannot be resolved, and a bundle that cannot be had, are Warnings on it and on the Subscription", async () => {
  await world.tenant("unresolved");
  await world.subscribe("unresolved", "nothing");
  assert.deepEqual(await recorded("unresolved", 1), [
    `Warning ResolutionFailed on v1 Namespace /unresolved ${component}: PackageNotFound: Subscription nothing asks for package nothing, which catalog olm/demo does not have. Delete Subscription nothing: kubectl delete subscriptions.operators.coreos.com nothing -n unresolved`,
  ]);
  await world.tenant("unpacked");
  await world.subscribe("unpacked", "semaphore-gateway");
  const [unpacked = ""] = await recorded("unpacked", 1);
  assert.match(
    unpacked,
    /^Warning BundleUnpackFailed on operators\.coreos\.com\/v1alpha1 Subscription unpacked\/semaphore-gateway by operator-lifecycle-manager: Bundle unpacking failed - BundleUnavailable: /,
  );
});

test("copies that an administrator turned off are a Warning on the operator", async () => {
  const name = "ballast-cache.v0.4.1";
  await world.create(olmConfigs, {
    apiVersion: "operators.coreos.com/v1",
    kind: "OLMConfig",
    metadata: { name: "cluster" },
    spec: { features: { disableCopiedCSVs: true } },
  });
  await world.tenant("everywhere", {});
  await world.subscribe("everywhere", "ballast-cache", { startingCSV: name });
  const notice = `Warning DisabledCopiedCSVs on ${csv} everywhere/${name} ${component}: CSV copying disabled for everywhere/${name}`;
  await world.until("the notice", async () => (await recorded("everywhere", 1)).includes(notice));
});

/** A CustomResourceDefinition of `gadgets.events.example` whose objects have these required fields. */
function gadgets(required: readonly string[], conversion?: object): object {
  const spec = { type: "object", properties: { size: { type: "integer" } }, required };
  const openAPIV3Schema = { type: "object", properties: { spec } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "gadgets.events.example" },
    spec: {
      group: "events.example",
      scope: "Namespaced",
      names: { kind: "Gadget", plural: "gadgets", singular: "gadget", listKind: "GadgetList" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema } }],
      ...(conversion === undefined ? {} : { conversion }),
    },
  };
}

test("what the API server warns of, and objects that only a conversion webhook can make fit, are Warnings on the InstallPlan", async () => {
  const namespace = "planned";
  await world.tenant(namespace);
  await world.create(customResourceDefinitions, gadgets([]) as CustomResourceDefinition);
  const gadget = { group: "events.example", version: "v1", kind: "Gadget", plural: "gadgets", namespaced: true };
  await world.until("the API of gadgets", async () => {
    const object = {
      apiVersion: "events.example/v1",
      kind: "Gadget",
      metadata: { namespace, name: "small" },
      spec: {},
    };
    return (await world.client.write({ verb: "create", type: gadget, object }, never)).ok;
  });
  const service = { namespace, name: "converter", path: "/convert", port: 443 };
  const webhook = { clientConfig: { service }, conversionReviewVersions: ["v1"] };
  const step = (group: string, kind: string, name: string, manifest: object): Step => ({
    resolving: "",
    resource: {
      group,
      version: "v1",
      kind,
      name,
      sourceName: "demo",
      sourceNamespace: "olm",
      manifest: JSON.stringify(manifest),
    },
    status: "Unknown",
  });
  const plan = [
    step(
      "apiextensions.k8s.io",
      "CustomResourceDefinition",
      "gadgets.events.example",
      gadgets(["size"], { strategy: "Webhook", webhook }),
    ),
    step("", "ConfigMap", "odd", { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "odd" }, dada: { a: "b" } }),
  ];
  await world.create(installPlans, {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "InstallPlan",
    metadata: { namespace, name: "doubtful" },
    spec: { approval: "Automatic", approved: true, clusterServiceVersionNames: [] },
  });
  const patch = { status: { phase: "Installing", catalogSources: [], plan } } as never;
  const key = { namespace, name: "doubtful" };
  const begun = await world.client.write(
    { verb: "patch", type: installPlans, key, subresource: "status", patchType: "merge", patch },
    never,
  );
  assert.ok(begun.ok);
  const about = "on operators.coreos.com/v1alpha1 InstallPlan planned/doubtful";
  assert.deepEqual(await recorded(namespace, 2), [
    `Warning AppliedWithWarnings ${about}:status.plan[1] ${component}: 1 warning(s) generated during operator installation (ConfigMap "odd"): unknown field "dada"`,
    `Warning CRDValidation ${about} ${component}: Validation of existing CRs against the new CRD's schema failed, but a webhook conversion strategy was specified in the new CRD.`,
  ]);
});
