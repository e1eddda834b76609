import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { rolldown } from "rolldown";
import { goJsonIndented } from "@purser/kubernetes/text/documents";
import { readCatalog } from "../src/catalog-store/read/read-catalog.ts";
import { product, repository } from "../../../bench/built-purser.ts";
import { writeSyntheticCatalog } from "./catalogs-synthetic.ts";
import type { Measured } from "./catalogs-measured.ts";
import { type Figure, median } from "../../../bench/figure.ts";

/** Loading and validating catalogs: YAML and JSON, one thread and all cores, and how the time grows with the bytes. */
export async function catalogFigures(scratch: string, runs: number): Promise<readonly Figure[]> {
  const program = await bundleMeasured(join(scratch, "measured"));
  const measure = (mode: string, root: string): readonly Measured[] =>
    Array.from({ length: runs }, () => measureOnce(program, mode, root));
  const real = join(repository, "../shared/data/catalogs/v4.20");
  return [
    ...(existsSync(real) ? realCatalog(real, join(scratch, "json"), measure) : []),
    ...synthetic(join(scratch, "synthetic"), measure),
  ];
}

type Measure = (mode: string, root: string) => readonly Measured[];

function realCatalog(yaml: string, json: string, measure: Measure): readonly Figure[] {
  writeAsJson(yaml, json);
  const parse = measure("parse", json);
  const title = "v4.20, load and validate";
  return [
    {
      name: "v4.20 as JSON: read, decode, `JSON.parse` blob by blob (the denominator)",
      unit: "ms",
      runs: times(parse),
    },
    { name: "highest resident memory of that", unit: "MiB", runs: peaks(parse) },
    ...compared(`${title}, YAML on one thread`, measure("load", yaml), parse, 12, 90),
    ...compared(`${title}, YAML on all cores`, measure("cores", yaml), parse, 6, 150),
    ...compared(`${title}, JSON on one thread`, measure("load", json), parse, 2),
  ];
}

function compared(
  name: string,
  measured: readonly Measured[],
  parse: readonly Measured[],
  goal: number,
  memoryGoal?: number,
): readonly Figure[] {
  const [wall, processor] = [median(times(parse)), median(parse.map(({ cpuMs }) => cpuMs))];
  return [
    { name, unit: "ms", runs: times(measured) },
    { name: `${name}, of the denominator`, unit: "x", runs: measured.map(({ ms }) => ms / wall), goal },
    { name: `${name}, in processor time`, unit: "x", runs: measured.map(({ cpuMs }) => cpuMs / processor) },
    {
      name: `${name}, highest resident memory`,
      unit: "MiB",
      runs: peaks(measured),
      ...(memoryGoal === undefined ? {} : { goal: memoryGoal }),
    },
  ];
}

/** Ten times the packages must not take more than ten times as long, by and large. */
function synthetic(root: string, measure: Measure): readonly Figure[] {
  const perMegabyte = [100, 1000].map((packages) => {
    const directory = join(root, String(packages));
    const megabytes = writeSyntheticCatalog(directory, packages) / 1e6;
    return { packages, megabytes, measured: measure("load", directory) };
  });
  const [small, large] = perMegabyte;
  if (small === undefined || large === undefined) return [];
  const rate = ({ measured, megabytes }: typeof small): readonly number[] =>
    measured.map(({ cpuMs }) => cpuMs / megabytes);
  const base = median(rate(small));
  return [
    ...perMegabyte.flatMap(({ packages, megabytes, measured }): readonly Figure[] => {
      const name = `${packages} packages, ${packages * 10} bundles, ${Math.round(megabytes)} MB of YAML, load and validate`;
      return [
        { name, unit: "ms", runs: times(measured) },
        { name: `${name}, highest resident memory`, unit: "MiB", runs: peaks(measured) },
      ];
    }),
    {
      name: "processor time per byte, 1,000 packages over 100 packages",
      unit: "x",
      runs: rate(large).map((each) => each / base),
      goal: 1.25,
    },
  ];
}

const times = (measured: readonly Measured[]): readonly number[] => measured.map(({ ms }) => ms);
const peaks = (measured: readonly Measured[]): readonly number[] => measured.map(({ peakMiB }) => peakMiB);

/** The program in plain JavaScript, as the published package is: types stripped at run time cost a start and memory. */
async function bundleMeasured(dir: string): Promise<string> {
  const bundle = await rolldown({
    input: {
      measured: join(product, "bench/catalogs-measured.ts"),
      "entry-reader": join(product, "src/catalog-store/read/entry-reader.ts"),
    },
    platform: "node",
  });
  await bundle.write({ dir, format: "esm", entryFileNames: "[name].js", chunkFileNames: "[name].js" });
  writeFileSync(join(dir, "package.json"), '{"type":"module"}');
  return join(dir, "measured.js");
}

function measureOnce(program: string, mode: string, root: string): Measured {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, mode, root], { encoding: "utf8" });
  if (status !== 0) throw new Error(`${mode} of ${root} failed: ${stderr}`);
  return JSON.parse(stdout) as Measured;
}

/** The same catalog as `opm render -o json` writes it, a file for a file. */
export function writeAsJson(from: string, to: string): void {
  const texts = new Map<string, string[]>();
  for (const blob of readCatalog(from)) {
    if (!blob.ok) throw new Error(JSON.stringify(blob.problem));
    const file = blob.value.place.file ?? "";
    const target = join(to, file.slice(from.length).replace(/\.yaml$/, ".json"));
    const known = texts.get(target) ?? [];
    known.push(`${goJsonIndented(blob.value.json, "    ", false)}\n`);
    texts.set(target, known);
  }
  for (const [target, parts] of texts) {
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, parts.join(""));
  }
  if (!readdirSync(to).some((name) => statSync(join(to, name)).isDirectory())) throw new Error(`nothing in ${to}`);
}
