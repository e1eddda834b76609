// Passes of the controllers that have little of their own beside their plans: what they read, write, and are run again by.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import { improved } from "../../compat.ts";
import { SetContent } from "../../content/testing/set-content.ts";
import type { Surroundings } from "../surroundings.ts";
import { passOf, requeuedBy } from "../testing/passes.ts";
import { catalogSourceController } from "./catalog-source/catalog-source-controller.ts";
import { managedLabelController } from "./managed-label/managed-label-controller.ts";
import { olmConfigController } from "./olm-config/olm-config-controller.ts";
import { operatorConditionController } from "./operator-condition/operator-condition-controller.ts";
import { namespaceLabelController } from "./operator-group/namespace-label-controller.ts";
import { operatorGroupController } from "./operator-group/operator-group-controller.ts";

const v1 = { apiVersion: "operators.coreos.com/v1" };
const alpha = { apiVersion: "operators.coreos.com/v1alpha1" };
const rbac = { apiVersion: "rbac.authorization.k8s.io/v1" };

const namespaceOf = (name: string, phase = "Active", labels: Readonly<Record<string, string>> = {}) => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name, labels },
  status: { phase },
});
const groupOf = (namespace: string, name: string, spec: object, namespaces?: readonly string[]) => ({
  ...v1,
  kind: "OperatorGroup",
  metadata: { namespace, name, uid: `uid-${name}` },
  spec,
  ...(namespaces === undefined ? {} : { status: { namespaces, lastUpdated: "" } }),
});
const csvOf = (namespace: string, name: string, more: object = {}) => ({
  ...alpha,
  kind: "ClusterServiceVersion",
  metadata: { namespace, name, uid: `uid-${namespace}-${name}`, ...more },
  spec: { install: { strategy: "deployment", spec: { deployments: [] } }, installModes: [] },
  status: { phase: "Succeeded", reason: "InstallSucceeded" },
});
const copyOf = (namespace: string, name: string) => ({
  ...csvOf(namespace, name, { labels: { "olm.copiedFrom": "ns" } }),
});

/** `VERB KIND NAME` of each write. */
const written = (requests: readonly ObjectWrite[]): readonly string[] =>
  requests.map((write) => {
    const name = "object" in write ? (write.object.metadata.name ?? "") : write.key.name;
    return `${write.verb} ${write.type.kind} ${name}`;
  });
/** The message of the condition DisabledCopiedCSVs that a pass writes. */
const message = (requests: readonly ObjectWrite[]): string | undefined => {
  const [found] = /"message":"([^"]*)"/.exec(JSON.stringify(requests))?.slice(1) ?? [];
  return found;
};

const config = (disableCopiedCSVs: boolean) => ({
  ...v1,
  kind: "OLMConfig",
  metadata: { name: "cluster" },
  spec: { features: { disableCopiedCSVs } },
});
const everywhere = groupOf("ns", "all", {}, [""]);
const global = csvOf("ns", "op.v1", {
  annotations: { "olm.targetNamespaces": "", "olm.operatorGroup": "all", "olm.operatorNamespace": "ns" },
});

