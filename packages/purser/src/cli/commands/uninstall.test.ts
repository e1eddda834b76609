// uninstall against the embedded cluster with the demo, over HTTP as a user runs it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { customResourceDefinitions } from "@purser/kubernetes/apis/resources";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { clusterExtensions, clusterServiceVersions, subscriptions } from "../../apis/olm-resources.ts";
import { keptForAnnotation } from "../../apis/v1/labels.ts";
import { UsageError } from "../command.ts";
import { type DemoCluster, startDemoCluster } from "../testing/demo-cluster.ts";

const never = new AbortController().signal;
let cluster: DemoCluster;
before(async () => {
  cluster = await startDemoCluster();
});
after(() => cluster.stop());

const uninstall = (args: readonly string[], answer?: string | (() => Promise<string>)) =>
  cluster.purser(["uninstall", ...args], answer);
const crd = { name: "caches.ballast.demo.purser.dev" };
const caches: ResourceType = {
  group: "ballast.demo.purser.dev",
  version: "v1",
  kind: "Cache",
  plural: "caches",
  namespaced: true,
};
const install = async (): Promise<void> => {
  const { exitCode, errors } = await cluster.purser([
    "install",
    "ballast-cache",
    "--as-extension",
    "-n",
    "demo-cache",
    "--yes",
  ]);
  assert.equal(exitCode, 0, errors);
};
const createCache = async (name: string): Promise<void> => {
  const metadata = { name, namespace: "demo-cache" };
  const object = { apiVersion: "ballast.demo.purser.dev/v1", kind: "Cache", metadata, spec: { sizeMi: 64 } };
  const made = await cluster.client.write({ verb: "create", type: caches, object }, never);
  assert.ok(made.ok, JSON.stringify(made));
};

const own = async (name: string, owner: string): Promise<void> => {
  const found = await cluster.client.get(caches, { namespace: "demo-cache", name: owner });
  const reference = { apiVersion: `${caches.group}/v1`, kind: "Cache", name: owner, uid: found?.metadata.uid ?? "" };
  const patch = { metadata: { ownerReferences: [reference] } };
  const key = { namespace: "demo-cache", name };
  const written = await cluster.client.write({ verb: "patch", type: caches, key, patchType: "merge", patch }, never);
  assert.ok(written.ok, JSON.stringify(written));
};

test("an extension whose data is kept leaves its CRDs, custom resources and nothing else, and is installed again over them", async () => {
  await createCache("first");
  const dry = await uninstall(["ext/ballast-cache", "--dry-run"]);
  const lines = dry.text.split("\n");
  assert.equal(lines[0], "Uninstall ext/ballast-cache (mode keep-data)");
  assert.match(lines[1] ?? "", /^ {2}removed {2}\d+ objects: .*1 ClusterExtension/);
  assert.equal(lines[2], "  kept     1 CRD, 1 instance (Cache 1)");
  assert.equal((dry.data as { readonly kind: string }).kind, "UninstallPlan");
  assert.notEqual(await cluster.client.get(clusterExtensions, { name: "ballast-cache" }), undefined);
  const { exitCode, text } = await uninstall(["ext/ballast-cache"], "y");
  assert.deepEqual([exitCode, text], [0, "ok ext/ballast-cache is removed"]);
  await cluster.settled();
  const kept = await cluster.client.get(customResourceDefinitions, crd);
  assert.deepEqual(kept?.metadata.ownerReferences ?? [], []);
  assert.equal(kept?.metadata.annotations?.[keptForAnnotation], "ballast-cache");
  assert.equal(kept?.metadata.labels?.["olm.operatorframework.io/owner-name"], undefined);
  assert.equal((await cluster.client.list(caches)).length, 1);
  const again = await cluster.purser(["install", "ballast-cache", "--as-extension", "-n", "demo-cache", "--yes"]);
  assert.deepEqual([again.exitCode, again.text], [0, "ok ballast-cache 0.4.1 is ready as ext/ballast-cache"]);
  const taken = await cluster.client.get(customResourceDefinitions, crd);
  assert.equal(taken?.metadata.ownerReferences?.[0]?.kind, "ClusterObjectSet");
});

