// Failing worlds on a whole embedded cluster: what purser explain prints is carried out word by word, in the world that printed
// it, until the cause is gone. For worlds of resolution alone see remedies.test.ts.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { customResourceDefinitions, namespaces } from "@purser/kubernetes/apis/resources";
import { written, writtenUnlessDeleted } from "@purser/kubernetes/kube/refusal";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { clusterExtensions, operatorGroups, subscriptions } from "../../apis/olm-resources.ts";
import { type DemoCluster, startDemoCluster } from "../testing/demo-cluster.ts";
import { runKubectl, wordsOf } from "../testing/run-remedy.ts";

const never = new AbortController().signal;
let cluster: DemoCluster;
before(async () => {
  cluster = await startDemoCluster();
});
after(() => cluster.stop());

interface LiveWorld {
  readonly name: string;
  /** What `purser explain` is asked about. */
  readonly asked: readonly string[];
  /** A sentence of the explanation, which ends with the cause. */
  readonly says: RegExp;
  make(): Promise<void>;
  /** Removes what the world and its remedies left. */
  clear(): Promise<void>;
  /** Remedies after which another cause, or a state that a person chose, is right; by the first words of the command. */
  readonly leaves?: Readonly<Record<string, RegExp>>;
}

const create = async (type: ResourceType, object: object): Promise<void> => {
  written(await cluster.client.write({ verb: "create", type, object: object as KubeObject }, never));
};
async function remove(type: ResourceType, key: object): Promise<void> {
  writtenUnlessDeleted(await cluster.client.write({ verb: "delete", type, key: key as never }, never));
  for (let tries = 0; (await cluster.client.get(type, key as never)) !== undefined; tries++) {
    assert.ok(tries < 2000, `${type.kind} ${JSON.stringify(key)} stays`);
    await systemClock.sleep(20, never);
  }
}
const space = (name: string): Promise<void> =>
  create(namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
const group = (namespace: string, name = namespace, spec: object = { targetNamespaces: [namespace] }): Promise<void> =>
  create(operatorGroups, {
    apiVersion: "operators.coreos.com/v1",
    kind: "OperatorGroup",
    metadata: { namespace, name },
    spec,
  });
const subscription = (namespace: string, name: string, spec: object = {}): Promise<void> =>
  create(subscriptions, {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "Subscription",
    metadata: { namespace, name },
    spec: { name, channel: "stable", source: "demo", sourceNamespace: "olm", ...spec },
  });
const extension = (name: string, catalog: object, namespace = "tools"): Promise<void> =>
  create(clusterExtensions, {
    apiVersion: "olm.operatorframework.io/v1",
    kind: "ClusterExtension",
    metadata: { name },
    spec: { namespace, source: { sourceType: "Catalog", catalog: { packageName: "logbook-db", ...catalog } } },
  });

const tenantOf = (namespace: string) => ({
  make: async (spec: object, name = "semaphore-gateway"): Promise<void> => {
    await space(namespace);
    await group(namespace);
    await subscription(namespace, name, spec);
  },
  clear: (): Promise<void> => remove(namespaces, { name: namespace }),
});

/** Without ballast-cache as a ClusterExtension nothing collides with semaphore-gateway. */
const v0 = (name: string, spec: object, says: RegExp, leaves?: LiveWorld["leaves"]): LiveWorld => {
  const tenant = tenantOf("tenant");
  return {
    name,
    asked: ["sub/tenant/ballast-cache"],
    says,
    make: () => tenant.make(spec, "ballast-cache"),
    clear: tenant.clear,
    ...(leaves === undefined ? {} : { leaves }),
  };
};

const v1 = (name: string, catalog: object, says: RegExp, leaves?: LiveWorld["leaves"]): LiveWorld => ({
  name,
  asked: ["ext/semaphore-gateway"],
  says,
  async make() {
    await space("tools");
    await extension("semaphore-gateway", { packageName: "semaphore-gateway", ...catalog });
  },
  async clear() {
    await remove(clusterExtensions, { name: "semaphore-gateway" });
    await remove(namespaces, { name: "tools" });
  },
  ...(leaves === undefined ? {} : { leaves }),
});

const worlds: readonly LiveWorld[] = [
  v0("a Subscription to a channel that does not exist", { channel: "stabel" }, /\(ChannelNotFound\)/, {
    "purser set": /ObjectOwnedElsewhere/,
  }),
  v0("a Subscription to a package of a similar name", { name: "balast-cache" }, /\(PackageNotFound\)/, {
    "purser set": /ObjectOwnedElsewhere/,
  }),
  v0("a Subscription to a catalog that does not exist", { source: "dmo" }, /\(CatalogNotFound\)/, {
    "purser set": /ObjectOwnedElsewhere/,
  }),
  v0(
    "a Subscription that starts at a version that does not exist",
    { startingCSV: "ballast-cache.v0.4.9" },
    /\(VersionNotFound\)/,
    {
      "purser set": /ObjectOwnedElsewhere/,
    },
  ),
  {
    name: "a namespace with two OperatorGroups",
    asked: ["sub/tenant/ballast-cache"],
    says: /\(OperatorGroupAmbiguous\)/,
    async make() {
      await space("tenant");
      await group("tenant", "one");
      await group("tenant", "two");
      await subscription("tenant", "ballast-cache");
    },
    clear: () => remove(namespaces, { name: "tenant" }),
    leaves: { "kubectl delete": /ObjectOwnedElsewhere/ },
  },
  {
    name: "a namespace without an OperatorGroup",
    asked: ["sub/tenant/ballast-cache"],
    says: /\(OperatorGroupMissing\)/,
    async make() {
      await space("tenant");
      await subscription("tenant", "ballast-cache");
    },
    clear: () => remove(namespaces, { name: "tenant" }),
    leaves: { "printf ": /ObjectOwnedElsewhere/ },
  },
  v1("a ClusterExtension with a range that nothing fits", { version: ">=9" }, /\(NoVersionInRange\)/),
  v1("a ClusterExtension with a channel that does not exist", { channels: ["beta"] }, /\(ChannelNotFound\)/),
  v1(
    "a ClusterExtension of a package of a similar name",
    { packageName: "semaphor-gateway" },
    /asks for package semaphor-gateway/,
  ),
  {
    name: "a ClusterExtension whose CustomResourceDefinition a Subscription owns",
    asked: ["ext/logbook"],
    says: /ObjectOwnedElsewhere/,
    async make() {
      await space("tools");
      await extension("logbook", {});
    },
    async clear() {
      await remove(clusterExtensions, { name: "logbook" });
      await remove(namespaces, { name: "tools" });
    },
  },
  {
    name: "a ClusterExtension whose namespace was deleted",
    asked: ["ext/semaphore-gateway"],
    says: /does not exist/,
    make: () => extension("semaphore-gateway", { packageName: "semaphore-gateway" }),
    async clear() {
      await remove(clusterExtensions, { name: "semaphore-gateway" });
      await remove(namespaces, { name: "tools" });
    },
  },
  {
    name: "a roll-out whose pods crash",
    asked: ["ext/semaphore-gateway"],
    says: /sim\/result=crash/,
    async make() {
      await create(namespaces, {
        apiVersion: "v1",
        kind: "Namespace",
        metadata: { name: "tools", annotations: { "sim/result": "crash" } },
      });
      await extension("semaphore-gateway", { packageName: "semaphore-gateway" });
    },
    async clear() {
      await remove(clusterExtensions, { name: "semaphore-gateway" });
      await remove(namespaces, { name: "tools" });
    },
  },
];

/** A look takes some 50 ms on an idle machine. */
const mostLooks = 150;

/** The commands of an explanation, as they are printed. */
function commandsIn(text: string): readonly string[] {
  return text.split("\n").flatMap((line) => {
    const [, command] =
      /^(?: {5}|(?:fix|see|Next): | {2}(?:do|or) {4})((?:purser|kubectl|printf) .*?)(?: {6}\S.*)?$/.exec(line) ?? [];
    return command === undefined ? [] : [command];
  });
}

async function explained({ asked, says }: LiveWorld): Promise<string> {
  for (let tries = 0; ; tries++) {
    const { text, errors } = await cluster.purser(["explain", ...asked]);
    const said = `${text}\n${errors}`;
    if (says.test(said)) return said;
    assert.ok(tries < mostLooks, `it is not refused as the world says:\n${said}`);
    await systemClock.sleep(50, never);
  }
}

/** Runs the command line. `looked`: nothing was changed by it. */
async function run(command: string): Promise<"changed" | "looked"> {
  if (!command.startsWith("purser ")) return runKubectl(cluster.client, command);
  const [, ...words] = wordsOf(command);
  const isLook =
    ["status", "explain", "show", "list", "plan", "policy", "events"].includes(words[0] ?? "") ||
    words.includes("--dry-run");
  const ran = await cluster.purser(isLook ? words : [...words, "--yes", "--no-wait"]);
  assert.equal(ran.exitCode, 0, `${command}: ${ran.errors}`);
  return isLook ? "looked" : "changed";
}

for (const world of worlds)
  test(`the remedies work: ${world.name}`, async () => {
    await world.make();
    let commands: readonly string[];
    try {
      commands = commandsIn(await explained(world));
    } finally {
      await world.clear();
    }
    assert.ok(commands.length > 0, "a remedy with a command is printed");
    for (const command of commands) {
      await world.make();
      try {
        await explained(world);
        const crds = await cluster.client.list(customResourceDefinitions);
        if ((await run(command)) === "looked") continue;
        await healed(world, command);
        const left = await cluster.client.list(customResourceDefinitions);
        const saysSo = /--mode (everything|unused)/.test(command);
        assert.ok(
          saysSo || left.length >= crds.length,
          `${command} deletes a CustomResourceDefinition without saying so`,
        );
      } finally {
        await world.clear();
      }
    }
  });

/** Waits until the cause is gone, or the next documented one is there. */
async function healed({ asked, says, leaves = {} }: LiveWorld, command: string): Promise<void> {
  const [, next] = Object.entries(leaves).find(([start]) => command.startsWith(start)) ?? [];
  for (let tries = 0; ; tries++) {
    const { text, errors } = await cluster.purser(["explain", ...asked]);
    const said = `${text}\n${errors}`;
    if (next === undefined ? !says.test(said) : next.test(said)) return;
    assert.ok(tries < mostLooks, `${command} leaves:\n${said}`);
    await systemClock.sleep(50, never);
  }
}
