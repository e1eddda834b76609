// One right taken away before each stage of two installations' lives.
import { findCondition } from "@purser/kubernetes/apis/condition";
import { clusterRoles, events } from "@purser/kubernetes/apis/resources";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import {
  clusterExtensions,
  clusterObjectSets,
  clusterServiceVersions,
  installPlans,
  operatorGroups,
  subscriptions,
} from "../../src/apis/olm-resources.ts";
import { grantAllBut, openWithout, type RightName, shownIn } from "../../src/engine/testing/lacking-rights.ts";
import type { World } from "../../src/engine/testing/world.ts";
import { usedRight } from "../deployed/used-right.ts";
import { defineForeignKinds, enrich } from "./rich-bundles.ts";

/** What became of a right that was missing: `named` where a user looks, or no request needed it. */
export type Outcome =
  | { readonly kind: "named"; readonly stages: readonly string[] }
  | { readonly kind: "unasked" }
  /** A request was refused, everything was done all the same, and nothing names the right. */
  | { readonly kind: "quiet"; readonly refused: readonly string[] }
  | { readonly kind: "failed"; readonly why: string };

const csv = { namespace: "ops", name: "logbook-db.v1.2.0" };
const extension = { name: "ballast-cache" };

/** Also that the version before is deleted. */
async function v0Installed({ client }: World): Promise<boolean> {
  const [installed, ...others] = await client.list(clusterServiceVersions, { namespace: csv.namespace });
  return others.length === 0 && installed?.metadata.name === csv.name && installed.status?.phase === "Succeeded";
}

/** The version that is installed, also while another one is asked for. */
async function v1Installed({ client }: World, version: string): Promise<boolean> {
  const { status } = (await client.get(clusterExtensions, extension)) ?? {};
  return (
    status?.install?.bundle.version === version && findCondition(status.conditions, "Progressing")?.status === "True"
  );
}

async function v0Removed({ client }: World): Promise<boolean> {
  const [installed, roles] = await Promise.all([
    client.list(clusterServiceVersions, { namespace: csv.namespace }),
    client.list(clusterRoles),
  ]);
  return (
    installed.length === 0 &&
    !roles.some(({ metadata }) => metadata.labels?.["olm.owner"]?.startsWith("logbook-db") === true)
  );
}

interface Stage {
  readonly name: string;
  readonly act: (world: World) => Promise<void>;
  readonly families: Readonly<Record<"v0" | "v1", (world: World) => Promise<boolean>>>;
}

const stages: readonly Stage[] = [
  {
    name: "install",
    async act(world) {
      await world.tenant(csv.namespace);
      await world.subscribe(csv.namespace, "logbook-db", { startingCSV: "logbook-db.v1.1.0" });
      await world.extend(extension.name, "0.4.0");
    },
    families: { v0: v0Installed, v1: (world) => v1Installed(world, "0.4.0") },
  },
  {
    name: "upgrade",
    act: (world) => world.merge(clusterExtensions, extension, { spec: { source: { catalog: { version: "0.4.1" } } } }),
    families: { v0: v0Installed, v1: (world) => v1Installed(world, "0.4.1") },
  },
  {
    name: "remove",
    async act(world) {
      await world.remove(subscriptions, { namespace: csv.namespace, name: "logbook-db" });
      await world.remove(clusterServiceVersions, csv);
      await world.remove(clusterExtensions, extension);
      await world.remove(operatorGroups, { namespace: csv.namespace, name: "group" });
    },
    families: {
      v0: v0Removed,
      v1: async ({ client }) => (await client.get(clusterExtensions, extension)) === undefined,
    },
  },
];

/** Where users of each family look. */
async function shown({ client, engine }: World, family: "v0" | "v1", missing: RightName): Promise<boolean> {
  const types =
    family === "v0" ? [installPlans, clusterServiceVersions, subscriptions] : [clusterExtensions, clusterObjectSets];
  const [warnings, ...seen] = await Promise.all([
    client.list(events),
    ...types.map(async (type) => client.list<never>(type as never)),
  ]);
  return shownIn([warnings, ...seen, engine.cache.unfollowed()], missing);
}

function rightOf(method: string, target: string): RightName {
  const { verb, group = "", resource } = usedRight(method, target);
  return `${verb} ${resource}${group === "" ? "" : `.${group}`}`;
}

const wasAsked = (world: World, missing: RightName): boolean =>
  world.engineRefusals.some((refused) => {
    const [method = "", target = ""] = refused.split(" ");
    return rightOf(method, target) === missing;
  });

