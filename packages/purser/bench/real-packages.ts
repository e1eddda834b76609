import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { product } from "../../../bench/built-purser.ts";

/**
 * Real packages whose newest bundle installs into all namespaces under both families, alone or beside the others. Not among
 * them: loki-operator (brings a ServiceMonitor, which v1 refuses without prometheus' kinds), prometheus (v1 asks for
 * `watchNamespace`), vault-config-operator (86 objects in one phase, of which v1 takes 50).
 */
export const realPackages = [
  "argocd-operator",
  "authorino-operator",
  "cass-operator-community",
  "cert-manager",
  "clickhouse",
  "dns-operator",
  "grafana-operator",
  "kube-green",
  "limitador-operator",
  "node-healthcheck-operator",
  "rabbitmq-cluster-operator",
  "self-node-remediation",
  "strimzi-kafka-operator",
];

/** A catalog of the newest bundle of each package, in a channel of its own. */
export function writeRealPackages(directory: string, bundles: string): string {
  const render = [
    "opm",
    "render",
    ...newestBundles(bundles),
    "--alpha-image-ref-template",
    "example.com/{{.Package}}:v{{.Version}}",
  ];
  const rendered = spawnSync(process.execPath, [join(product, "dist/purser.js"), ...render], {
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  if (rendered.status !== 0) throw new Error(rendered.stderr);
  const blobs = [...rendered.stdout.matchAll(/^\{\n[^]*?^\}\n/gm)].flatMap(([text]) => {
    const { name, package: packageName } = JSON.parse(text) as { readonly name: string; readonly package: string };
    return [
      JSON.stringify({ schema: "olm.package", name: packageName, defaultChannel: "all" }),
      JSON.stringify({ schema: "olm.channel", package: packageName, name: "all", entries: [{ name }] }),
      text,
    ];
  });
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "catalog.json"), blobs.join("\n"));
  return directory;
}

/** The bundle directory of each package. */
export const newestBundles = (bundles: string): readonly string[] =>
  realPackages.map((name) => join(bundles, name, newestIn(join(bundles, name))));

function newestIn(directory: string): string {
  const versions = readdirSync(directory).filter((name) => statSync(join(directory, name)).isDirectory());
  return versions.toSorted((a, b) => a.localeCompare(b, "en", { numeric: true })).at(-1) ?? "";
}
