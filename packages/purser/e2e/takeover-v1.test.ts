// A cluster goes from OLM v1 to Purser and back. It needs a real cluster, in which pods become ready, and a program that runs OLM v1
// against it: PURSER_E2E_KUBECONFIG=FILE PURSER_E2E_OLM_V1=PROGRAM, started as `PROGRAM DIR --kubeconfig FILE` until it is stopped. It
// prints `running`, takes CONTAINERS_REGISTRIES_CONF for images, and GATES as the feature gates of operator-controller.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { keyOf } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import {
  clusterRoleBindings,
  clusterRoles,
  customResourceDefinitions,
  deployments,
  namespaces,
  serviceAccounts,
} from "@purser/kubernetes/apis/resources";
import { findCondition } from "@purser/kubernetes/apis/condition";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { written } from "@purser/kubernetes/kube/refusal";
import { clusterCatalogs, clusterExtensions, clusterObjectSets } from "../src/apis/olm-resources.ts";
import type { ClusterExtension } from "../src/apis/v1/cluster-extension.ts";
import { eventually } from "./eventually.ts";
import { startManager } from "./manager-process.ts";
import { startPurser } from "./purser-process.ts";
import { startPushedImages } from "./pushed-images.ts";
import { connectWith, freshSurroundings, patient } from "./surroundings.ts";

const kubeconfig = process.env["PURSER_E2E_KUBECONFIG"];
const olm = process.env["PURSER_E2E_OLM_V1"];
const skip =
  kubeconfig === undefined
    ? "not here: PURSER_E2E_KUBECONFIG names no cluster"
    : olm !== undefined && existsSync(olm)
      ? false
      : "not here: PURSER_E2E_OLM_V1 names no program that runs OLM v1";

const systemNamespace = "olmv1-system";
const demo = join(import.meta.dirname, "../demo/default");
const namespace = `takeover-v1-${process.pid}`;
const catalog = `takeover-${process.pid}`;
const still = "ballast-cache";
const moving = "logbook-db";
const boxcutter = "BoxcutterRuntime=true";

describe("a cluster goes from OLM v1 to Purser and back", { skip }, () => {
  const file = kubeconfig ?? "";
  const surroundings = freshSurroundings();

  test("releases of the Helm runtime are taken over and upgraded, and OLM v1 goes on with the revisions or the releases, without a roll-out", async () => {
    const { client, close } = connectWith(file);
    const images = await startPushedImages(surroundings.path("images"));
    const stops: (() => Promise<unknown>)[] = [];
    const started = async (begun: Promise<() => Promise<unknown>>): Promise<() => Promise<void>> => {
      const stop = await begun;
      stops.push(stop);
      return async () => {
        stops.splice(stops.indexOf(stop), 1);
        await stop();
      };
    };
    const startOlm = (gates: string): Promise<() => Promise<void>> =>
      started(
        startManager(olm ?? "", [surroundings.path("olm"), "--kubeconfig", file], { ...images.env, GATES: gates }),
      );
    try {
      await images.pushBundles(join(demo, "bundles"), [still, moving]);
      const reference = await images.pushCatalog("demo", join(demo, "catalog"));
      for (const name of [systemNamespace, namespace])
        if ((await client.get(namespaces, { name })) === undefined)
          written(
            await client.write(
              { verb: "create", type: namespaces, object: { apiVersion: "v1", kind: "Namespace", metadata: { name } } },
              patient,
            ),
          );
      const stopHelm = await startOlm("");
      await offer(client, reference);
      await extend(client, still, "0.3.0");
      await extend(client, moving, "1.0.0");
      await installed(client, still, "0.3.0");
      await installed(client, moving, "1.0.0");
      await stopHelm();
      const first = await shape(client);
      assert.equal(Object.keys(first).length, 2);

      const run = ["run", "--kubeconfig", file, "--install-crds", "--catalog-address", "none", "--no-package-api"];
      const engine = await startPurser([...run, "--apis", "v1"], { ...surroundings.env, ...images.env });
      const stopPurser = await started(Promise.resolve(() => engine.stop("SIGTERM")));
      await complete(client, `${still}-1`);
      await complete(client, `${moving}-1`);
      assert.deepEqual(await shape(client), first);
      await choose(client, moving, "1.1.0");
      await installed(client, moving, "1.1.0");
      await installed(client, still, "0.3.0");
      const second = await shape(client);
      assert.deepEqual(second[still], first[still]);
      assert.notDeepEqual(second[moving], first[moving]);
      await stopPurser();
      const held = { still: await revisions(client, still), moving: await revisions(client, moving) };

      const stopBoxcutter = await startOlm(boxcutter);
      await reconciledByOlm(client, still);
      await reconciledByOlm(client, moving);
      await installed(client, still, "0.3.0");
      await installed(client, moving, "1.1.0");
      assert.deepEqual({ still: await revisions(client, still), moving: await revisions(client, moving) }, held);
      assert.deepEqual(await shape(client), second);
      await stopBoxcutter();

      for (const name of [still, moving]) {
        await orphanRevisions(client, name);
        await markForHelm(client, name);
      }
      const stopLast = await startOlm("");
      await installed(client, still, "0.3.0");
      await installed(client, moving, "1.1.0");
      await ownedByExtensions(client);
      assert.deepEqual(await shape(client), second);
      await stopLast();
    } finally {
      for (const stop of stops) await stop();
      await images.stop();
      close();
    }
  });
});

