// `npm run bench [-- GROUP...]`: the figures of the built package; without a GROUP all of them, and they go to bench/RESULTS.md.
import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { cpus, loadavg, release, totalmem } from "node:os";
import { join } from "node:path";
import { apiServerFigures } from "@purser/apiserver/testing/figures";
import { buildPackage, kubectlOf, product, repository, scratchDirectory } from "../../../bench/built-purser.ts";
import { burstFigures } from "./burst.ts";
import { embeddedExtensionFigures } from "./extensions.ts";
import { opmFigures } from "./beside-opm.ts";
import { catalogFigures, writeAsJson } from "./catalogs.ts";
import { commandFigures } from "./commands.ts";
import { catalogServingFigures } from "./catalog-serving.ts";
import type { Figure } from "../../../bench/figure.ts";
import { rowOf } from "../../../bench/figure.ts";
import { imageFigures } from "./images.ts";
import { idleRequestFigures } from "./idle-requests.ts";
import { installFigures } from "./install.ts";
import { extensionFigures } from "./real/extensions.ts";
import { realFigures } from "./real/main.ts";
import { planFigures } from "./plans.ts";
import { replicaFigures } from "./replicas.ts";
import { restFigures } from "./rest.ts";
import { startFigures } from "./start.ts";

const shared = join(repository, "../shared/data");
const community = ["--catalog", `community=${join(shared, "catalogs/v4.20")}`, "--bundles", join(shared, "bundles")];
const hasShared = existsSync(join(shared, "catalogs/v4.20")) && existsSync(join(shared, "bundles/kube-green"));
const demoBundles = join(product, "demo/default");
const demo = ["--catalog", `demo=${join(demoBundles, "catalog")}`, "--bundles", join(demoBundles, "bundles")];
const scratch = scratchDirectory();
const cache = join(scratch, "cache");

const groups: Readonly<Record<string, () => Promise<readonly Figure[]> | AsyncIterable<Figure>>> = {
  start: () => startFigures(scratch, 5),
  commands: () => commandFigures(scratch, 9),
  install: async () => [
    ...(await installFigures(
      cache,
      {
        title: "`ballast-cache` of the demo",
        cluster: demo,
        catalog: "demo",
        packageName: "ballast-cache",
        channel: "stable",
      },
      5,
    )),
    ...(hasShared
      ? await installFigures(
          cache,
          {
            title: "`kube-green` of v4.20",
            cluster: community,
            catalog: "community",
            packageName: "kube-green",
            channel: "alpha",
          },
          5,
        )
      : []),
  ],
  // Only when named: on a busy machine it takes minutes.
  burst: async () => (hasShared && wanted.includes("burst") ? burstFigures(scratch, join(shared, "bundles"), 2) : []),
  // Only when named: a minute on an idle machine.
  extensions: async function* () {
    if (!hasShared || !wanted.includes("extensions")) return;
    yield* embeddedExtensionFigures(scratch, join(shared, "bundles"), 3);
  },
  rest: async () => [
    ...(await restFigures(cache, "demo", [], 1)),
    ...(hasShared ? await restFigures(cache, "v4.20 catalog", community, 3) : []),
  ],
  idle: () => idleRequestFigures(cache),
  catalogs: () => catalogFigures(scratch, 7),
  opm: async () => {
    if (!hasShared) return [];
    const json = join(scratch, "opm-json");
    writeAsJson(join(shared, "catalogs/v4.20"), json);
    return opmFigures(join(shared, "catalogs/v4.20"), json, 7);
  },
  "catalog-serving": async () => (hasShared ? catalogServingFigures(scratch, join(shared, "catalogs/v4.20")) : []),
  images: async () =>
    hasShared
      ? imageFigures({
          scratch,
          catalog: join(shared, "catalogs/v4.20"),
          bundle: join(shared, "bundles/kube-green/0.7.1"),
        })
      : [],
  // Only when named: both need a control plane.
  "real-extensions": async () => {
    if (!wanted.includes("real-extensions")) return [];
    const kubeconfig = process.env["PURSER_E2E_KUBECONFIG"];
    if (kubeconfig === undefined) throw new Error("real-extensions needs PURSER_E2E_KUBECONFIG");
    return extensionFigures(kubeconfig, scratch, 3);
  },
  // Only when named: for a control plane that nobody has used before.
  real: async function* () {
    if (!wanted.includes("real")) return;
    const { PURSER_E2E_KUBECONFIG: kubeconfig } = process.env;
    if (!hasShared || kubeconfig === undefined) throw new Error("real needs PURSER_E2E_KUBECONFIG and ../shared/data");
    const [catalog, bundles] = [join(shared, "catalogs/v4.20"), join(shared, "bundles")];
    yield* realFigures({ scratch, kubeconfig, catalog, bundles });
  },
  // Only when named: for a control plane that nobody has used before.
  replicas: async () => {
    if (!wanted.includes("replicas")) return [];
    const { PURSER_E2E_KUBECONFIG: kubeconfig } = process.env;
    if (!hasShared || kubeconfig === undefined)
      throw new Error("replicas needs PURSER_E2E_KUBECONFIG and ../shared/data");
    return replicaFigures({ scratch, kubeconfig, catalog: join(shared, "catalogs/v4.20") });
  },
  // Only when named: not measured on an idle machine yet.
  plans: async function* () {
    if (!wanted.includes("plans")) return;
    const bundles = join(shared, "bundles");
    if (!existsSync(join(bundles, "argocd-operator/0.18.0")))
      throw new Error(`plans needs argocd-operator in ${bundles}`);
    yield* planFigures(bundles, 7);
  },
  apiserver: () => apiServerFigures(scratch, 3),
  // Loaded when its turn comes: its inputs, objects with very many members, make V8 slower at what other groups measure in this process.
  hostile: async function* () {
    const { hostileFigures } = await import("@purser/apiserver/testing/hostile-figures");
    yield* await hostileFigures(scratch, 1);
  },
};

