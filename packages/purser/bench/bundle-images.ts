import { randomBytes } from "node:crypto";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Figure } from "../../../bench/figure.ts";
import { product } from "../../../bench/built-purser.ts";
import { bundleImage } from "../src/image/build/bundle-image.ts";
import { registryTarget } from "../src/image/build/registry-target.ts";
import { createImages } from "../src/image/create-images.ts";
import type { Images } from "../src/image/images.ts";
import { createRegistries, type Registries } from "../src/image/registry/registries.ts";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { systemEntropy } from "@purser/kubernetes/system/system-entropy";
import { watchChildMemory } from "./child-memory.ts";

export interface BundleImageOptions {
  readonly scratch: string;
  /** `HOST:PORT` of a registry that is configured in `environment`. */
  readonly host: string;
  readonly environment: Readonly<Record<string, string>>;
  /** A real bundle directory, which is made larger. */
  readonly bundle: string;
}

const manyBundles = 300;
const warmRuns = 5;
const measuredRuns = 20;
const { signal } = new AbortController();

/** Pulls of single bundles and of many, and what unpacking a large one takes in memory; by the built unpacking process. */
export async function bundleImageFigures(options: BundleImageOptions): Promise<readonly Figure[]> {
  const { scratch, environment } = options;
  const registries = createRegistries({ clock: systemClock, entropy: systemEntropy, environment });
  const open = (name: string): Images =>
    createImages({
      directory: join(scratch, name),
      clock: systemClock,
      openSource: (request) => registries.open(request),
      unpacking: { entrance: join(product, "dist/unpack-child.js") },
    });
  try {
    const small = largerBundle(options, "small", 33_000);
    const references = await pushCopies(registries, options, small, manyBundles);
    return [
      {
        name: "a bundle of 40 kB, connection and child warm",
        unit: "ms",
        runs: await single(open, references),
        goal: 20,
      },
      {
        name: `${manyBundles} bundles of 40 kB asked for at once, 16 pulls at a time, none failed`,
        unit: "ms",
        runs: [await atOnce(open, references)],
      },
      {
        name: "highest resident memory of the unpacking child, bundle of 20 MB",
        unit: "MB",
        runs: await largeBundle(open, registries, options),
        goal: 120,
      },
    ];
  } finally {
    await registries.close();
  }
}

/** A copy of the bundle with a ConfigMap whose text cannot be compressed to less than `bytes`. */
function largerBundle({ scratch, bundle }: BundleImageOptions, name: string, bytes: number): string {
  const directory = join(scratch, name);
  mkdirSync(directory, { recursive: true });
  for (const part of ["manifests", "metadata"])
    cpSync(join(bundle, part), join(directory, part), { recursive: true, mode: 0 });
  const data = { text: randomBytes(bytes).toString("base64") };
  const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "ballast" }, data };
  writeFileSync(join(directory, "manifests/ballast.yaml"), JSON.stringify(map));
  return directory;
}

/** Pushes images that differ in a label; returns their references. */
async function pushCopies(
  registries: Registries,
  { host }: BundleImageOptions,
  directory: string,
  copies: number,
): Promise<readonly string[]> {
  const references: string[] = [];
  for (let copy = 0; copy < copies; copy++) {
    const reference = `${host}/bench/bundles:${references.length}-of-${copies}`;
    const image = await bundleImage(directory, { copy: String(copy) }, { signal });
    const writer = registries.openWriter({ reference, credentials: [] });
    if (!image.ok || !writer.ok) throw new Error(`${reference} cannot be made`);
    const put = await registryTarget(writer.value).put(image.value, `${copy}-of-${copies}`, { signal });
    if (!put.ok) throw new Error(put.problem.cause);
    references.push(reference);
  }
  return references;
}

/** Milliseconds of one pull of an image that is new to the store. */
async function pull(images: Images, reference: string): Promise<number> {
  const started = performance.now();
  const pulled = await images.pull({ reference, wanted: "bundle", credentials: [], policy: [] }, { signal });
  if (!pulled.ok) throw new Error(pulled.problem.cause);
  return performance.now() - started;
}

async function single(open: (name: string) => Images, references: readonly string[]): Promise<readonly number[]> {
  const images = open("single");
  const times: number[] = [];
  for (const reference of references.slice(0, warmRuns + measuredRuns)) times.push(await pull(images, reference));
  await images.close();
  return times.slice(warmRuns);
}

async function atOnce(open: (name: string) => Images, references: readonly string[]): Promise<number> {
  const images = open("many");
  const started = performance.now();
  await Promise.all(references.map((reference) => pull(images, reference)));
  const took = performance.now() - started;
  await images.close();
  return took;
}

async function largeBundle(
  open: (name: string) => Images,
  registries: Registries,
  options: BundleImageOptions,
): Promise<readonly number[]> {
  const directory = largerBundle(options, "large", 15_000_000);
  const [reference = ""] = await pushCopies(registries, options, directory, 1);
  const peaks: number[] = [];
  for (let run = 0; run < 3; run++) {
    const images = open(`large-${run}`);
    const memory = watchChildMemory(process.pid);
    await pull(images, reference);
    memory.stop();
    await images.close();
    const peak = memory.peakMB("unpack-child");
    if (peak !== undefined) peaks.push(peak);
  }
  return peaks;
}
