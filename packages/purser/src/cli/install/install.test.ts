// install against the embedded cluster with the demo, over HTTP as a user runs it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { deployments, namespaces } from "@purser/kubernetes/apis/resources";
import { operatorGroups, subscriptions } from "../../apis/olm-resources.ts";
import type { ClusterExtension } from "../../apis/v1/cluster-extension.ts";
import { exitCodes } from "../exit-code.ts";
import { type DemoCluster, startDemoCluster } from "../testing/demo-cluster.ts";

let cluster: DemoCluster;
before(async () => {
  cluster = await startDemoCluster();
});
after(() => cluster.stop());

const withoutDigests = (text: string): readonly string[] =>
  text.replaceAll(/sha256:[0-9a-f]{64}/g, "sha256:...").split("\n");
const install = ["install", "semaphore-gateway", "-n", "sessions", "--create-namespace"];
const hasNamespace = async (name: string): Promise<boolean> =>
  (await cluster.client.get(namespaces, { name })) !== undefined;

test("install --as-extension sets selector, policy, CRD safety and labels, which a Subscription does not have", async () => {
  const choices = ["--catalog-selector", "olm.operatorframework.io/metadata.name in (demo),!beta"];
  const more = ["--upgrade-constraint-policy", "SelfCertified", "--crd-upgrade-safety", "None", "--label", "tier=own"];
  const args = ["install", "semaphore-gateway", "-n", "default", "--dry-run", "--unchecked", "-o", "json"];
  const { exitCode, data } = await cluster.purser([...args, "--as-extension", ...choices, ...more]);
  assert.equal(exitCode, 0);
  const { objects } = data as { readonly objects: { readonly items: readonly unknown[] } };
  assert.deepEqual(objects.items, [
    {
      apiVersion: "olm.operatorframework.io/v1",
      kind: "ClusterExtension",
      metadata: { name: "semaphore-gateway", labels: { tier: "own" } },
      spec: {
        namespace: "default",
        source: {
          sourceType: "Catalog",
          catalog: {
            packageName: "semaphore-gateway",
            selector: {
              matchExpressions: [
                { key: "olm.operatorframework.io/metadata.name", operator: "In", values: ["demo"] },
                { key: "beta", operator: "DoesNotExist" },
              ],
            },
            upgradeConstraintPolicy: "SelfCertified",
          },
        },
        install: { preflight: { crdUpgradeSafety: { enforcement: "None" } } },
      },
    },
  ]);
  await assert.rejects(cluster.purser([...args, "--label", "tier=own"]), /--label is for a ClusterExtension/);
  await assert.rejects(cluster.purser([...args, "--as-extension", "--catalog-selector", "a>1"]), /no < and >/);
});

test("an extension takes versions from several channels, which all have to exist, and a Subscription follows one", async () => {
  const args = [
    "install",
    "ballast-cache",
    "--name",
    "other",
    "-n",
    "default",
    "--dry-run",
    "--unchecked",
    "-o",
    "json",
  ];
  const both = [...args, "--channel", "stable", "--channel", "legacy"];
  const { data } = await cluster.purser([...both, "--as-extension"]);
  const [extension] = (data as unknown as { readonly objects: { readonly items: readonly ClusterExtension[] } }).objects
    .items;
  assert.deepEqual(extension?.spec?.source.catalog?.channels, ["stable", "legacy"]);
  const { exitCode } = await cluster.purser([...both, "--channel", "stabel", "--as-extension"]);
  assert.equal(exitCode, exitCodes.notFound);
  await assert.rejects(cluster.purser(both), /a Subscription follows one channel/);
});

test("a dependency whose objects belong to a ClusterExtension is refused before anything is written", async () => {
  const { exitCode, errors } = await cluster.purser([...install, "--yes"]);
  assert.equal(exitCode, 1);
  assert.match(
    errors,
    /^failed CustomResourceDefinition "caches\.ballast\.demo\.purser\.dev" of ballast-cache\.v0\.4\.1 belongs to ClusterExtension "ballast-cache"  ObjectOwnedElsewhere$/m,
  );
  assert.match(errors, /^ {2}do {4}purser status ext\/ballast-cache {6}see its owner$/m);
  assert.match(errors, /^ {2}or {4}purser uninstall ext\/ballast-cache {6}remove its owner and keep the data$/m);
  assert.equal(await hasNamespace("sessions"), false);
  await cluster.purser(["uninstall", "ext/ballast-cache", "--mode", "everything", "--yes"]);
});

