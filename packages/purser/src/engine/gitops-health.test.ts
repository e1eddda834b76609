import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { after, before, test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { compileCel, fromJson } from "@purser/kubernetes/cel/cel";
import type { JsonValue } from "@purser/kubernetes/json";
import {
  catalogSources,
  clusterCatalogs,
  clusterExtensions,
  clusterObjectSets,
  clusterServiceVersions,
  installPlans,
  olmConfigs,
  operatorGroups,
  operators,
  subscriptions,
  updatePolicies,
} from "../apis/olm-resources.ts";
import { pausedAnnotation } from "../apis/v1/labels.ts";
import { shownAsPaused } from "../apis/v1/paused.ts";
import { scriptOf } from "../../build/gitops/argo-cd.ts";
import { gitopsFiles } from "../../build/gitops/files.ts";
import { expressionsOf } from "../../build/gitops/flux.ts";
import { healthRules } from "../../build/gitops/health.ts";
import { kstatusOf } from "./testing/kstatus.ts";
import { World } from "./testing/world.ts";

for (const [name, text] of gitopsFiles)
  test(`deploy/gitops/${name} is what the generator writes`, () =>
    assert.equal(
      readFileSync(resolve(import.meta.dirname, "../../../../deploy/gitops", name), "utf8"),
      text,
      "run node packages/purser/build/gitops/main.ts",
    ));

/** One object in each state, by a name for it. */
const objects = new Map<string, KubeObject>();
let atRest: readonly string[] = [];
before(async () => {
  const world = await World.open();
  try {
    await world.tenant("good");
    await world.subscribe("good", "logbook-db", { startingCSV: "logbook-db.v1.2.0" });
    await world.extend("ballast-cache");
    const config = {
      apiVersion: "operators.coreos.com/v1",
      kind: "OLMConfig",
      metadata: { name: "cluster" },
      spec: { features: {} },
    };
    await world.client.write({ verb: "create", type: olmConfigs, object: config }, new AbortController().signal);
    await world.tenant("waits");
    await world.subscribe("waits", "logbook-db", { startingCSV: "logbook-db.v1.2.0", installPlanApproval: "Manual" });
    await world.tenant("bound", { serviceAccountName: "nobody" });
    for (const [name, range] of [
      ["good", ">=1.0.0"],
      ["bad", "one"],
    ] as const) {
      const metadata = { namespace: "bound", name };
      const policy = {
        apiVersion: "purser.dev/v1alpha1",
        kind: "UpdatePolicy",
        metadata,
        spec: { versions: { range } },
      };
      await world.client.write({ verb: "create", type: updatePolicies, object: policy }, new AbortController().signal);
    }
    await world.tenant("stuck");
    await world.subscribe("stuck", "nothing");
    await world.extend("nothing");
    const create = (type: ResourceType, kind: string, object: { readonly metadata: object; readonly spec: object }) =>
      world.client.write(
        { verb: "create", type, object: { apiVersion: "olm.operatorframework.io/v1", kind, ...object } as KubeObject },
        new AbortController().signal,
      );
    const image = { type: "Image", image: { ref: "example.com/cat:v1" } };
    await create(clusterCatalogs, "ClusterCatalog", {
      metadata: { name: "off" },
      spec: { availabilityMode: "Unavailable", source: image },
    });
    await create(clusterObjectSets, "ClusterObjectSet", {
      metadata: { name: "archived-1" },
      spec: { lifecycleState: "Archived", revision: 1, collisionProtection: "Prevent" },
    });
    await create(clusterExtensions, "ClusterExtension", {
      metadata: { name: "paused", annotations: { [pausedAnnotation]: "true" } },
      spec: { namespace: "olm", source: { sourceType: "Catalog", catalog: { packageName: "logbook-db" } } },
    });
    await world.reaches(
      clusterServiceVersions,
      { namespace: "good", name: "logbook-db.v1.2.0" },
      "Succeeded",
      ({ status }) => status?.phase === "Succeeded",
    );
    await world.reaches(
      clusterExtensions,
      { name: "ballast-cache" },
      "installed",
      ({ status }) => status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") === true,
    );
    await world.reaches(
      subscriptions,
      { namespace: "waits", name: "logbook-db" },
      "waiting",
      ({ status }) => status?.conditions?.some(({ reason }) => reason === "ApprovalRequired") === true,
    );
    await world.settled();
    const keep = async (name: string, type: ResourceType, namespace: string, wanted?: string): Promise<void> => {
      const held = await world.client.list(type, namespace === "" ? {} : { namespace });
      const found = held.find(({ metadata }) => wanted === undefined || metadata.name === wanted);
      assert.ok(found, name);
      objects.set(name, found);
    };
    await keep("installed Subscription", subscriptions, "good");
    await keep("installed ClusterServiceVersion", clusterServiceVersions, "good");
    await keep("complete InstallPlan", installPlans, "good");
    await keep("InstallPlan that waits for approval", installPlans, "waits");
    await keep("OperatorGroup", operatorGroups, "good");
    await keep("OperatorGroup without its ServiceAccount", operatorGroups, "bound");
    await keep("UpdatePolicy", updatePolicies, "bound", "good");
    await keep("UpdatePolicy that cannot be read", updatePolicies, "bound", "bad");
    await keep("Operator", operators, "");
    await keep("OLMConfig", olmConfigs, "");
    await keep("CatalogSource", catalogSources, "olm");
    await keep("ClusterCatalog", clusterCatalogs, "", "demo");
    await keep("ClusterCatalog that is switched off", clusterCatalogs, "", "off");
    await keep("installed ClusterExtension", clusterExtensions, "", "ballast-cache");
    await keep("ClusterObjectSet", clusterObjectSets, "", "ballast-cache-1");
    await keep("archived ClusterObjectSet", clusterObjectSets, "", "archived-1");
    await keep("ClusterExtension that is paused before it is installed", clusterExtensions, "", "paused");
    await keep("Subscription that waits for approval", subscriptions, "waits");
    await keep("stuck Subscription", subscriptions, "stuck");
    await keep("stuck ClusterExtension", clusterExtensions, "", "nothing");
    const writes = world.engineWrites.length;
    await world.pause(1500);
    await world.settled();
    atRest = world.engineWrites.slice(writes).map(({ method, path }) => `${method} ${path}`);
    await world.merge(
      clusterExtensions,
      { name: "ballast-cache" },
      { metadata: { annotations: { [pausedAnnotation]: "true" } } },
    );
    await world.reaches(
      clusterExtensions,
      { name: "ballast-cache" },
      "paused",
      (one) => shownAsPaused(one) !== undefined,
    );
    await keep("paused ClusterExtension", clusterExtensions, "", "ballast-cache");
  } finally {
    await world.stop();
  }
});
after(() => objects.clear());

type Health = "Healthy" | "Degraded" | "Progressing" | "Suspended";
const rows: readonly (readonly [
  name: string,
  kstatus: ReturnType<typeof kstatusOf>,
  argo: Health | undefined,
  flux: string,
])[] = [
  ["installed Subscription", "Current", "Healthy", "current"],
  ["installed ClusterServiceVersion", "Current", "Healthy", "current"],
  ["complete InstallPlan", "Current", "Healthy", "current"],
  ["InstallPlan that waits for approval", "InProgress", "Suspended", "inProgress"],
  ["OperatorGroup", "Current", "Healthy", "current"],
  ["OperatorGroup without its ServiceAccount", "Failed", "Degraded", "failed"],
  ["Operator", "Current", undefined, ""],
  ["OLMConfig", "Current", "Healthy", "current"],
  ["UpdatePolicy", "Current", "Healthy", "current"],
  ["UpdatePolicy that cannot be read", "Failed", "Degraded", "failed"],
  ["CatalogSource", "Current", "Healthy", "current"],
  ["ClusterCatalog", "Current", "Healthy", "current"],
  ["installed ClusterExtension", "Current", "Healthy", "current"],
  ["ClusterObjectSet", "Current", "Healthy", "current"],
  ["ClusterCatalog that is switched off", "Current", "Healthy", "current"],
  ["archived ClusterObjectSet", "Current", "Healthy", "current"],
  ["paused ClusterExtension", "Current", "Suspended", "current"],
  ["ClusterExtension that is paused before it is installed", "InProgress", "Suspended", "inProgress"],
  ["stuck Subscription", "Failed", "Degraded", "failed"],
  ["stuck ClusterExtension", "Failed", "Degraded", "failed"],
];

const ruleOf = ({ kind }: KubeObject): (typeof healthRules)[number] | undefined =>
  healthRules.find((rule) => rule.kind === kind);

/** The expressions of Flux that hold. */
function fluxOf(object: KubeObject): string {
  const rule = ruleOf(object);
  if (rule === undefined) return "";
  const { current, failed, inProgress } = expressionsOf(rule);
  const fields = new Map(
    Object.entries(object).map(([name, value]) => [name, fromJson(value as JsonValue, { kind: "dyn" })]),
  );
  const variables = new Map([...fields.keys()].map((name) => [name, { kind: "dyn" } as const]));
  return Object.entries({ current, failed, inProgress })
    .filter(([, expression]) => {
      const program = compileCel(expression, { library: "kubernetes", result: "bool", variables: variables as never });
      assert.ok(program.ok, JSON.stringify(program));
      const value = program.value.evaluate(fields, { maxCost: 1e6 });
      assert.ok(value.ok, JSON.stringify(value));
      return value.value.value === true;
    })
    .map(([name]) => name)
    .join();
}

const luaOf = (value: unknown): string =>
  Array.isArray(value)
    ? `{${value.map(luaOf).join(",")}}`
    : typeof value === "object" && value !== null
      ? `{${Object.entries(value)
          .map(([key, child]) => `[${JSON.stringify(key)}]=${luaOf(child)}`)
          .join(",")}}`
      : typeof value === "string"
        ? `"${value.replaceAll(/[\\"\n\r]/g, (found) => `\\${found === "\r" ? "r" : found}`)}"`
        : String(value);

const lua = spawnSync("lua5.1", ["-v"]).error === undefined;
function argoOf(object: KubeObject): string | undefined {
  const rule = ruleOf(object);
  if (rule === undefined) return undefined;
  const script = `local obj = ${luaOf(object)}\nlocal health = (function()\n${scriptOf(rule)}end)()\nprint(health.status)`;
  const { status, stdout, stderr } = spawnSync("lua5.1", ["-"], { input: script, encoding: "utf8" });
  assert.equal(status, 0, stderr);
  return stdout.trim();
}

for (const [name, kstatus, argo, flux] of rows) {
  test(`kstatus and Flux judge ${name} as ${kstatus}`, () => {
    const object = objects.get(name);
    assert.ok(object);
    assert.equal(kstatusOf(object), kstatus);
    assert.equal(fluxOf(object), flux);
  });
  test(
    `Argo CD judges ${name} as ${argo ?? "its default"}`,
    { skip: lua ? false : "not here: lua5.1 of Debian" },
    () => {
      const object = objects.get(name);
      assert.ok(object);
      assert.equal(argoOf(object), argo);
    },
  );
}

test(
  "what waits for approval is suspended for Argo CD and in progress for Flux",
  { skip: lua ? false : "not here: lua5.1 of Debian" },
  () => {
    const object = objects.get("Subscription that waits for approval");
    assert.ok(object);
    assert.deepEqual([argoOf(object), fluxOf(object)], ["Suspended", "inProgress"]);
  },
);

test("a changed spec that was not seen yet is in progress", () => {
  const installed = objects.get("installed ClusterExtension");
  assert.ok(installed);
  const changed = { ...installed, metadata: { ...installed.metadata, generation: 99 } };
  assert.notEqual(fluxOf(changed), "current");
  if (lua) assert.equal(argoOf(changed), "Progressing");
});

test(
  "an object without a status is in progress for Argo CD",
  { skip: lua ? false : "not here: lua5.1 of Debian" },
  () => {
    for (const rule of healthRules)
      assert.equal(
        argoOf({ apiVersion: `${rule.group}/${rule.version}`, kind: rule.kind, metadata: { name: "new" } }),
        "Progressing",
      );
  },
);

test("nothing is written at rest, so that a sync shows no difference", () => assert.deepEqual(atRest, []));
