// Worlds of OLM v0 that take more than one pass: what is written about each object, in order, and what stays when all is deleted.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { type KubeObject, keyOf, type ObjectKey } from "@purser/kubernetes/apis/object";
import { parseApiVersion, type ResourceType } from "@purser/kubernetes/apis/resource-type";
import {
  apiServices,
  customResourceDefinitions,
  deployments,
  namespaces,
  pods,
  roleBindings,
  secrets,
  services,
} from "@purser/kubernetes/apis/resources";
import { issueAuthority, issueServing } from "@purser/kubernetes/certificate/certificate";
import { SeededEntropy } from "@purser/kubernetes/entropy";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { createDiscovery } from "@purser/kubernetes/kube/discovery";
import { readYaml } from "@purser/kubernetes/text/documents";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import {
  catalogSources,
  clusterServiceVersions,
  installPlans,
  operatorGroups,
  operators,
  subscriptions,
} from "../apis/olm-resources.ts";
import { globalNamespace } from "../apis/own-namespaces.ts";
import { stateSince, storedObjects } from "./testing/cluster-state.ts";
import { historyObject, textOf } from "./testing/history-objects.ts";
import { type History, HistoryRecord } from "./testing/history-record.ts";
import { ServingOperators } from "./testing/serving-operators.ts";
import { timePasses } from "./testing/passing-time.ts";
import { World } from "./testing/world.ts";

interface HistoryWorld {
  readonly name: string;
  /** The namespaces that it makes. */
  readonly namespaces: readonly string[];
  /** The CSVs of the first step are created in each order of these names. */
  readonly orders?: readonly string[];
  readonly steps: readonly Step[];
}

/** One step, then everything comes to rest; `history` is what the engine wrote since the last step that has one. */
interface Step {
  readonly create?: readonly JsonObject[];
  readonly change?: { readonly object: string; readonly patch: JsonValue; readonly status?: true };
  readonly delete?: readonly string[];
  readonly approve?: string;
  readonly pass?: number;
  /** `NAMESPACE/SECRET`: it holds an authority and a certificate that have expired. */
  readonly expire?: string;
  /** A namespace, one of whose pods is not ready from now on. */
  readonly unready?: string;
  /** Versions in which an object can be read. */
  readonly readable?: { readonly object: string; readonly group: string; readonly versions: readonly string[] };
  /** `csv NAMESPACE/NAME PHASE`, `deployment NAMESPACE/NAME REPLICAS` (available): content is read by another thread, for which the engine does not wait to be idle. */
  readonly until?: string;
  readonly history?: Readonly<Record<string, string | readonly string[]>>;
}

const types: Readonly<Record<string, ResourceType>> = {
  api: apiServices,
  binding: roleBindings,
  csv: clusterServiceVersions,
  deployment: deployments,
  namespace: namespaces,
  secret: secrets,
  service: services,
  sub: subscriptions,
  group: operatorGroups,
  crd: customResourceDefinitions,
};

const dayMs = 24 * 3_600_000;
let clock: VirtualClock;
let world: World;
let serving: ServingOperators;

async function open(behindMs: number): Promise<void> {
  clock = new VirtualClock(Date.now() - behindMs);
  world = await World.open({ clock });
  serving = await ServingOperators.open(world);
  const demo = { namespace: globalNamespace, name: "demo" };
  await world.reaches(
    catalogSources,
    demo,
    "READY",
    ({ status }) => status?.connectionState?.lastObservedState === "READY",
  );
}

async function close(): Promise<void> {
  await world?.stop();
  await serving?.stop();
}

function target(text: string): readonly [ResourceType, ObjectKey] {
  const [kind = "", place = ""] = text.split(" ");
  const type = types[kind];
  assert.ok(type !== undefined, `unknown kind in "${text}"`);
  const [first = "", name] = place.split("/");
  return [type, name === undefined ? { name: first } : { namespace: first, name }];
}

async function create(object: KubeObject): Promise<void> {
  const { apiVersion, kind } = object;
  const type = await createDiscovery(world.client).typeOf({ ...parseApiVersion(apiVersion), kind });
  assert.ok(type !== undefined, kind);
  await world.create(type, object);
}

async function play(step: Step): Promise<void> {
  for (const short of step.create ?? []) await create(serving.withPort(historyObject(short)));
  if (step.change !== undefined) {
    const [type, key] = target(step.change.object);
    if (step.change.status === true) await world.mergeStatus(type, key, step.change.patch);
    else await world.merge(type, key, step.change.patch);
  }
  for (const text of step.delete ?? []) await world.remove(...target(text));
  if (step.approve !== undefined) {
    const [namespace = "", csv = ""] = step.approve.split("/");
    await world.approve(namespace, csv);
  }
  if (step.expire !== undefined) await expire(step.expire);
  if (step.unready !== undefined) {
    const [pod] = await world.client.list(pods, { namespace: step.unready });
    assert.ok(pod !== undefined);
    await world.merge(pods, keyOf(pod), { metadata: { annotations: { "sim/result": "never-ready" } } });
  }
  if (step.readable !== undefined) await isReadable(step.readable);
  if (step.pass !== undefined) await timePasses(world, clock, step.pass * 1000);
  if (step.until !== undefined) await until(step.until);
  // What a conflict or a pause of the engine's clock holds up.
  await timePasses(world, clock, 1_000);
}