test("a dry run shows what the package and its dependency bring, and writes nothing", async () => {
  const { exitCode, text, errors, data } = await cluster.purser([...install, "--dry-run"]);
  assert.deepEqual([exitCode, errors], [0, ""]);
  const lines = withoutDigests(text);
  assert.deepEqual(lines.slice(0, 4), [
    "Will install semaphore-gateway.v1.1.0 into sessions from olm/demo, channel stable, approval Automatic",
    "creates operator group sessions/sessions (all namespaces)",
    "Changes of sub/sessions/semaphore-gateway: install 1.1.0    sha256:...",
    "  objects     8 created",
  ]);
  assert.ok(
    lines.includes("  needs       ballast-cache.v0.4.1, for semaphore-gateway.v1.1.0 (Cache.ballast.demo.purser.dev)"),
    text,
  );
  assert.ok(lines.includes("Changes of dependency/sessions/ballast-cache: install 0.4.1    sha256:..."), text);
  assert.deepEqual(lines.slice(-4), [
    "Objects to create",
    "  Namespace sessions",
    "  OperatorGroup sessions/sessions",
    "  Subscription sessions/semaphore-gateway",
  ]);
  const { kind, installation, objects, changes } = data as {
    readonly kind: string;
    readonly installation: string;
    readonly objects: { readonly items: readonly { readonly kind: string }[] };
    readonly changes: { readonly kind: string; readonly items: readonly unknown[] };
  };
  assert.deepEqual(
    [kind, installation, objects.items.map((one) => one.kind), changes.kind, changes.items.length],
    ["Install", "sub/sessions/semaphore-gateway", ["Namespace", "OperatorGroup", "Subscription"], "ChangePlanList", 2],
  );
  assert.equal(await hasNamespace("sessions"), false);
});

test("a version below the head says that automatic approval goes on from it, and manual approval does not", async () => {
  const versioned = ["install", "semaphore-gateway@1.0.0", "-n", "sessions", "--create-namespace", "--dry-run"];
  const automatic = await cluster.purser(versioned);
  assert.deepEqual(automatic.text.split("\n").slice(0, 3), [
    "Will install semaphore-gateway.v1.0.0 into sessions from olm/demo, channel stable, approval Automatic",
    "is upgraded along its channel to semaphore-gateway.v1.1.0, because approval is Automatic; --approval Manual stops at semaphore-gateway.v1.0.0",
    "creates operator group sessions/sessions (all namespaces)",
  ]);
  const manual = await cluster.purser([...versioned, "--approval", "Manual"]);
  assert.equal(manual.text.split("\n")[1], "creates operator group sessions/sessions (all namespaces)");
  const head = await cluster.purser(["install", "semaphore-gateway@1.1.0", ...versioned.slice(2)]);
  assert.equal(head.text.split("\n")[1], "creates operator group sessions/sessions (all namespaces)");
});

const objectsOf = (data: unknown): readonly Readonly<Record<string, unknown>>[] =>
  (data as { readonly items: readonly Readonly<Record<string, unknown>>[] }).items;

test("without a namespace nothing is written: a terminal asks for it, a script has to name it", async () => {
  const args = ["install", "ballast-cache"];
  await assert.rejects(cluster.purser([...args, "--yes"]), /no namespace is named for the operator/);
  await assert.rejects(cluster.purser(args), /no namespace is named for the operator/);
  const answers = ["default", "n"];
  const asked = await cluster.purser(args, async () => answers.shift() ?? "");
  assert.match(
    asked.errors,
    /^Namespace to install into \[default\]: \nWill install ballast-cache\.v0\.4\.1 into default /,
  );
  assert.equal(asked.text, "Nothing was written.");
  const { text } = await cluster.purser([...args, "--request"]);
  assert.match(text, /purser install ballast-cache --namespace default /);
});