test("OLMConfig shows whether the copies of CSVs for all namespaces are as it asks for", async () => {
  const controller = olmConfigController({
    compat: improved,
    protectedNamespaces: new Set(["openshift", "ns", "gone"]),
  });
  const shown = async (...held: readonly object[]) => {
    const { cluster, events } = await passOf(controller, { name: "cluster" }, [everywhere, global, ...held]);
    return [message(cluster.requests), ...events];
  };
  const enabled = (isComplete: boolean) =>
    isComplete
      ? "Copied CSVs are enabled and present across the cluster"
      : "Copied CSVs are enabled and at least one copied CSVs is missing";
  const disabled = (isComplete: boolean) =>
    isComplete
      ? "Copied CSVs are disabled and no unexpected copied CSVs were found for operators installed in AllNamespace mode"
      : "Copied CSVs are disabled and at least one unexpected copied CSV was found for an operator installed in AllNamespace mode";
  const [own, far, ending] = [namespaceOf("ns"), namespaceOf("far"), namespaceOf("ending", "Terminating")];
  const event = "Warning DisabledCopiedCSVs op.v1: CSV copying disabled for ns/op.v1";
  assert.deepEqual(
    [
      await shown(config(false), own, far, ending),
      await shown(config(false), own, far, ending, copyOf("far", "op.v1")),
      await shown(config(true), own, far),
      await shown(config(true), own, far, copyOf("far", "op.v1")),
      await shown(config(true), own, namespaceOf("openshift")),
      await shown(config(true), own, namespaceOf("openshift"), copyOf("openshift", "op.v1")),
      await shown(own, far),
    ],
    [
      [enabled(false)],
      [enabled(true)],
      [disabled(true), event],
      [disabled(false), event],
      [disabled(false), event],
      [disabled(true), event],
      [undefined],
    ],
  );
});

test("an event about copies that are turned off is kept once, and deleted where they are not", async () => {
  const notice = (name: string) => ({
    apiVersion: "v1",
    kind: "Event",
    metadata: { namespace: "ns", name },
    reason: "DisabledCopiedCSVs",
    involvedObject: { uid: "uid-ns-op.v1" },
  });
  const controller = olmConfigController({ compat: improved });
  const deleted = async (isOff: boolean) => {
    const held = [everywhere, global, config(isOff), namespaceOf("ns"), notice("a"), notice("b")];
    const { cluster, events } = await passOf(controller, { name: "cluster" }, held);
    return [...cluster.deleted, ...events];
  };
  assert.deepEqual([await deleted(true), await deleted(false)], [["events/b"], ["events/a", "events/b"]]);
});

test("OLMConfig is looked at again for itself, CSVs, copies, groups and namespaces, but not for events", () => {
  const controller = olmConfigController({ compat: improved });
  const event = { apiVersion: "v1", kind: "Event", metadata: { namespace: "ns", name: "e" }, involvedObject: {} };
  const other = { ...config(true), metadata: { name: "other" } };
  assert.deepEqual(
    [config(true), other, everywhere, namespaceOf("ns"), event].map((one) => requeuedBy(controller, one)),
    [["cluster"], [], ["cluster"], ["cluster"], []],
  );
  assert.deepEqual(new Set(requeuedBy(controller, global)), new Set(["cluster"]));
});

test("an OperatorGroup targets namespaces by name or selector, and has roles; those of a deleted group are deleted", async () => {
  const controller = operatorGroupController({ compat: improved });
  const held = [namespaceOf("a", "Active", { tier: "x" }), namespaceOf("b")];
  const statusOf = async (spec: object, ...more: readonly object[]) => {
    const { cluster } = await passOf(controller, { namespace: "ns", name: "g" }, [
      groupOf("ns", "g", spec),
      ...held,
      ...more,
    ]);
    const found = cluster.objects.get("operators.coreos.com|operatorgroups|ns|g") as
      | {
          readonly status?: {
            readonly namespaces?: readonly string[];
            readonly conditions?: readonly { readonly type: string }[];
          };
        }
      | undefined;
    return [found?.status?.namespaces, ...(found?.status?.conditions ?? []).map(({ type }) => type)];
  };
  assert.deepEqual((await statusOf({ targetNamespaces: ["a", "b"] }))[0], ["a", "b"]);
  assert.deepEqual((await statusOf({ selector: { matchLabels: { tier: "x" } } }))[0], ["a"]);
  assert.ok((await statusOf({}, groupOf("ns", "h", {}))).includes("MultipleOperatorGroup"));
  assert.ok((await statusOf({ serviceAccountName: "bob" })).includes("OperatorGroupServiceAccount"));
  const bob = { apiVersion: "v1", kind: "ServiceAccount", metadata: { namespace: "ns", name: "bob" } };
  assert.ok(!(await statusOf({ serviceAccountName: "bob" }, bob)).includes("OperatorGroupServiceAccount"));
  const labels = {
    "olm.owner": "g",
    "olm.owner.namespace": "ns",
    "olm.owner.kind": "OperatorGroup",
    "olm.managed": "true",
  };
  const roleOf = (name: string, change: object = {}) => ({
    ...rbac,
    kind: "ClusterRole",
    metadata: { name, labels: { ...labels, ...change } },
  });
  const roles = [
    roleOf("own"),
    roleOf("far", { "olm.owner.namespace": "far" }),
    roleOf("other", { "olm.owner": "h" }),
    roleOf("kind", { "olm.owner.kind": "ClusterServiceVersion" }),
    roleOf("unmanaged", { "olm.managed": "false" }),
  ];
  const { cluster } = await passOf(controller, { namespace: "ns", name: "g" }, roles);
  assert.deepEqual([cluster.deleted, cluster.requests.length], [["clusterroles/own"], 1]);
});

