import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findCondition } from "@purser/kubernetes/apis/condition";
import { createClient, type KubeClient } from "@purser/kubernetes/kube/client";
import { httpTransport } from "@purser/kubernetes/kube/http-transport";
import { loadKubeconfig } from "@purser/kubernetes/kube/access/kubeconfig";
import { written } from "@purser/kubernetes/kube/refusal";
import type { Figure } from "../../../bench/figure.ts";
import { memoryOf, product, startProcess } from "../../../bench/built-purser.ts";
import { clusterCatalogs } from "../src/apis/olm-resources.ts";
import type { ClusterCatalog } from "../src/apis/v1/cluster-catalog.ts";
import { buildIndex } from "../src/catalog-store/build.ts";
import { startLocalRegistry } from "../src/image/build/testing/local-registry.ts";
import { missingTools } from "../src/image/build/testing/tools-on-path.ts";
import { bundleImageFigures } from "./bundle-images.ts";
import { writeSyntheticCatalog } from "./catalogs-synthetic.ts";
import { watchChildMemory } from "./child-memory.ts";

const runs = 5;
const { signal } = new AbortController();
const launcher = join(product, "dist/purser.js");
const builder = join(product, "dist/index-builder.js");

export interface ImageBenchOptions {
  readonly scratch: string;
  /** Directory of a real catalog, and a bundle directory. */
  readonly catalog: string;
  readonly bundle: string;
}

/**
 * A catalog image and bundle images in a `docker-registry` on this machine, beside `skopeo copy` of the same image in the
 * same run. Nothing is measured where these programs are not on the PATH.
 */
export async function imageFigures({ scratch, catalog, bundle }: ImageBenchOptions): Promise<readonly Figure[]> {
  const missing = missingTools("docker-registry", "skopeo");
  if (missing !== false) {
    console.error(`images are not measured: ${missing}`);
    return [];
  }
  const directory = join(scratch, "images");
  mkdirSync(directory, { recursive: true });
  const registry = await startLocalRegistry();
  const { host } = registry;
  const configuration = join(directory, "registries.conf");
  writeFileSync(configuration, `[[registry]]\nlocation = "${host}"\ninsecure = true\n`);
  const environment = { CONTAINERS_REGISTRIES_CONF: configuration, HOME: directory, XDG_RUNTIME_DIR: directory };
  try {
    const reference = `${host}/bench/catalog:v1`;
    execFileSync(process.execPath, [launcher, "catalog", "push", catalog, reference], {
      env: { ...process.env, ...environment },
    });
    return [
      ...(await catalogFigures({ directory, catalog, reference, environment })),
      ...(await bundleImageFigures({ scratch: directory, host, environment, bundle })),
      await indexChildFigure(directory),
    ];
  } finally {
    await registry.stop();
  }
}

interface CatalogImage {
  readonly directory: string;
  readonly catalog: string;
  readonly reference: string;
  readonly environment: Readonly<Record<string, string>>;
}

async function catalogFigures(image: CatalogImage): Promise<readonly Figure[]> {
  const skopeo: number[] = [];
  const index: number[] = [];
  const served: Served[] = [];
  // The first round warms up disk and code caches.
  for (let run = -1; run < runs; run++) {
    const copied = copyWithSkopeo(image, run);
    const built = await buildOfDirectory(image, run);
    const serving = await servingCatalog(image, run);
    if (run === -1) continue;
    skopeo.push(copied);
    index.push(built);
    served.push(serving);
  }
  const ratios = served.map(({ newMs }, run) => newMs / ((skopeo[run] ?? Number.NaN) + (index[run] ?? Number.NaN)));
  return [
    { name: "`skopeo copy docker:// oci:` of the v4.20 catalog image", unit: "ms", runs: skopeo },
    { name: "index build of the v4.20 directory", unit: "ms", runs: index },
    {
      name: "ClusterCatalog of the v4.20 image created to `Serving`: pulled, unpacked, indexed",
      unit: "ms",
      runs: served.map(({ newMs }) => newMs),
    },
    { name: "the same, of both together", unit: "x", runs: ratios, goal: 1.5 },
    {
      name: "ClusterCatalog created to `Serving`, image and index are kept",
      unit: "ms",
      runs: served.map(({ keptMs }) => keptMs),
      goal: 300,
    },
    {
      name: "growth of the long-lived process by both, 10 s later",
      unit: "MB",
      runs: served.flatMap(({ growthMB }) => growthMB ?? []),
      goal: 10,
    },
    {
      name: "highest resident memory of the unpacking child, v4.20 image",
      unit: "MB",
      runs: served.flatMap(({ unpackMB }) => unpackMB ?? []),
      goal: 120,
    },
    {
      name: "highest resident memory of the index child, v4.20 image",
      unit: "MB",
      runs: served.flatMap(({ indexMB }) => indexMB ?? []),
      goal: 250,
    },
  ];
}

