// `node packages/purser/e2e/plan-against-kubectl.ts --kubeconfig F [--only PACKAGE] [--most N]`: for upgrades of real bundles, what a change
// plan says against what `kubectl diff --server-side` says of the same objects on that cluster. Every object that one of the two
// changes has to be changed by the other, and the fields of the plan, applied to the live object, have to give what the API server's
// dry run gives, modulo defaults. What was created is removed.
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { loadAll } from "js-yaml";
import { findKubectl } from "@purser/apiserver/testing/find-kubectl";
import { isJsonObject, type JsonObject } from "@purser/kubernetes/json";
import { compareVersions, parseTolerantVersion } from "@purser/kubernetes/version";
import { readBundle } from "../src/bundle/read-bundle.ts";
import type { RegistryBundle } from "../src/bundle/registry-bundle.ts";
import { readBundleDirectory } from "../src/cli/bundle-directory.ts";
import { applyChanges } from "../src/review/change-plan/apply-changes.ts";
import { changePlan, type ReviewedBundle } from "../src/review/change-plan/change-plan.ts";
import { fieldChanges, formatPath } from "../src/review/change-plan/field-changes.ts";
import { referenceOf, referenceText, withoutServerFields } from "../src/review/change-plan/object-changes.ts";
import { extensionObjects } from "../src/rollout/review/extension-objects.ts";
import { liveObjects } from "../src/rollout/review/live-objects.ts";
import { bundlesDirectory, withoutData } from "./data.ts";
import { connectWith } from "./surroundings.ts";

const { values } = parseArgs({
  options: { kubeconfig: { type: "string" }, only: { type: "string" }, most: { type: "string", default: "1000" } },
});
const { kubeconfig, only } = values;
if (kubeconfig === undefined) {
  console.error("which cluster? node packages/purser/e2e/plan-against-kubectl.ts --kubeconfig FILE [--only PACKAGE]");
  process.exit(2);
}
if (withoutData !== false) {
  console.log(`skipped: ${withoutData}`);
  process.exit(0);
}
const kubectl = findKubectl(process.env) ?? "kubectl";
const { client } = connectWith(kubeconfig);
const scratch = mkdtempSync(join(tmpdir(), "purser-kubectl-diff-"));
const namespace = "purser-plan-check";
const manager = "purser-plan-check";

function run(...args: readonly string[]): string {
  return execFileSync(kubectl, ["--kubeconfig", kubeconfig ?? "", ...args], {
    encoding: "utf8",
    maxBuffer: 1 << 28,
    stdio: ["ignore", "pipe", "pipe"],
  });
}

const versionsOf = (packageName: string): readonly string[] =>
  readdirSync(join(bundlesDirectory, packageName))
    .flatMap((text) => {
      const version = parseTolerantVersion(text);
      return version.ok ? [{ text, version: version.value }] : [];
    })
    .toSorted((left, right) => compareVersions(left.version, right.version))
    .map(({ text }) => text);

/** The version as OLM v1 installs it; the text is why it cannot be. */
function reviewed(packageName: string, version: string): ReviewedBundle | string {
  const directory = readBundleDirectory(join(bundlesDirectory, packageName, version));
  if (!directory.ok) return directory.problem;
  const bundle = readBundle(directory.value);
  if (!bundle.ok) return bundle.problem.map(({ message }) => message).join("; ");
  const objects = rendered(bundle.value, packageName, version);
  if (typeof objects === "string") return objects;
  const { csv } = bundle.value;
  return {
    name: `${packageName}.v${version}`,
    version,
    csv,
    objects,
    granted: objects,
    stays: () => false,
    deprecations: [],
  };
}

const problemOf = (read: ReviewedBundle | string): string | undefined => (typeof read === "string" ? read : undefined);

function rendered(bundle: RegistryBundle, name: string, version: string): readonly JsonObject[] | string {
  const everywhere = extensionObjects(bundle, version, { name, namespace });
  if (everywhere.ok) return everywhere.value;
  const own = extensionObjects(bundle, version, { name, namespace, config: { watchNamespace: namespace } });
  return own.ok ? own.value : everywhere.problem.text;
}

/** Objects whose kinds the cluster serves; others cannot be compared, nor Secrets whose certificates are issued in the roll-out. */
function served(objects: readonly JsonObject[], kinds: ReadonlySet<string>): readonly JsonObject[] {
  return objects.filter(
    ({ kind, apiVersion, type }) =>
      typeof kind === "string" &&
      typeof apiVersion === "string" &&
      kinds.has(`${kind} ${apiVersion}`) &&
      type !== "kubernetes.io/tls",
  );
}

function servedKinds(): ReadonlySet<string> {
  const lines = run("api-resources", "--no-headers").trim().split("\n");
  return new Set(
    lines.map((line) => {
      const cells = line.trim().split(/\s+/);
      return `${cells.at(-1)} ${cells.at(-3)}`;
    }),
  );
}

function written(name: string, objects: readonly JsonObject[]): string {
  const file = join(scratch, name);
  writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }));
  return file;
}

const differ = join(scratch, "keep");
writeFileSync(
  differ,
  `#!/bin/sh\nrm -rf "$KEPT" && mkdir -p "$KEPT" && cp -r "$1" "$KEPT/live" && cp -r "$2" "$KEPT/merged"\nexit 1\n`,
);
chmodSync(differ, 0o755);