test("an extension's CRD stays with its custom resources when a ClusterServiceVersion names it too, which is no owner of it", async () => {
  const csv = {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: { name: "by-hand.v1.0.0", namespace: "demo-cache" },
    spec: {
      displayName: "by hand",
      install: { strategy: "deployment", spec: { deployments: [] } },
      customresourcedefinitions: { owned: [{ name: crd.name, version: "v1", kind: "Cache" }] },
    },
  };
  const made = await cluster.client.write({ verb: "create", type: clusterServiceVersions, object: csv }, never);
  assert.ok(made.ok, JSON.stringify(made));
  const { exitCode } = await uninstall(["ext/ballast-cache"], "y");
  assert.equal(exitCode, 0);
  await cluster.settled();
  const key = { name: "by-hand.v1.0.0", namespace: "demo-cache" };
  await cluster.client.write({ verb: "delete", type: clusterServiceVersions, key }, never);
  const kept = await cluster.client.get(customResourceDefinitions, crd);
  assert.deepEqual(kept?.metadata.ownerReferences ?? [], []);
  assert.equal((await cluster.client.list(caches)).length, 1);
  await install();
});

test("a CRD that an extension owns without a revision that names it, as after Helm, is shown and kept", async () => {
  const { uid = "" } = (await cluster.client.get(clusterExtensions, { name: "ballast-cache" }))?.metadata ?? {};
  const apiVersion = "olm.operatorframework.io/v1";
  const owner = { apiVersion, kind: "ClusterExtension", name: "ballast-cache", uid, controller: true };
  const names = { plural: "leftovers", singular: "leftover", kind: "Leftover", listKind: "LeftoverList" };
  const name = `leftovers.${caches.group}`;
  const schema = { openAPIV3Schema: { type: "object" } };
  const object = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name, ownerReferences: [owner] },
    spec: {
      group: caches.group,
      names,
      scope: "Namespaced",
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  };
  const made = await cluster.client.write({ verb: "create", type: customResourceDefinitions, object }, never);
  assert.ok(made.ok, JSON.stringify(made));
  const { exitCode, errors } = await uninstall(["ext/ballast-cache"], "y");
  assert.match(errors, /^ {2}kept {5}2 CRDs, 1 instance \(Cache 1\)$/m);
  assert.equal(exitCode, 0);
  await cluster.settled();
  const kept = await cluster.client.get(customResourceDefinitions, { name });
  assert.deepEqual(kept?.metadata.ownerReferences ?? [], []);
  assert.notEqual(kept, undefined);
  await cluster.client.write({ verb: "delete", type: customResourceDefinitions, key: { name } }, never);
  await install();
});

test("deleting custom resources takes the name of the installation", async () => {
  await assert.rejects(
    () => uninstall(["ext/ballast-cache", "--mode", "everything", "--yes"]),
    (error) => error instanceof UsageError && error.message === "this deletes 1 custom resource",
  );
  const wrong = await uninstall(["ext/ballast-cache", "--mode", "everything"], "y");
  assert.deepEqual([wrong.exitCode, wrong.text], [1, "Nothing was removed."]);
  assert.equal((await cluster.client.list(caches)).length, 1);
});

test("unused keeps a CRD with custom resources, and everything deletes it after them", async () => {
  const unused = await uninstall(["ext/ballast-cache", "--mode", "unused", "--dry-run"]);
  assert.match(unused.text, /^ {2}kept {5}1 CRD, 1 instance \(Cache 1\)$/m);
  const { exitCode } = await uninstall(["ext/ballast-cache", "--mode", "everything", "--confirm", "ballast-cache"]);
  assert.equal(exitCode, 0);
  assert.equal(await cluster.client.get(customResourceDefinitions, crd), undefined);
});

test("everything deletes custom resources that own one another", async () => {
  await install();
  await createCache("one");
  await createCache("other");
  await own("one", "other");
  await own("other", "one");
  const args = ["ext/ballast-cache", "--mode", "everything", "--confirm", "ballast-cache", "--timeout", "5m"];
  const { exitCode, errors } = await uninstall(args);
  assert.equal(exitCode, 0, errors);
  assert.equal(await cluster.client.get(customResourceDefinitions, crd), undefined);
});