function copyWithSkopeo({ directory, reference }: CatalogImage, run: number): number {
  const target = join(directory, `skopeo-${run}`);
  const started = performance.now();
  const flags = ["--insecure-policy", "copy", "-q", "--src-tls-verify=false"];
  const { status, stderr } = spawnSync("skopeo", [...flags, `docker://${reference}`, `oci:${target}:v1`], {
    encoding: "utf8",
  });
  const took = performance.now() - started;
  if (status !== 0) throw new Error(stderr);
  rmSync(target, { recursive: true });
  return took;
}

async function buildOfDirectory({ directory, catalog }: CatalogImage, run: number): Promise<number> {
  const started = performance.now();
  const built = await buildIndex({ directory: catalog, into: join(directory, `indexes-${run}`), signal, builder });
  if (!built.ok) throw new Error(built.problem[0]?.message);
  return performance.now() - started;
}

interface Served {
  readonly newMs: number;
  readonly keptMs: number;
  /** Undefined where the system does not report memory. */
  readonly growthMB: number | undefined;
  readonly unpackMB: number | undefined;
  readonly indexMB: number | undefined;
}

/** Two ClusterCatalogs of the image, one after the other, on a cluster that has never seen it. */
async function servingCatalog({ directory, reference, environment }: CatalogImage, run: number): Promise<Served> {
  const cluster = await startProcess([launcher, "up", "--ephemeral", "--demo", "none"], {
    ...environment,
    PURSER_CACHE_DIR: join(directory, `cache-${run}`),
  });
  const access = loadKubeconfig({ path: cluster.kubeconfig, env: {} });
  if (!access.ok) throw new Error(JSON.stringify(access.problem));
  const transport = httpTransport(access.value);
  const client = createClient(transport, { userAgent: "bench" });
  await sleep(10_000);
  const before = memoryOf(cluster.pid)?.residentMB;
  const children = watchChildMemory(cluster.pid);
  const newMs = await untilServing(client, "first", reference);
  children.stop();
  written(await client.write({ verb: "delete", type: clusterCatalogs, key: { name: "first" } }, signal));
  const keptMs = await untilServing(client, "second", reference);
  await sleep(10_000);
  const after = memoryOf(cluster.pid)?.residentMB;
  transport.close();
  await cluster.stop();
  return {
    newMs,
    keptMs,
    growthMB: before === undefined || after === undefined ? undefined : after - before,
    unpackMB: children.peakMB("unpack-child"),
    indexMB: children.peakMB("index-builder"),
  };
}

async function untilServing(client: KubeClient, name: string, ref: string): Promise<number> {
  const ending = AbortSignal.timeout(60_000);
  const events = client.watch(clusterCatalogs, {}, {}, ending);
  const started = performance.now();
  const object = {
    apiVersion: "olm.operatorframework.io/v1",
    kind: "ClusterCatalog",
    metadata: { name },
    spec: { source: { type: "Image", image: { ref } } },
  } as const;
  written(await client.write({ verb: "create", type: clusterCatalogs, object }, ending));
  for await (const event of events) {
    if (event.type === "BOOKMARK") continue;
    const { metadata, status } = event.object as ClusterCatalog;
    if (metadata.name === name && findCondition(status?.conditions, "Serving")?.status === "True")
      return performance.now() - started;
  }
  throw new Error(`the watch ended before ${name} was served`);
}

/** Of the child that indexes a catalog of 60 MB. */
async function indexChildFigure(scratch: string): Promise<Figure> {
  const directory = join(scratch, "large-catalog");
  const megabytes = writeSyntheticCatalog(directory, 1150) / 1e6;
  const peaks: number[] = [];
  for (let run = 0; run < 3; run++) {
    const memory = watchChildMemory(process.pid);
    const built = await buildIndex({ directory, into: join(scratch, `large-indexes-${run}`), signal, builder });
    memory.stop();
    if (!built.ok) throw new Error(built.problem[0]?.message);
    const peak = memory.peakMB("index-builder");
    if (peak !== undefined) peaks.push(peak);
  }
  return {
    name: `highest resident memory of the index child, catalog of ${Math.round(megabytes)} MB`,
    unit: "MB",
    runs: peaks,
    goal: 250,
  };
}