async function offer(client: KubeClient, ref: string): Promise<void> {
  const object = {
    apiVersion: "olm.operatorframework.io/v1",
    kind: "ClusterCatalog",
    metadata: { name: catalog },
    spec: { source: { type: "Image", image: { ref } } },
  };
  written(await client.write({ verb: "create", type: clusterCatalogs, object: object as never }, patient));
}

async function extend(client: KubeClient, name: string, version: string): Promise<void> {
  const object = {
    apiVersion: "olm.operatorframework.io/v1",
    kind: "ClusterExtension",
    metadata: { name },
    spec: { namespace, source: { sourceType: "Catalog", catalog: { packageName: name, version } } },
  };
  written(await client.write({ verb: "create", type: clusterExtensions, object: object as never }, patient));
}

async function choose(client: KubeClient, name: string, version: string): Promise<void> {
  const patch = { spec: { source: { catalog: { version } } } };
  const type = clusterExtensions;
  written(await client.write({ verb: "patch", type, key: { name }, patchType: "merge", patch }, patient));
}

const conditionsOf = ({ status }: ClusterExtension): unknown =>
  status?.conditions?.map(({ type, status: is, reason, message }) => [type, is, reason, message]);

/** Installed at the version, with nothing left to do. */
const installed = (client: KubeClient, name: string, version: string): Promise<void> =>
  eventually(`${name} ${version}`, async () => {
    const extension = await client.get(clusterExtensions, { name });
    if (extension === undefined) return "missing";
    const { status } = extension;
    const isDone =
      status?.install?.bundle.version === version &&
      findCondition(status.conditions, "Installed")?.status === "True" &&
      findCondition(status.conditions, "Progressing")?.reason === "Succeeded";
    return isDone ? undefined : JSON.stringify(conditionsOf(extension) ?? "no conditions");
  });

const complete = (client: KubeClient, name: string): Promise<void> =>
  eventually(`revision ${name}`, async () => {
    const set = await client.get(clusterObjectSets, { name });
    const isDone = findCondition(set?.status?.conditions, "Succeeded")?.status === "True";
    return isDone ? undefined : JSON.stringify(set?.status ?? "missing");
  });