test("everything deletes a custom resource only when the one that owns it is deleted", async () => {
  await install();
  await createCache("owner");
  await createCache("owned");
  await own("owned", "owner");
  const key = { namespace: "demo-cache", name: "owner" };
  const hold = async (finalizers: readonly string[]): Promise<void> => {
    const patch = { metadata: { finalizers } };
    const written = await cluster.client.write({ verb: "patch", type: caches, key, patchType: "merge", patch }, never);
    assert.ok(written.ok, JSON.stringify(written));
  };
  await hold(["example.com/wait"]);
  const args = ["ext/ballast-cache", "--mode", "everything", "--confirm", "ballast-cache", "--timeout"];
  const { exitCode, errors } = await uninstall([...args, "1s"]);
  assert.notEqual(exitCode, 0);
  assert.match(errors, /2 of caches\S+, such as Cache demo-cache\/own/);
  const owned = await cluster.client.get(caches, { namespace: "demo-cache", name: "owned" });
  assert.equal(owned?.metadata.deletionTimestamp, undefined);
  await hold([]);
  assert.equal((await uninstall([...args, "5m"], "y")).exitCode, 0);
});

test("everything refuses custom resources that were created after it showed none", async () => {
  await install();
  const { exitCode, errors } = await uninstall(["ext/ballast-cache", "--mode", "everything"], async () => {
    await createCache("late");
    return "y";
  });
  assert.equal(exitCode, 7);
  assert.match(
    errors,
    /Nothing was removed: the plan changed from (sha256:[0-9a-f]{64}) to (?!\1)sha256:[0-9a-f]{64}; changed: CRD caches\.ballast\.demo\.purser\.dev\n/,
  );
  assert.equal((await cluster.client.list(caches)).length, 1);
  assert.notEqual(await cluster.client.get(clusterExtensions, { name: "ballast-cache" }), undefined);
  await cluster.client.write({ verb: "delete", type: caches, key: { name: "late", namespace: "demo-cache" } }, never);
});

test("unused keeps a CRD of an extension whose first custom resource is created after the plan was shown", async () => {
  const args = ["ext/ballast-cache", "--mode", "unused"];
  const stale = await uninstall(args, async () => {
    await createCache("late");
    return "y";
  });
  assert.equal(stale.exitCode, 7);
  assert.match(stale.errors, /kept {5}1 CRD, 1 instance/);
  const [, seen = "", now = ""] = /the plan changed from (sha256:\S+) to (sha256:[0-9a-f]+);/.exec(stale.errors) ?? [];
  assert.equal((await uninstall([...args, "--plan", seen], "y")).exitCode, 7);
  assert.equal((await uninstall([...args, "--plan", now], "y")).exitCode, 0);
  await cluster.settled();
  assert.equal((await cluster.client.list(caches)).length, 1);
  await cluster.client.write({ verb: "delete", type: caches, key: { name: "late", namespace: "demo-cache" } }, never);
  await cluster.client.write({ verb: "delete", type: customResourceDefinitions, key: crd }, never);
});