test("OperatorGroups are looked at again with their neighbours, CSVs, accounts, roles and, with a selector, namespaces", () => {
  const controller = operatorGroupController({ compat: improved });
  const groups = [groupOf("ns", "a", {}), groupOf("ns", "b", { selector: {} }), groupOf("far", "c", { selector: {} })];
  const role = (labels: Readonly<Record<string, string>>) => ({
    ...rbac,
    kind: "ClusterRole",
    metadata: { name: "r", labels },
  });
  const owner = { "olm.owner": "g", "olm.owner.namespace": "ns", "olm.owner.kind": "OperatorGroup" };
  const { "olm.owner.namespace": _namespace, ...nowhere } = owner;
  const { "olm.owner": _name, ...nameless } = owner;
  assert.deepEqual(
    [
      groupOf("ns", "a", {}),
      csvOf("ns", "op.v1"),
      namespaceOf("any"),
      { apiVersion: "v1", kind: "ServiceAccount", metadata: { namespace: "far", name: "bob" } },
      role(owner),
      role({ ...owner, "olm.owner.kind": "ClusterServiceVersion" }),
      role(nowhere),
      role(nameless),
      { ...rbac, kind: "ClusterRole", metadata: { name: "r" } },
    ].map((one) => requeuedBy(controller, one, groups)),
    [["ns/a", "ns/a", "ns/b"], ["ns/a", "ns/b"], ["ns/b", "far/c"], ["far/c"], ["ns/g"], [], [], [], []],
  );
});

test("namespaces are labelled with the groups that target them, of watched namespaces alone", async () => {
  const groups = [groupOf("ns", "g", {}, ["a"]), groupOf("far", "h", {}, ["a", "b"]), groupOf("ns", "i", {}, [""])];
  const labelled = async (controller: ReturnType<typeof namespaceLabelController>, name: string) => {
    const { cluster } = await passOf(controller, { name }, [namespaceOf(name), ...groups]);
    return JSON.stringify(cluster.requests.map((write) => ("patch" in write ? write.patch : undefined)));
  };
  const all = await labelled(namespaceLabelController(), "a");
  assert.deepEqual([all.includes("uid-g"), all.includes("uid-h"), all.includes("uid-i")], [true, true, false]);
  const some = await labelled(namespaceLabelController({ watchedNamespaces: new Set(["ns"]) }), "a");
  assert.deepEqual([some.includes("uid-g"), some.includes("uid-h")], [true, false]);
  assert.equal(await labelled(namespaceLabelController(), "c"), "[]");
  const controller = namespaceLabelController();
  assert.deepEqual(
    [namespaceOf("a"), ...groups].map((one) => requeuedBy(controller, one)),
    [["a"], ["a"], ["a", "b"], []],
  );
});

