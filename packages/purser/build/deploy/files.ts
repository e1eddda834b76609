import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { loadAll } from "js-yaml";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { groupOfFamily } from "../../src/apis/api-family.ts";
import { installationObjects, manifestFiles, ownNamespaceObject } from "../../src/deploy/manifests.ts";
import { resolve as resolveTemplate } from "../../src/deploy/template.ts";
import { defaultValues, type InstallValues } from "../../src/deploy/values.ts";
import { variants, variantValues } from "../../src/deploy/variants.ts";
import { chartFiles } from "./chart.ts";
import { generated, yamlOf } from "./generated-yaml.ts";
import { overlayOf } from "./kustomize.ts";

const product = resolve(import.meta.dirname, "../..");
const crdsDirectory = join(product, "crds");
const isKind = (kind: string) => (object: KubeObject) => object.kind === kind;
const isDefinition = isKind("CustomResourceDefinition");

/** Manifest files of `crds/` by name, with their objects. */
const crdFiles: ReadonlyMap<string, readonly KubeObject[]> = new Map(
  readdirSync(crdsDirectory)
    .filter((name) => name.endsWith(".yaml"))
    .sort()
    .map((name) => [name, loadAll(readFileSync(join(crdsDirectory, name), "utf8")).filter(Boolean) as KubeObject[]]),
);
/** Update policies serve both families. */
const familyOf = (name: string): "v0" | "v1" | "both" =>
  name.startsWith("purser.dev_") ? "both" : name.startsWith(`${groupOfFamily.v1}_`) ? "v1" : "v0";
const isServed = (name: string, { apis }: Pick<InstallValues, "apis">): boolean => {
  const family = familyOf(name);
  return family === "both" ? apis.v0 || apis.v1 : apis[family];
};
const documents = (objects: readonly unknown[]): string => objects.map((object) => `---\n${yamlOf(object)}`).join("");

/** All objects of an installation with Kustomize. */
export function wholeInstallation(values: InstallValues): readonly KubeObject[] {
  const served = [...crdFiles].filter(([name]) => isServed(name, values)).flatMap(([, objects]) => objects);
  return [ownNamespaceObject(values), ...served, ...installationObjects(values)];
}

function baseFiles(): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const [name] of crdFiles) files.set(`base/crds/${name}`, readFileSync(join(crdsDirectory, name), "utf8"));
  files.set("base/namespace.yaml", generated + documents([ownNamespaceObject(defaultValues)]));
  for (const [name, manifests] of manifestFiles) {
    const objects = manifests.flatMap((template) => resolveTemplate(template, defaultValues) ?? []);
    if (objects.length > 0) files.set(`base/${name}.yaml`, generated + documents(objects));
  }
  const resources = [...files.keys()].map((path) => path.replace("base/", ""));
  return files.set("base/kustomization.yaml", generated + yamlOf({ ...kustomization, resources }));
}

const kustomization = { apiVersion: "kustomize.config.k8s.io/v1beta1", kind: "Kustomization" };

function overlayFiles(): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  const base = wholeInstallation(defaultValues);
  for (const variant of variants) {
    const directory = `overlays/${variant.name}`;
    const { added, patches } = overlayOf(base, wholeInstallation(variantValues(variant)));
    if (added.length > 0) files.set(`${directory}/added.yaml`, generated + documents(added));
    const resources = ["../../base", ...(added.length > 0 ? ["added.yaml"] : [])];
    const content = { ...kustomization, resources, ...(patches.length > 0 ? { patches } : {}) };
    files.set(`${directory}/kustomization.yaml`, `${generated}# ${variant.help}\n${yamlOf(content)}`);
  }
  return files;
}

function chart(): ReadonlyMap<string, string> {
  const { version, description } = JSON.parse(readFileSync(join(product, "package.json"), "utf8")) as {
    readonly version: string;
    readonly description: string;
  };
  const companions = (family: "v0" | "v1"): string =>
    documents(
      [...crdFiles]
        .filter(([name]) => familyOf(name) === family)
        .flatMap(([, objects]) => objects.filter((object) => !isDefinition(object))),
    );
  const definitions = [...crdFiles].flatMap(([name, objects]) => {
    const held = objects.filter(isDefinition);
    return held.length === 0 ? [] : [[name, documents(held)] as const];
  });
  return chartFiles({
    version,
    description,
    definitions: new Map(definitions),
    names: [...crdFiles.values()]
      .flat()
      .filter(isDefinition)
      .map(({ metadata: { name = "" } }) => name),
    companions: { v0: companions("v0"), v1: companions("v1") },
  });
}

/** Files of `deploy/` by path: `base`, `overlays`, and the chart. */
export const deployFiles: ReadonlyMap<string, string> = new Map([
  ...baseFiles(),
  ...overlayFiles(),
  ...[...chart()].map(([path, content]) => [`helm/purser/${path}`, content] as const),
]);