/** The live and the merged state of every object that kubectl compares. */
function kubectlDiff(file: string): ReadonlyMap<string, { readonly live?: JsonObject; readonly merged?: JsonObject }> {
  const kept = join(scratch, "kept");
  rmSync(kept, { recursive: true, force: true });
  mkdirSync(kept);
  const args = ["--kubeconfig", kubeconfig ?? "", "diff", "--server-side", "--force-conflicts"];
  const ran = spawnSync(kubectl, [...args, `--field-manager=${manager}`, "-f", file], {
    encoding: "utf8",
    env: { ...process.env, KUBECTL_EXTERNAL_DIFF: differ, KEPT: kept },
    maxBuffer: 1 << 28,
  });
  if (ran.status !== 0 && ran.status !== 1) throw new Error(`kubectl diff: ${ran.stderr}`);
  const states = new Map<string, { live?: JsonObject; merged?: JsonObject }>();
  for (const side of ["live", "merged"] as const)
    for (const name of readdirSync(join(kept, side)))
      for (const object of loadAll(readFileSync(join(kept, side, name), "utf8")) as JsonObject[])
        if (isJsonObject(object)) {
          const text = referenceText(referenceOf(object));
          states.set(text, { ...states.get(text), [side]: object });
        }
  return states;
}

/** What the two say differently, one line each. */
async function differences(from: ReviewedBundle, to: ReviewedBundle): Promise<readonly string[]> {
  const onCluster = await liveObjects(client, [...from.objects, ...to.objects]);
  const plan = changePlan({ installation: "ext/check", options: {}, from, path: [to], ...onCluster, dependencies: [] });
  const theirs = kubectlDiff(written("next.json", to.objects));
  const wrong: string[] = [];
  for (const object of plan.total.objects) {
    const text = referenceText(object);
    const { live, merged } = theirs.get(text) ?? {};
    switch (object.change) {
      case "created":
        if (live !== undefined || merged === undefined) wrong.push(`${text}: the plan creates it, kubectl does not`);
        break;
      case "kept":
      case "changed": {
        if (live === undefined || merged === undefined) {
          // Kubectl leaves out what does not differ at all.
          if (object.change === "changed") wrong.push(`${text}: the plan changes it, kubectl does not`);
          break;
        }
        const applied = applyChanges(withoutServerFields(live), object.fields);
        const rest = fieldChanges(applied, withoutServerFields(merged));
        if (rest.length > 0)
          wrong.push(`${text}: kubectl has ${rest.map(({ kind, path }) => `${kind} ${formatPath(path)}`).join(", ")}`);
        const change = fieldChanges(withoutServerFields(live), withoutServerFields(merged)).length > 0;
        if (change !== (object.change === "changed")) wrong.push(`${text}: the plan says ${object.change}`);
        break;
      }
      case "deleted":
      case "left":
        if (theirs.has(text)) wrong.push(`${text}: the plan says ${object.change}, kubectl writes it`);
        break;
    }
  }
  const planned = new Set(plan.total.objects.map(referenceText));
  for (const text of theirs.keys())
    if (!planned.has(text)) wrong.push(`${text}: kubectl changes it, the plan does not know it`);
  return wrong;
}

let [compared, objects, changed, failures] = [0, 0, 0, 0];
const packages = readdirSync(bundlesDirectory).filter((name) => only === undefined || name === only);
try {
  run("create", "namespace", namespace);
  const kinds = servedKinds();
  for (const packageName of packages) {
    const versions = versionsOf(packageName);
    for (const [at, next] of versions.entries()) {
      const before = versions[at - 1];
      if (before === undefined || compared >= Number(values.most)) continue;
      const [from, to] = [reviewed(packageName, before), reviewed(packageName, next)];
      if (typeof from === "string" || typeof to === "string") {
        console.log(`left out  ${packageName} ${before} -> ${next}: ${problemOf(from) ?? problemOf(to)}`);
        continue;
      }
      const [old, wanted] = [from, to].map((one) => ({ ...one, objects: served(one.objects, kinds) }));
      if (old === undefined || wanted === undefined) continue;
      const file = written("before.json", old.objects);
      try {
        run("apply", "--server-side", "--force-conflicts", `--field-manager=${manager}`, "-f", file);
        const wrong = await differences(old, wanted);
        compared++;
        objects += wanted.objects.length;
        changed += kubectlDiff(written("next.json", wanted.objects)).size;
        if (wrong.length > 0) failures++;
        console.log(
          `${wrong.length === 0 ? "equal    " : "DIFFERENT"} ${packageName} ${before} -> ${next}, ${wanted.objects.length} objects`,
        );
        for (const line of wrong) console.log(`            ${line}`);
      } finally {
        run("delete", "--ignore-not-found", "--wait=true", "-f", file);
      }
    }
  }
} finally {
  run("delete", "namespace", namespace, "--ignore-not-found", "--wait=false");
  rmSync(scratch, { recursive: true, force: true });
}
console.log(
  `${compared} upgrades compared, ${objects} objects, ${changed} in kubectl's diff, ${failures} with differences`,
);
process.exit(failures === 0 && compared > 0 ? 0 : 1);