test("--request prints a note with the changes, the objects and the command that installs exactly that", async () => {
  const args = ["install", "ballast-cache@0.4.0", "-n", "asked", "--create-namespace", "--hold"];
  const note = await cluster.purser([...args, "--request", "--set", "resources.limits.memory=64Mi"]);
  const lines = withoutDigests(note.text);
  assert.deepEqual(lines.slice(0, 7), [
    "## Request: install `sub/asked/ballast-cache`",
    "",
    "- `Will install ballast-cache.v0.4.0 into asked from olm/demo, channel stable, approval Automatic`",
    "- `creates operator group asked/asked (all namespaces)`",
    "- `holds back upgrades by UpdatePolicy hold-ballast-cache; purser unhold sub/asked/ballast-cache ends that`",
    "",
    "### `sub/asked/ballast-cache`: install 0.4.0",
  ]);
  assert.ok(note.text.includes("  config:\n    resources:\n      limits:\n        memory: 64Mi\n"), note.text);
  const command = /Exactly these changes, or nothing: `purser (.+)`$/.exec(note.text)?.[1] ?? "";
  assert.match(
    command,
    /^install ballast-cache@0\.4\.0 --namespace asked --set resources\.limits\.memory=64Mi --create-namespace --hold --plan sha256:/,
  );
  const carriedOut = await cluster.purser([...command.split(" "), "--dry-run"]);
  assert.equal(carriedOut.exitCode, 0, carriedOut.errors);
  const { data } = await cluster.purser([...args, "--request", "-o", "yaml"]);
  assert.deepEqual(
    objectsOf(data).map(({ kind }) => kind),
    ["Namespace", "OperatorGroup", "UpdatePolicy", "Subscription"],
  );
  assert.equal(await hasNamespace("asked"), false);
});

test("a configuration that the installation cannot hold is refused before anything is written", async () => {
  const args = ["install", "ballast-cache", "-n", "asked", "--create-namespace", "--yes"];
  const rows: readonly (readonly [set: string, message: RegExp])[] = [
    ["resource.limits.memory=1", /unknown field resource$/],
    ["resources.limits=1Mi", /resources\.limits in body must be of type object/],
  ];
  for (const [set, message] of rows) await assert.rejects(cluster.purser([...args, "--set", set]), message);
  const extension = await cluster.purser([...args, "--as-extension", "--set", "watchNamespaces=here"]);
  assert.equal(extension.exitCode, 1);
  assert.match(extension.errors, /spec\.config\.inline\.watchNamespaces: .* ConfigurationInvalid$/m);
  assert.equal(await hasNamespace("asked"), false);
});

test("--dependencies and --set of a ClusterExtension are its annotation and its inline configuration", async () => {
  const args = ["install", "ballast-cache", "-n", "default", "--dry-run", "--unchecked", "--dependencies", "propose"];
  await assert.rejects(cluster.purser(args), /--dependencies is for a ClusterExtension/);
  const { data } = await cluster.purser([...args, "--as-extension", "--set", "deploymentConfig.env[0].name=A"]);
  const [extension] = objectsOf((data as { readonly objects: unknown }).objects);
  const { metadata, spec } = extension as unknown as ClusterExtension;
  assert.deepEqual(metadata.annotations, { "purser.dev/dependencies": "propose" });
  assert.deepEqual(spec?.config, { configType: "Inline", inline: { deploymentConfig: { env: [{ name: "A" }] } } });
});

test("a tier that does not suffice is refused; least-privilege installs with an account that has what is needed", async () => {
  const args = ["install", "semaphore-gateway@1.0.0", "-n", "guarded", "--create-namespace"];
  const bounded = await cluster.purser([...args, "--tier", "namespace-bounded", "--yes"]);
  assert.equal(bounded.exitCode, exitCodes.forbidden);
  assert.match(
    bounded.errors,
    /^failed semaphore-gateway\.v1\.0\.0 and ballast-cache\.v0\.4\.1 cannot be installed with --tier namespace-bounded; nothing was written {2}PermissionDenied\n {2}why {3}ServiceAccount guarded\/installer may not /,
  );
  const command = "purser install semaphore-gateway@1.0.0 --tier least-privilege -n guarded --create-namespace";
  assert.ok(bounded.errors.includes(command), bounded.errors);
  await assert.rejects(cluster.purser([...args, "--tier", "least-privilege", "--unchecked"]), /--tier and --unchecked/);
  await assert.rejects(cluster.purser([...args, "--tier", "least-privilege", "--as-extension"]), /--tier is for a Sub/);
  const more = ["--hold", "--set", "resources.limits.memory=64Mi", "--yes", "--timeout", "3m"];
  const ran = await cluster.purser([...args, "--tier", "least-privilege", ...more]);
  assert.deepEqual(
    [ran.exitCode, ran.text],
    [0, "ok semaphore-gateway 1.0.0 is ready as sub/guarded/semaphore-gateway"],
    ran.errors,
  );
  const [group] = await cluster.client.list(operatorGroups, { namespace: "guarded" });
  assert.equal(group?.spec?.serviceAccountName, "installer");
  const key = { namespace: "guarded", name: "semaphore-gateway-controller" };
  const [container] = (await cluster.client.get(deployments, key))?.spec?.template.spec?.containers ?? [];
  assert.deepEqual(container?.resources, { limits: { memory: "64Mi" } });
  const held = await cluster.purser(["explain", "sub/guarded/semaphore-gateway"]);
  assert.match(held.text, /VersionHeld/);
  const again = await cluster.purser(["install", "ballast-cache", "-n", "guarded", "--tier", "least-privilege"]);
  assert.match(again.errors, /--tier least-privilege is for a new operator group, and guarded\/guarded installs as/);
  // Rights for all namespaces are given after the operator is ready: they are part of what is removed.
  await cluster.settled();
  const all = ["--mode", "everything", "--with-dependencies", "--yes"];
  const removed = await cluster.purser(["uninstall", "sub/guarded/semaphore-gateway", ...all]);
  assert.equal(removed.exitCode, 0, removed.errors);
});