test("a Subscription is uninstalled with what was installed for it, and its unused CRDs", async () => {
  const installed = await cluster.purser([
    "install",
    "semaphore-gateway",
    "-n",
    "sessions",
    "--create-namespace",
    "--yes",
  ]);
  assert.equal(installed.exitCode, 0, installed.errors);
  const dry = await uninstall(["semaphore-gateway", "--mode", "unused", "--dry-run"]);
  const dependency = /unneeded (sub\/sessions\/\S+) was installed for it/.exec(dry.text)?.[1] ?? "";
  assert.notEqual(dependency, "", dry.text);
  const needed = await uninstall([dependency, "--dry-run"]);
  assert.match(
    needed.text,
    /^ {2}affects {2}sub\/sessions\/semaphore-gateway requires Cache, which nothing will serve$/m,
  );
  const withUser = async (name: string, owned: readonly object[]): Promise<string> => {
    const metadata = { name, namespace: "default" };
    const requirement = { name: crd.name, version: "v1", kind: "Cache" };
    const spec = {
      displayName: "user",
      install: { strategy: "deployment", spec: { deployments: [] } },
      customresourcedefinitions: { required: [requirement], owned },
    };
    const object = { apiVersion: "operators.coreos.com/v1alpha1", kind: "ClusterServiceVersion", metadata, spec };
    const made = await cluster.client.write({ verb: "create", type: clusterServiceVersions, object }, never);
    assert.ok(made.ok, JSON.stringify(made));
    const { text: used } = await uninstall(["semaphore-gateway", "--mode", "unused", "--dry-run"]);
    await cluster.client.write({ verb: "delete", type: clusterServiceVersions, key: metadata }, never);
    return used;
  };
  assert.doesNotMatch(
    await withUser("user.v1.0.0", []),
    /unneeded/,
    "an operator of another namespace uses the dependency",
  );
  const provides = await withUser("provider.v1.0.0", [{ name: crd.name, version: "v1", kind: "Cache" }]);
  assert.match(provides, /unneeded/, "another namespace has the API from an operator of its own");
  const { exitCode, text } = await uninstall(["semaphore-gateway", "--mode", "unused"], "y");
  assert.deepEqual([exitCode, text], [0, `ok sub/sessions/semaphore-gateway and ${dependency} are removed`]);
  assert.deepEqual(await cluster.client.list(subscriptions, { namespace: "sessions" }), []);
  assert.deepEqual(await cluster.client.list(clusterServiceVersions, { namespace: "sessions" }), []);
  assert.equal(await cluster.client.get(customResourceDefinitions, crd), undefined);
});

test("a ClusterExtension is uninstalled with the extensions that were created for it", async () => {
  const flags = ["--as-extension", "--dependencies", "install", "-n", "sessions", "--set", "watchNamespace=sessions"];
  const installed = await cluster.purser(["install", "semaphore-gateway", ...flags, "--yes"]);
  assert.equal(installed.exitCode, 0, installed.errors);
  const dry = await uninstall(["ext/semaphore-gateway", "--dry-run"]);
  assert.match(dry.text, /^ {2}unneeded ext\/ballast-cache was installed for it, and nothing else requires it$/m);
  const { exitCode, text } = await uninstall(["ext/semaphore-gateway", "--mode", "unused"], "y");
  assert.deepEqual([exitCode, text], [0, "ok ext/semaphore-gateway and ext/ballast-cache are removed"]);
  assert.deepEqual(await cluster.client.get(clusterExtensions, { name: "ballast-cache" }), undefined);
});

test("an uninstallation that took too long names the command that continues it, whatever is left", async () => {
  const namespace = "held-back";
  const installed = await cluster.purser(["install", "ballast-cache", "-n", namespace, "--create-namespace", "--yes"]);
  assert.equal(installed.exitCode, 0, installed.errors);
  const [csv] = await cluster.client.list(clusterServiceVersions, { namespace });
  const key = { namespace, name: csv?.metadata.name ?? "" };
  const hold = async (type: ResourceType, held: typeof key | typeof crd, finalizers: readonly string[]) => {
    const patch = { metadata: { finalizers } };
    const written = await cluster.client.write({ verb: "patch", type, key: held, patchType: "merge", patch }, never);
    assert.ok(written.ok, JSON.stringify(written));
  };
  await hold(clusterServiceVersions, key, ["example.com/wait"]);
  await hold(customResourceDefinitions, crd, ["example.com/wait"]);
  const args = ["--mode", "unused", "--timeout"];
  const first = await uninstall(["sub/held-back/ballast-cache", ...args, "1s"], "y");
  const left = `csv/${namespace}/${key.name}`;
  assert.deepEqual(first.errors.trim().split("\n").slice(-2), [
    `attention sub/held-back/ballast-cache is not removed yet: ClusterServiceVersion ${namespace}/${key.name}, which waits for the finalizer example.com/wait still exists`,
    `  do    purser uninstall ${left} --mode unused      continues`,
  ]);
  const releasing = async (): Promise<string> => {
    await hold(clusterServiceVersions, key, []);
    return "y";
  };
  // Long enough for the ClusterServiceVersion to be deleted on a busy machine.
  const second = await uninstall([left, ...args, "20s"], releasing);
  assert.equal(
    second.errors.trim().split("\n").at(-1),
    `  do    kubectl delete customresourcedefinition ${crd.name}      continues`,
  );
  await hold(customResourceDefinitions, crd, []);
});

