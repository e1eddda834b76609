// Every remedy that the explanations of the failing worlds print is carried out on the embedded API server, in the world that
// printed it; the world that results is resolved again. Worlds: resolver/testing/failing-worlds.yaml.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { JsonValue } from "@purser/kubernetes/json";
import { createClient, type KubeClient } from "@purser/kubernetes/kube/client";
import { written } from "@purser/kubernetes/kube/refusal";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { systemEntropy } from "@purser/kubernetes/system/system-entropy";
import { readYaml } from "@purser/kubernetes/text/documents";
import { startApiServer } from "@purser/apiserver";
import {
  catalogSources,
  clusterCatalogs,
  clusterExtensions,
  clusterServiceVersions,
  operatorGroups,
  subscriptions,
} from "../../apis/olm-resources.ts";
import { improved } from "../../compat.ts";
import { ensureNamespace } from "../../engine/catalog-objects.ts";
import { applyOwnCrds } from "../../engine/own-manifests.ts";
import type { Explanation, Remedy } from "../../explanation/explanation.ts";
import { resolveNow } from "../../resolver/resolution.ts";
import {
  type ShortExtension,
  shortExtension,
  type ShortNamespace,
  shortNamespace,
} from "../../resolver/testing/short-world.ts";
import { resolveNamespace } from "../../resolver/v0/resolve-namespace.ts";
import type { NamespaceInput } from "../../resolver/v0/input.ts";
import type { ExtensionInput } from "../../resolver/v1/input.ts";
import { resolveExtension } from "../../resolver/v1/resolve-extension.ts";
import { commands } from "../commands.ts";
import { parseArguments } from "../program.ts";
import { runPurser } from "../testing/run-purser.ts";
import { randomWorlds } from "./testing/random-worlds.ts";
import { remedyTypes, runKubectl, wordsOf } from "../testing/run-remedy.ts";

interface FailingWorld {
  readonly name: string;
  readonly v0?: ShortNamespace;
  readonly v1?: ShortExtension;
}

const file = new URL("../../resolver/testing/failing-worlds.yaml", import.meta.url);
const read = readYaml(readFileSync(file, "utf8"));
assert.ok(read.ok);
const worlds = read.value as unknown as readonly FailingWorld[];

const never = new AbortController().signal;
const directory = mkdtempSync(join(tmpdir(), "purser-remedies-"));
const env = { KUBECONFIG: join(directory, "kubeconfig"), PURSER_CACHE_DIR: join(directory, "cache"), HOME: directory };
const types = remedyTypes;
let client: KubeClient;
let stop: () => Promise<void>;
before(async () => {
  const started = await startApiServer({
    clock: systemClock,
    entropy: systemEntropy,
    port: 0,
    report: () => undefined,
  });
  assert.ok(started.ok);
  writeFileSync(env.KUBECONFIG, started.value.kubeconfig);
  client = createClient(started.value.server.transport());
  stop = async () => started.value.stop();
  await applyOwnCrds(client, systemClock, never, improved);
  for (const name of ["ns", "olm", "other", "tools"]) await ensureNamespace(client, name, never);
});
after(async () => {
  await stop();
  rmSync(directory, { recursive: true, force: true });
});

/** A world in the cluster: its objects, and what resolution says of them as they are. */
interface Standing {
  readonly objects: readonly (readonly [type: ResourceType, object: KubeObject])[];
  refusal(): Promise<Explanation | undefined>;
}

const namespaced = (input: NamespaceInput): Standing => ({
  objects: [
    ...input.catalogs.map(({ key, priority }) => {
      const spec = { sourceType: "grpc", image: "example.com/c:1", priority };
      return [catalogSources, { ...head(catalogSources), metadata: key, spec }] as const;
    }),
    ...input.subscriptions.map((one) => [subscriptions, one] as const),
    ...input.clusterServiceVersions.map((one) => [clusterServiceVersions, one] as const),
    ...input.operatorGroups.map((one) => [operatorGroups, one] as const),
  ],
  async refusal() {
    const sources = await client.list(catalogSources);
    const outcome = resolveNow(
      resolveNamespace({
        ...input,
        catalogs: input.catalogs.filter(({ key }) =>
          sources.some(({ metadata }) => metadata.name === key.name && metadata.namespace === key.namespace),
        ),
        subscriptions: await client.list(subscriptions, { namespace: "ns" }),
        clusterServiceVersions: await client.list(clusterServiceVersions, { namespace: "ns" }),
        operatorGroups: await client.list(operatorGroups, { namespace: "ns" }),
      }),
    );
    return outcome.kind === "resolved" ? undefined : outcome.explanation;
  },
});

