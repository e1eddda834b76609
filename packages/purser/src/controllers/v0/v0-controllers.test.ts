import assert from "node:assert/strict";
import { test } from "node:test";
import type { ObjectKey } from "@purser/kubernetes/apis/object";
import type { ApplyContext } from "@purser/kubernetes/kube/controller/controller";
import { improved } from "../../compat.ts";
import type { Surroundings } from "../surroundings.ts";
import { v0Controllers } from "./v0-controllers.ts";

const everything = { compat: improved, globalNamespace: "olm" } as Surroundings;
const limited = { ...everything, watchedNamespaces: new Set(["ours"]) };

/** Names of the controllers for which a pass over the key reads anything. */
async function reading(surroundings: Surroundings, key: ObjectKey): Promise<readonly string[]> {
  const read: string[] = [];
  for (const controller of v0Controllers(surroundings)) {
    const used = (): never => {
      read.push(controller.name);
      throw new Error("read");
    };
    const port = new Proxy({}, { get: used });
    const context = { now: 0, signal: new AbortController().signal, reader: port, cache: port } as ApplyContext;
    await controller.reconcile(key, context).catch(() => {});
  }
  return [...new Set(read)];
}

const all = v0Controllers(everything).map(({ name }) => name);
const withKeysInNamespaces = await reading(everything, { namespace: "theirs", name: "x" });

test("a namespace that is not watched is not read, but for the copies that others made in it", async () => {
  assert.deepEqual(await reading(limited, { namespace: "theirs", name: "x" }), ["copied-csv"]);
  assert.deepEqual(await reading(limited, { namespace: "ours", name: "ours" }), withKeysInNamespaces);
});

test("catalogs of the global namespace are read although it is not watched", async () =>
  assert.deepEqual(await reading(limited, { namespace: "olm", name: "x" }), ["catalog-source", "copied-csv"]));

test("objects of the whole cluster are read whatever is watched, and only watched namespaces are resolved", async () => {
  const ofCluster = await reading(everything, { name: "theirs" });
  assert.ok(ofCluster.includes("namespace-resolution"));
  assert.deepEqual(
    await reading(limited, { name: "theirs" }),
    ofCluster.filter((name) => name !== "namespace-resolution"),
  );
  assert.deepEqual(await reading(limited, { name: "ours" }), ofCluster);
});

test("events carry the component of OLM, whatever controller emits them", () =>
  assert.deepEqual(
    v0Controllers(everything).map(({ eventComponent }) => eventComponent),
    all.map(() => "operator-lifecycle-manager"),
  ));