test("a bundle that cannot be read is refused before anything is written, with a command that installs it", async () => {
  const { exitCode, errors } = await cluster.elsewhere([...install, "--yes"]);
  assert.equal(exitCode, 1);
  const lines = errors.split("\n");
  assert.match(lines[0] ?? "", /The objects of semaphore-gateway\.v1\.1\.0 are unknown: .* +BundleUnavailable$/);
  assert.equal(await hasNamespace("sessions"), false);
  const command = /purser (install .+ --unchecked)/.exec(errors)?.[1] ?? "";
  assert.equal(command, "install semaphore-gateway --namespace sessions --create-namespace --unchecked", errors);
  const dry = await cluster.elsewhere([...install, "--dry-run"]);
  assert.equal(dry.exitCode, 0);
  assert.match(dry.text, /^ {2}changes {5}unknown: The objects of semaphore-gateway/m);
});

test("a package that is installed is not installed a second time, in the namespace or through the other family", async () => {
  const twice = await cluster.purser(["install", "logbook-db", "--name", "second", "-n", "demo-logbook", "--yes"]);
  assert.equal(twice.exitCode, 1);
  assert.deepEqual(twice.errors.split("\n").slice(0, 1), [
    "failed logbook-db is already installed as sub/demo-logbook/logbook-db (1.0.0)  PackageConflict",
  ]);
  const commands = [...twice.errors.matchAll(/do {4}purser (.+?) {2,}/g)].map(([, command = ""]) => command);
  for (const command of commands) assert.equal((await cluster.purser(command.split(" "))).exitCode, 0, command);
  const other = await cluster.purser(["install", "logbook-db", "--as-extension", "-n", "demo-logbook", "--yes"]);
  assert.match(other.errors, /already installed as sub\/demo-logbook\/logbook-db/);
  const names = (await cluster.client.list(subscriptions)).map(({ metadata }) => metadata.name);
  assert.deepEqual(names, ["logbook-db"]);
});

test("a name that another package has is refused, with a command that takes another name", async () => {
  const args = ["install", "ballast-cache", "--name", "logbook-db", "-n", "demo-logbook", "--yes"];
  const { exitCode, errors } = await cluster.purser(args);
  assert.equal(exitCode, exitCodes.conflict);
  const command = /purser (install .+?) {6}install it under another name$/m.exec(errors)?.[1] ?? "";
  assert.equal(command, "install ballast-cache --namespace demo-logbook --name ballast-cache-2", errors);
  const again = await cluster.purser([...command.split(" "), "--dry-run"]);
  assert.match(again.text, /^Will install ballast-cache/);
});

test("an installation that is not confirmed writes nothing, and a confirmed one shows its changes first", async () => {
  const no = await cluster.purser(install, "n");
  assert.deepEqual([no.exitCode, no.text], [1, "Nothing was written."]);
  assert.equal(await hasNamespace("sessions"), false);
  const yes = await cluster.purser(install, "y");
  assert.deepEqual(
    [yes.exitCode, yes.text],
    [0, "ok semaphore-gateway 1.1.0 is ready as sub/sessions/semaphore-gateway"],
  );
  assert.match(yes.errors, /Changes of sub\/sessions\/semaphore-gateway: install 1\.1\.0[^]*Continue\?/);
  assert.equal((await cluster.client.list(operatorGroups, { namespace: "sessions" })).length, 1);
});