const extended = (input: ExtensionInput): Standing => ({
  objects: [
    ...input.catalogs.map(({ catalog }) => {
      const source = { type: "Image", image: { ref: "example.com/c:1" } };
      return [clusterCatalogs, { ...catalog, spec: { ...catalog.spec, source } }] as const;
    }),
    [
      clusterExtensions,
      {
        ...head(clusterExtensions),
        metadata: { name: input.name },
        spec: { namespace: "tools", source: { sourceType: "Catalog", catalog: input.filter } },
        ...(input.installed === undefined ? {} : { status: { install: { bundle: input.installed } } }),
      },
    ] as const,
  ],
  async refusal() {
    const live = await client.list(clusterCatalogs);
    const extension = await client.get(clusterExtensions, { name: input.name });
    const filter = extension?.spec?.source.catalog;
    if (filter === undefined) return undefined;
    const catalogs = input.catalogs.flatMap(({ catalog, content }) => {
      const found = live.find(({ metadata }) => metadata.name === catalog.metadata.name);
      return found === undefined ? [] : [{ catalog: found, content }];
    });
    const outcome = resolveNow(resolveExtension({ ...input, filter, catalogs }));
    return outcome.kind === "resolved" ? undefined : outcome.explanation;
  },
});

const head = ({ group, version, kind }: ResourceType) => ({ apiVersion: `${group}/${version}`, kind });
const keyOf = ({ metadata: { namespace, name = "" } }: KubeObject) =>
  namespace === undefined ? { name } : { namespace, name };

async function put(standing: Standing): Promise<void> {
  for (const [type, object] of standing.objects) {
    const { status, ...rest } = object as KubeObject & { readonly status?: JsonValue };
    const made = await client.write({ verb: "create", type, object: rest }, never);
    // A world with an object that the API server refuses is judged without it.
    if (!made.ok) throw new Unstorable(made.problem.status.message ?? "");
    if (status === undefined) continue;
    const patch = { status: { ...(status as object), ...(type === subscriptions ? { lastUpdated: aTime } : {}) } };
    const key = keyOf(object);
    const shown = await client.write(
      { verb: "patch", type, key, patchType: "merge", patch, subresource: "status" },
      never,
    );
    if (!shown.ok) throw new Unstorable(shown.problem.status.message ?? "");
  }
}

const aTime = "2026-01-01T00:00:00Z";

class Unstorable extends Error {}

async function clear(): Promise<void> {
  for (const type of types)
    for (const object of await client.list(type))
      written(await client.write({ verb: "delete", type, key: keyOf(object) }, never));
}

/** Commands that need catalogs or bundles on the machine: read here, carried out by the tests of the command. */
const readOnly = new Set([
  "install",
  "adopt",
  "explain",
  "show",
  "policy",
  "unhold",
  "approve",
  "list",
  "plan",
  "upgrade",
  "source",
]);

type Tried = "changed" | "looked" | "parsed" | "advice";

async function carryOut({ command }: Remedy): Promise<Tried> {
  if (command === undefined) return "advice";
  if (!command.startsWith("purser ")) return runKubectl(client, command);
  const [, ...words] = wordsOf(command);
  assert.equal((await parseArguments("purser", commands, words)).kind, "run", command);
  if (readOnly.has(words[0] ?? "")) return "parsed";
  const ran = await runPurser([...words, "--yes"], { env });
  assert.equal(ran.exitCode, 0, `${command}: ${ran.errors}`);
  return "changed";
}