test("all ClusterExtensions, or those with labels, are shown, agreed to once and removed, those last that were created for another", async () => {
  const extensions = async (): Promise<readonly (string | undefined)[]> =>
    (await cluster.client.list(clusterExtensions)).map(({ metadata }) => metadata.name);
  assert.deepEqual(await extensions(), []);
  const none = await uninstall(["--all-extensions", "--yes"]);
  assert.deepEqual([none.exitCode, none.errors.split("\n")[0]], [6, "failed There is no ClusterExtension"]);
  const args = [
    "install",
    "semaphore-gateway",
    "--as-extension",
    "-n",
    "all",
    "--create-namespace",
    "--no-wait",
    "--yes",
  ];
  const added = await cluster.purser([...args, "--label", "team=a", "--dependencies", "install"]);
  assert.equal(added.exitCode, 0, added.errors);
  await cluster.settled();
  assert.deepEqual(await extensions(), ["ballast-cache", "semaphore-gateway"]);
  const unlabelled = await uninstall(["--all-extensions", "-l", "team=b", "--yes"]);
  assert.match(unlabelled.errors, /^failed No ClusterExtension has the labels team=b\n/);

  const some = await uninstall(["--all-extensions", "-l", "team=a", "--dry-run"]);
  assert.match(some.text, /^Uninstall ext\/semaphore-gateway \(mode keep-data\)$/m);
  assert.doesNotMatch(some.text, /^Uninstall ext\/ballast-cache/m);
  const dry = await uninstall(["--all-extensions", "--mode", "unused", "--dry-run"]);
  assert.deepEqual(
    dry.text.split("\n").filter((line) => line.startsWith("Uninstall")),
    ["Uninstall ext/ballast-cache (mode unused)", "Uninstall ext/semaphore-gateway (mode unused)"],
  );
  const { kind, items } = dry.data as unknown as { readonly kind: string; readonly items: readonly { mode: string }[] };
  assert.deepEqual([kind, items.map(({ mode }) => mode)], ["UninstallPlanList", ["unused", "unused"]]);
  const kept = await uninstall(["--all-extensions", "--mode", "unused"], "n");
  assert.deepEqual([kept.exitCode, kept.text], [1, "Nothing was removed."]);

  const metadata = { name: "held", namespace: "all" };
  const object = { apiVersion: "ballast.demo.purser.dev/v1", kind: "Cache", metadata, spec: { sizeMi: 64 } };
  const made = await cluster.client.write({ verb: "create", type: caches, object }, never);
  assert.ok(made.ok, JSON.stringify(made));
  await assert.rejects(
    () => uninstall(["--all-extensions", "--mode", "everything", "--yes"]),
    (error) =>
      error instanceof UsageError &&
      error.message === "--all-extensions deletes no custom resources, and ext/ballast-cache has 1",
  );
  await cluster.client.write({ verb: "delete", type: caches, key: metadata }, never);
  assert.equal((await extensions()).length, 2);

  const removed = await uninstall(["--all-extensions", "--mode", "unused"], "y");
  assert.deepEqual(
    [removed.exitCode, removed.text],
    [0, "ok ext/semaphore-gateway is removed\nok ext/ballast-cache is removed"],
  );
  assert.deepEqual(await extensions(), []);
  assert.equal(await cluster.client.get(customResourceDefinitions, crd), undefined);
});

for (const [args, message] of [
  [[], /^uninstall needs an installation$/],
  [["ext/a", "--all-extensions"], /^--all-extensions and the installation "ext\/a" exclude each other$/],
  [["--all-extensions", "--confirm", "a"], /^--all-extensions and --confirm exclude each other$/],
  [["--all-extensions", "--plan", "sha256:0123abcd"], /^--all-extensions and --plan exclude each other$/],
  [["ext/a", "-l", "team=a"], /^--selector selects among several$/],
] as const)
  test(`uninstall ${args.join(" ")} is a usage error`, async () => {
    await assert.rejects(
      () => uninstall(args),
      (error) => error instanceof UsageError && message.test(error.message),
    );
  });