async function expire(place: string): Promise<void> {
  const [namespace = "", name = ""] = place.split("/");
  const issuing = { entropy: new SeededEntropy(1), now: Date.now() - 4 * dayMs, validityMs: dayMs };
  const authority = await issueAuthority({ ...issuing, commonName: "expired" });
  const serves = await issueServing({
    ...issuing,
    authority,
    hosts: [`${name.replace(/-cert$/, "")}.${namespace}.svc`],
  });
  const data = {
    olmCAKey: btoa(authority.certificatePem),
    "tls.crt": btoa(serves.certificatePem),
    "tls.key": btoa(serves.privateKeyPem),
  };
  await world.merge(secrets, { namespace, name }, { data });
}

async function isReadable({ object, group, versions }: NonNullable<Step["readable"]>): Promise<void> {
  const [namespace = "", name = ""] = object.split("/");
  for (const version of versions) {
    const path = `/apis/${group}/${version}/namespaces/${namespace}/things/${name}`;
    const read = await world.client.requestJson({ method: "GET", path }, new AbortController().signal);
    assert.equal((read as JsonObject)["apiVersion"], `${group}/${version}`);
  }
}

async function until(text: string): Promise<void> {
  const words = text.split(" ");
  const wanted = words[2] ?? "";
  const [type, key] = target(text);
  await world.until(text, async () => {
    const { status = {} } = ((await world.client.get(type, key)) ?? {}) as { readonly status?: JsonObject };
    if ([status["phase"], status["state"], textOf(status["availableReplicas"] ?? 0)].includes(wanted)) return true;
    await timePasses(world, clock, 100);
    return false;
  });
}

/** Deletes what the world made and what follows from it, and looks for what stays. */
async function empty({ namespaces: places }: HistoryWorld, start: ReadonlyMap<string, KubeObject>): Promise<void> {
  const made: readonly ResourceType[] = [subscriptions, clusterServiceVersions, installPlans, operatorGroups];
  for (const type of made)
    for (const namespace of places)
      for (const object of await world.client.list(type, { namespace }))
        await world.client.write({ verb: "delete", type, key: keyOf(object) }, new AbortController().signal);
  await world.settled();
  await timePasses(world, clock, 60_000);
  for (const { metadata } of await world.client.list(customResourceDefinitions))
    if (!start.has(metadata.uid ?? "")) await world.remove(customResourceDefinitions, { name: metadata.name ?? "" });
  await world.settled();
  for (const object of await world.client.list(operators)) await world.remove(operators, keyOf(object));
  let found: readonly string[] = [];
  const isEmpty = async (): Promise<boolean> => {
    const kept = (key: string): boolean => places.some((name) => key === `Namespace ${name}`) || isOfNamespaces(key);
    found = Object.keys(await stateSince(world.client, start)).filter((key) => !kept(key));
    return found.length === 0;
  };
  // The workload simulator and the garbage collector work in real time.
  await world.until("an empty difference", isEmpty, { seen: async () => found });
  for (const name of places) await world.remove(namespaces, { name });
  for (const name of places) await world.vanishes(namespaces, { name });
}

/** What every namespace has of its own. */
const isOfNamespaces = (key: string): boolean =>
  /^(ServiceAccount \S+\/default|ConfigMap \S+\/kube-root-ca\.crt)$/.test(key);

const wantedOf = (history: NonNullable<Step["history"]>): History =>
  Object.fromEntries(Object.entries(history).map(([about, lines]) => [about, [lines].flat()]));

function* permutations<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  if (items.length === 0) yield [];
  for (const [index, item] of items.entries())
    for (const rest of permutations(items.toSpliced(index, 1))) yield [item, ...rest];
}

/** The worlds with their orders. */
function* variants(one: HistoryWorld): Generator<HistoryWorld> {
  const { orders } = one;
  if (orders === undefined) yield one;
  else
    for (const order of permutations(orders)) {
      const [first = {}, ...rest] = one.steps;
      const place = (short: JsonObject): number => order.indexOf(textOf((short["csv"] as JsonObject)["name"]));
      const create = (first.create ?? []).toSorted((a, b) => place(a) - place(b));
      yield { ...one, name: `${one.name} (${order.join(", ")})`, steps: [{ ...first, create }, ...rest] };
    }
}

const directory = join(import.meta.dirname, "testing", "histories");
/** The API server judges the certificates that the engine issues by the machine's clock, which the engine's must not pass. */
const behind: Readonly<Record<string, number>> = { "serving.yaml": dayMs };

for (const [behindMs, files] of Map.groupBy(readdirSync(directory).sort(), (file) => behind[file] ?? 0))
  suite(`with a clock ${behindMs} ms behind`, () => {
    before(() => open(behindMs));
    after(close);
    for (const file of files) playFile(file);
  });

function playFile(file: string): void {
  const read = readYaml(readFileSync(join(directory, file), "utf8"), file);
  assert.ok(read.ok, read.ok ? "" : read.problem.message);
  for (const one of (read.value as unknown as readonly HistoryWorld[]).flatMap((each) => [...variants(each)]))
    test(one.name, async () => {
      const start = await storedObjects(world.client);
      for (const name of one.namespaces) await world.namespace(name);
      const record = new HistoryRecord(world, serving);
      try {
        for (const step of one.steps) {
          await play(step);
          if (step.history === undefined) continue;
          const wanted = wantedOf(step.history);
          // Answers may be late on a busy machine: what is wanted is waited for, and what comes too much is found.
          const isReached = async (): Promise<boolean> => {
            await timePasses(world, clock, 20);
            return isDeepStrictEqual(record.current(), wanted);
          };
          await world.until(`the history of step ${one.steps.indexOf(step) + 1}`, isReached).catch(() => {});
          assert.deepEqual(record.taken(), wanted, `step ${one.steps.indexOf(step) + 1}`);
        }
      } finally {
        await empty(one, start);
      }
    });
}