/** A program that judges itself: its output is the result. */
function resolutionTable(): string {
  const { stdout } = spawnSync(process.execPath, [join(product, "bench/resolution.ts")], { encoding: "utf8" });
  return stdout.trim();
}

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => name !== "resolution" && !Object.hasOwn(groups, name));
if (unknown.length > 0) {
  console.error(`no group ${unknown.join(", ")}; groups: ${[...Object.keys(groups), "resolution"].join(", ")}`);
  process.exit(2);
}
buildPackage();
const [processor] = cpus();
const loadBefore = loadavg()[0] ?? 0;
const lines: string[] = ["| figure | median | range | goal | |", "|---|---|---|---|---|"];
for (const [name, measure] of Object.entries(groups)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  let count = 0;
  for await (const figure of await measure()) {
    count++;
    const row = rowOf(figure);
    lines.push(row);
    console.log(row);
  }
  if (count === 0 && wanted.includes(name)) console.error(`${name}: nothing is measured without ../shared/data`);
}
const resolution = wanted.length === 0 || wanted.includes("resolution") ? resolutionTable() : "";
if (resolution !== "") console.log(resolution);
if (wanted.length === 0) {
  const kubectl = kubectlOf(process.env);
  const version =
    kubectl === undefined
      ? "none"
      : spawnSync(kubectl, ["version", "--client"], { encoding: "utf8" }).stdout.split("\n")[0]?.replace(/^.*: /, "");
  const text = `# Results of \`npm run bench\`

Written by \`bench/main.ts\` on the built package (\`dist/\`). Times run from the start of a process or from the creation of an object until a client sees the effect over TLS. The code cache and the catalog index are warm, as from the second start on a machine on.

- machine: ${cpus().length} x ${processor?.model ?? "unknown"}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform} ${release()} ${process.arch}
- load average (1 min): ${loadBefore.toFixed(1)} before, ${(loadavg()[0] ?? 0).toFixed(1)} after; on an idle machine the figures are better
- Node ${process.versions.node}, kubectl ${version ?? "unknown"}${hasShared ? "" : "; ../shared/data was absent, so what needs the v4.20 catalog was not measured"}

${lines.join("\n")}

A catalog that no start has read before is indexed by a process of its own, which ends then and is not in these figures (v4.20: up to 155 MB for some seconds, measured once by hand).

Resolution (\`bench/resolution.ts\`, the first in a process, median of five):

\`\`\`
${resolution}
\`\`\`
`;
  writeFileSync(join(repository, "bench/RESULTS.md"), text);
}
process.exit(0);