/** Longer than the longest pause between two tries of anything. */
const patienceMs = 240_000;
/** How long a refusal may remain without a name. */
const quietMs = 20_000;

/** @throws when nothing becomes true in time, with what was looked for */
async function waitFor(what: string, look: () => Promise<boolean>, seen: () => Promise<unknown>): Promise<void> {
  const deadline = systemClock.monotonic() + patienceMs;
  while (!(await look())) {
    if (systemClock.monotonic() > deadline) throw new Error(`${what}; last seen: ${JSON.stringify(await seen())}`);
    await systemClock.sleep(100, new AbortController().signal);
  }
}

/** A cluster in which both families can install every kind of object. */
export async function openRich(missing: RightName | undefined): Promise<World> {
  const world = await openWithout(missing, { prepare: defineForeignKinds });
  // OLM v0 has no PodMonitors.
  enrich(world.bundlesDirectory, "logbook-db", ["PodMonitor"]);
  enrich(world.bundlesDirectory, "ballast-cache", []);
  return world;
}

const ends = (world: World, { name, families }: Stage, seen: () => Promise<unknown>): Promise<unknown> =>
  Promise.all(
    (["v0", "v1"] as const).map((family) =>
      waitFor(`${name}: ${family} does not end it with all rights`, () => families[family](world), seen),
    ),
  );

/** The rights that both installations need in all stages, as the requests show. */
export async function askedRights(): Promise<ReadonlySet<RightName>> {
  const world = await openRich(undefined);
  const asked = new Set<RightName>();
  world.intercept = ({ method, path, query }) => {
    const right = rightOf(method, `${path}${query?.get("watch") === "true" ? "?watch=true" : ""}`);
    asked.add(right);
    // Server-side apply of an object that does not exist needs both.
    asked.add(right.replace(/^patch /, "create "));
    return undefined;
  };
  // What was asked while the engine started is asked again.
  await world.restartEngine();
  try {
    for (const stage of stages) {
      await stage.act(world);
      await ends(world, stage, async () => (await world.client.list(installPlans)).map(({ status }) => status));
    }
    return asked;
  } finally {
    await world.stop();
  }
}

/**
 * Runs both installations through their stages, each first without the right, then with all. Without it each family either ends
 * the stage or names the right; what was refused is named; and with all rights both end it.
 */
export async function tryWithout(world: World, missing: RightName): Promise<Outcome> {
  const named: string[] = [];
  const quiet = new Set<string>();
  const seen = async (): Promise<unknown> => ({
    refused: [...new Set(world.engineRefusals)],
    unfollowed: world.engine.cache.unfollowed(),
    extension: (await world.client.get(clusterExtensions, extension))?.status?.conditions,
    plans: (await world.client.list(installPlans)).map(({ status }) => [status?.phase, status?.message]),
    csvs: (await world.client.list(clusterServiceVersions)).map(({ status }) => [status?.phase, status?.message]),
    subscriptions: (await world.client.list(subscriptions)).map(({ status }) => status?.conditions),
  });
  const isShown = async (): Promise<boolean> =>
    (await shown(world, "v0", missing)) || (await shown(world, "v1", missing));
  try {
    for (const stage of stages) {
      const { name, families } = stage;
      await grantAllBut(world, missing);
      world.engineRefusals.length = 0;
      // Only what this stage reports counts.
      for (const { metadata } of await world.client.list(events))
        await world.remove(events, { namespace: metadata.namespace ?? "", name: metadata.name ?? "" });
      await stage.act(world);
      for (const family of ["v0", "v1"] as const)
        await waitFor(
          `${name}: ${family} neither ends nor names the right`,
          async () => (await families[family](world)) || (await shown(world, family, missing)),
          seen,
        );
      // Events and conditions are written after the refusal.
      const deadline = systemClock.monotonic() + quietMs;
      while (wasAsked(world, missing) && !(await isShown()) && systemClock.monotonic() < deadline)
        await systemClock.sleep(200, new AbortController().signal);
      if (await isShown()) named.push(name);
      else if (wasAsked(world, missing)) for (const refused of world.engineRefusals) quiet.add(`${name}: ${refused}`);
      await grantAllBut(world, undefined);
      await ends(world, stage, seen);
    }
    if (named.length === 0 && quiet.size > 0) return { kind: "quiet", refused: [...quiet] };
    return named.length > 0 ? { kind: "named", stages: named } : { kind: "unasked" };
  } catch (error) {
    return { kind: "failed", why: error instanceof Error ? error.message : String(error) };
  }
}