test("a CSV gets an OperatorCondition, which gets its role and binding in the next pass", async () => {
  const controller = operatorConditionController();
  const key = { namespace: "ns", name: "op.v1" };
  const first = await passOf(controller, key, [csvOf("ns", "op.v1")]);
  assert.deepEqual(written(first.cluster.requests), ["create OperatorCondition op.v1"]);
  const condition = [...first.cluster.objects.values()].map((one) => ({
    ...one,
    metadata: { ...one.metadata, uid: "c" },
  }));
  const second = await passOf(controller, key, [csvOf("ns", "op.v1"), ...condition]);
  assert.deepEqual(
    written(second.cluster.requests).filter((text) => text.includes("Role")),
    ["create Role op.v1", "create RoleBinding op.v1"],
  );
  const both = [...second.cluster.objects.values()];
  const third = await passOf(controller, key, [
    csvOf("ns", "op.v1"),
    ...condition,
    ...both.filter(({ kind }) => kind.startsWith("Role")),
  ]);
  assert.deepEqual(
    written(third.cluster.requests).filter((text) => text.includes("Role")),
    [],
  );
});

test("OperatorConditions are looked at again with their CSV and with roles that name them as owner", () => {
  const controller = operatorConditionController();
  const roleOf = (kind: string, owner: string) => ({
    ...rbac,
    kind,
    metadata: {
      namespace: "ns",
      name: "r",
      ownerReferences: [{ apiVersion: "v2", kind: owner, name: "op.v1", uid: "u" }],
    },
  });
  assert.deepEqual(
    [
      csvOf("ns", "op.v1"),
      {
        apiVersion: "operators.coreos.com/v2",
        kind: "OperatorCondition",
        metadata: { namespace: "ns", name: "op.v1" },
      },
      roleOf("Role", "OperatorCondition"),
      roleOf("RoleBinding", "OperatorCondition"),
      roleOf("Role", "ClusterServiceVersion"),
      { ...rbac, kind: "Role", metadata: { namespace: "ns", name: "r" } },
    ].map((one) => requeuedBy(controller, one)),
    [["ns/op.v1"], ["ns/op.v1"], ["ns/op.v1"], ["ns/op.v1"], [], []],
  );
});

test("objects that an older OLM left are labelled for the CSV that owns them by labels, or by reference beside such", async () => {
  const controller = managedLabelController();
  const labels = { "olm.owner": "op.v1", "olm.owner.namespace": "ns", "olm.owner.kind": "ClusterServiceVersion" };
  const byLabel = (kind: string, name: string, more: object = {}) => ({
    ...(kind.startsWith("Cluster") || kind.startsWith("Role")
      ? rbac
      : { apiVersion: kind === "Deployment" ? "apps/v1" : "v1" }),
    kind,
    metadata: { namespace: "ns", name, labels: { ...labels, ...more } },
  });
  const byReference = (name: string, owner: string) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      namespace: "ns",
      name,
      ownerReferences: [{ ...alpha, kind: "ClusterServiceVersion", name: owner, uid: owner }],
    },
  });
  const kinds = ["Deployment", "Secret", "Service", "Role", "ServiceAccount"];
  const { cluster } = await passOf(controller, { namespace: "ns", name: "op.v1" }, [
    ...kinds.map((kind) => byLabel(kind, "x")),
    byLabel("Service", "managed", { "olm.managed": "true" }),
    byLabel("Service", "other", { "olm.owner": "op.v2" }),
    byReference("ours", "op.v1"),
    byReference("theirs", "op.v2"),
  ]);
  assert.deepEqual(written(cluster.requests), [
    "patch ConfigMap ours",
    ...["ServiceAccount", "Role", "Service", "Secret", "Deployment"].map((kind) => `patch ${kind} x`),
  ]);
  const requeued = (object: object) => requeuedBy(controller, object);
  assert.deepEqual(
    [
      requeued(byLabel("Service", "x")),
      requeued(byLabel("Role", "x", { "olm.copiedFrom": "far" })),
      requeued(byLabel("Service", "x", { "olm.owner.kind": "OperatorGroup" })),
    ],
    [["ns/op.v1"], ["far/op.v1"], []],
  );
});