/** What the ClusterObjectSets of the extension ask for. */
async function revisions(client: KubeClient, extension: string): Promise<readonly unknown[]> {
  const labelSelector = `olm.operatorframework.io/owner-name=${extension}`;
  const sets = await client.list(clusterObjectSets, { labelSelector });
  return sets
    .map(({ metadata, spec }) => ({ name: metadata.name, generation: metadata.generation, spec }))
    .toSorted((a, b) => ((a.name ?? "") < (b.name ?? "") ? -1 : 1));
}

/** What docs/takeover.md says to do before the Helm runtime starts again: the objects stay, and belong to nobody. */
async function orphanRevisions(client: KubeClient, extension: string): Promise<void> {
  const labelSelector = `olm.operatorframework.io/owner-name=${extension}`;
  const type = clusterObjectSets;
  for (const { metadata } of await client.list(type, { labelSelector })) {
    const key = { name: metadata.name ?? "" };
    written(await client.write({ verb: "delete", type, key, propagation: "Orphan" }, patient));
    await eventually(`${key.name} is orphaned`, async () => {
      const finalizers = (await client.get(type, key))?.metadata.finalizers ?? [];
      return finalizers.includes("orphan") ? finalizers.join() : undefined;
    });
    // One that was archived waits for nothing more.
    if ((await client.get(type, key)) === undefined) continue;
    const patch = { metadata: { finalizers: null } };
    written(await client.write({ verb: "patch", type, key, patchType: "merge", patch }, patient));
  }
}

/** Helm takes objects into a release that does not hold them yet only with these marks. */
async function markForHelm(client: KubeClient, extension: string): Promise<void> {
  const labelSelector = `olm.operatorframework.io/owner-name=${extension}`;
  const annotations = { "meta.helm.sh/release-name": extension, "meta.helm.sh/release-namespace": namespace };
  const patch = { metadata: { labels: { "app.kubernetes.io/managed-by": "Helm" }, annotations } };
  const types: readonly ResourceType[] = [
    serviceAccounts,
    deployments,
    clusterRoles,
    clusterRoleBindings,
    customResourceDefinitions,
  ];
  for (const type of types)
    for (const object of await client.list(type, { labelSelector })) {
      const key = keyOf(object);
      written(await client.write({ verb: "patch", type, key, patchType: "merge", patch }, patient));
    }
}

const ownedByExtensions = (client: KubeClient): Promise<void> =>
  eventually("the Deployments belong to their extensions", async () => {
    const all = await client.list(deployments, { namespace });
    const owners = all.map(({ metadata }) => metadata.ownerReferences?.map(({ kind }) => kind).join());
    return owners.every((kind) => kind === "ClusterExtension") ? undefined : owners.join();
  });

/** The extension changes so that OLM v1 has to look at it again: its next generation is in all conditions that it writes. */
async function reconciledByOlm(client: KubeClient, name: string): Promise<void> {
  const patch = { spec: { source: { catalog: { channels: null, upgradeConstraintPolicy: "SelfCertified" } } } };
  const type = clusterExtensions;
  written(await client.write({ verb: "patch", type, key: { name }, patchType: "merge", patch }, patient));
  await eventually(`${name} is looked at by OLM v1`, async () => {
    const extension = await client.get(clusterExtensions, { name });
    const { generation } = extension?.metadata ?? {};
    const progressing = findCondition(extension?.status?.conditions, "Progressing");
    return progressing?.observedGeneration === generation ? undefined : JSON.stringify(progressing ?? "missing");
  });
}

/** Identity, pod template and roll-out of each Deployment, by package; its generation also counts changes of annotations. */
async function shape(client: KubeClient): Promise<Readonly<Record<string, unknown>>> {
  const all = await client.list(deployments, { namespace });
  return Object.fromEntries(
    all.map(({ metadata, spec }) => [
      (metadata.name ?? "").replace(/-controller$/, ""),
      {
        uid: metadata.uid,
        template: spec?.template,
        rollout: metadata.annotations?.["deployment.kubernetes.io/revision"],
      },
    ]),
  );
}