/** Carries out each remedy in the world that stands, which it makes again before the second one, and resolves what results. */
async function tryRemedies(
  standing: Standing,
  refusal: Explanation,
): Promise<readonly { readonly how: Tried; readonly remedy: Remedy; readonly next: Explanation | undefined }[]> {
  const tried: { how: Tried; remedy: Remedy; next: Explanation | undefined }[] = [];
  for (const [at, remedy] of refusal.remedies.entries()) {
    if (at > 0) {
      await clear();
      await put(standing);
    }
    const before = new Set(
      (await Promise.all(types.map((type) => client.list(type)))).flat().map(({ metadata }) => metadata.uid),
    );
    const how = await carryOut(remedy);
    const left = await Promise.all(types.map((type) => client.list(type)));
    const deleted = before.size - left.flat().filter(({ metadata }) => before.has(metadata.uid)).length;
    if (how === "changed")
      assert.equal(deleted > 0, remedy.deletes !== undefined, `${remedy.summary}: ${deleted} objects are deleted`);
    const next = how === "changed" ? await standing.refusal() : undefined;
    tried.push({ how, remedy, next });
    assert.ok(
      next === undefined || next.code !== refusal.code || next.summary !== refusal.summary,
      `${remedy.command} leaves the cause: ${next?.summary}`,
    );
  }
  return tried;
}

const counts: Record<Tried, number> = { changed: 0, looked: 0, parsed: 0, advice: 0 };
const unstorable: string[] = [];
const nextStates: string[] = [];

for (const world of worlds)
  test(`its remedies work: ${world.name}`, async () => {
    const standing =
      world.v0 === undefined
        ? extended(shortExtension(world.v1 as ShortExtension))
        : namespaced(shortNamespace(world.v0));
    await clear();
    try {
      await put(standing);
    } catch (error) {
      if (!(error instanceof Unstorable)) throw error;
      unstorable.push(world.name);
      return;
    }
    const refusal = await standing.refusal();
    assert.ok(refusal !== undefined, "the world is refused in the cluster too");
    const tried = await tryRemedies(standing, refusal);
    for (const { how, remedy, next } of tried) {
      counts[how]++;
      if (next !== undefined) nextStates.push(`${world.name}: ${remedy.summary}: ${next.summary} (${next.code})`);
    }
  });

test("all but four of the remedies that change something end the refusal, and those four leave what was wrong besides", () => {
  assert.deepEqual(unstorable, ["range that is none", "installed version cannot be read"]);
  assert.deepEqual(nextStates, [
    "two unreachable catalogs that nobody asked for: Delete catalog olm/b, which serves all namespaces: Nothing is decided in ns while catalog ns/a cannot be read: timeout (CatalogUnavailable)",
    "three operator groups: Delete OperatorGroup b: Namespace ns has 2 OperatorGroups (a and c); operators need exactly one (OperatorGroupAmbiguous)",
    "three operator groups: Delete OperatorGroup c: Namespace ns has 2 OperatorGroups (a and b); operators need exactly one (OperatorGroupAmbiguous)",
    "two broken subscriptions, the first is explained: Delete Subscription first: Subscription second asks for package b, which catalog olm/cat does not have (PackageNotFound)",
  ]);
  assert.deepEqual(counts, { changed: 64, looked: 4, parsed: 18, advice: 12 });
});

const { PURSER_TEST_RANDOM_WORLDS: sample = "24" } = process.env;

test("in random worlds every remedy is accepted and ends the cause that printed it", async () => {
  let refused = 0;
  for (const [number, random] of randomWorlds(18, Number(sample)).entries()) {
    const standing =
      random.kind === "v0" ? namespaced(shortNamespace(random.world)) : extended(shortExtension(random.world));
    await clear();
    await put(standing);
    const refusal = await standing.refusal();
    if (refusal === undefined) continue;
    refused++;
    try {
      await tryRemedies(standing, refusal);
    } catch (error) {
      throw new Error(`world ${number}: ${JSON.stringify(random)}`, { cause: error });
    }
  }
  assert.ok(refused * 2 > Number(sample), `${refused} of ${sample} worlds are refused`);
});