/** Surroundings with a catalog controller's ports. */
function surroundingsOf(content: SetContent): Surroundings {
  const client = { version: () => Promise.resolve({ major: "1", minor: "31", gitVersion: "v1.31.2" }) };
  return { client, content, metrics: { add: () => {}, set: () => {} }, compat: improved } as unknown as Surroundings;
}
const sourceOf = (spec: object, annotations: Readonly<Record<string, string>> = {}) => ({
  ...alpha,
  kind: "CatalogSource",
  metadata: { namespace: "ns", name: "cat", uid: "cat", annotations, creationTimestamp: "2026-01-01T00:00:00Z" },
  spec,
});

test("a CatalogSource shows the state of its content; without content that can be asked for nothing is held", async () => {
  const content = new SetContent();
  const controller = catalogSourceController(surroundingsOf(content));
  const key = { namespace: "ns", name: "cat" };
  const state = async (spec: object) => {
    const { cluster, error } = await passOf(controller, key, [sourceOf(spec)]);
    assert.equal(error, undefined);
    const found = [...cluster.objects.values()][0] as
      | { readonly status?: Readonly<Record<string, unknown>> }
      | undefined;
    return [found?.status?.["reason"], content.released.splice(0)];
  };
  assert.deepEqual(await state({ sourceType: "grpc" }), ["SpecInvalidError", ["CatalogSource ns/cat"]]);
  const [, released] = await state({ sourceType: "grpc", image: "example.com/cat:1" });
  assert.deepEqual(released, []);
  const gone = await passOf(controller, key, []);
  assert.deepEqual([gone.cluster.requests, content.released], [[], ["CatalogSource ns/cat"]]);
});

test("the image of a CatalogSource follows its template with the version of the cluster", async () => {
  const controller = catalogSourceController(surroundingsOf(new SetContent()));
  const template = { "olm.catalogImageTemplate": "example.com/cat:v{kube_major_version}.{kube_minor_version}" };
  const { cluster } = await passOf(controller, { namespace: "ns", name: "cat" }, [
    sourceOf({ sourceType: "grpc", image: "example.com/cat:old" }, template),
  ]);
  const patches = cluster.requests.map((write) => ("patch" in write ? write.patch : undefined));
  assert.ok(JSON.stringify(patches).includes('{"spec":{"image":"example.com/cat:v1.31"}}'), JSON.stringify(patches));
});

test("a ConfigMap of a CatalogSource gets its owner, and changes of it look at the CatalogSource again", async () => {
  const controller = catalogSourceController(surroundingsOf(new SetContent()));
  const configMap = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { namespace: "ns", name: "c", uid: "c", resourceVersion: "1" },
  };
  const held = [sourceOf({ sourceType: "internal", configMap: "c" }), configMap];
  const key = { namespace: "ns", name: "cat" };
  const { cluster } = await passOf(controller, key, held);
  assert.equal(written(cluster.requests)[0], "patch ConfigMap c");
  const refused = await passOf(controller, key, held, ["configmaps"]);
  assert.ok(JSON.stringify(refused.cluster.requests).includes("forbidden"), JSON.stringify(refused.cluster.requests));
  const waking = controller.wakingWatch?.({
    group: "",
    version: "v1",
    kind: "ConfigMap",
    plural: "configmaps",
    namespaced: true,
  });
  const ownerReferences = [
    { kind: "CatalogSource", name: "cat" },
    { kind: "Other", name: "x" },
  ];
  const cache = undefined as never;
  assert.deepEqual(waking?.scope, { labelSelector: "olm.managed" });
  assert.deepEqual(
    waking?.map?.({ ...configMap, metadata: { ...configMap.metadata, ownerReferences } } as never, cache),
    [key],
  );
  assert.deepEqual(waking?.map?.(configMap, cache), []);
});
