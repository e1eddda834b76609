import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { loadAll } from "js-yaml";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { JsonValue } from "@purser/kubernetes/json";
import { findKubectl } from "@purser/apiserver/testing/find-kubectl";
import { defaultValues, type ValueName, withValues } from "../../src/deploy/values.ts";
import { type Variant, variants, variantValues } from "../../src/deploy/variants.ts";
import { wholeInstallation } from "./files.ts";
import { findHelms } from "./find-helms.ts";
import { identityOf } from "./kustomize.ts";

const deploy = resolve(import.meta.dirname, "../../../../deploy");
const kubectl = findKubectl(process.env);

const helms = findHelms(process.env);
const noKubectl = kubectl === undefined && "there is no kubectl, whose kustomize renders the overlays";
const noHelm = helms.length === 0 && "helm is not on the PATH (CONTRIBUTING.md: deploy)";

function run(program: string, args: readonly string[]): readonly KubeObject[] {
  const run = () => spawnSync(program, args, { encoding: "utf8", maxBuffer: 1 << 26, timeout: 120_000 });
  const first = run();
  // It was once seen not to end, and ended in a second when started again.
  const { status, stdout, stderr } = first.status === null ? run() : first;
  assert.equal(status, 0, `${program} ${args.join(" ")}: ${stderr}`);
  return loadAll(stdout).filter((object) => object !== null && object !== undefined) as KubeObject[];
}

const inOrder = (objects: readonly KubeObject[]): ReadonlyMap<string, KubeObject> =>
  new Map(objects.map((object) => [identityOf(object), object] as const).toSorted(([a], [b]) => a.localeCompare(b)));

const isOwnNamespace = ({ kind, metadata }: KubeObject): boolean =>
  kind === "Namespace" && metadata.name === defaultValues.namespace;
const isHook = ({ metadata }: KubeObject): boolean => metadata.annotations?.["helm.sh/hook"] !== undefined;
/** Helm makes its namespace itself, and the definitions lie in a directory of the chart that knows no conditions. */
const besides = (object: KubeObject): boolean =>
  isOwnNamespace(object) || object.kind === "CustomResourceDefinition" || isHook(object);

const rendered: readonly (Pick<Variant, "changes"> & { readonly name: string })[] = [
  { name: "base", changes: {} },
  ...variants,
];

for (const variant of rendered) {
  const wanted = wholeInstallation(variantValues(variant as Variant));
  const directory = variant.name === "base" ? join(deploy, "base") : join(deploy, "overlays", variant.name);

  test(`Kustomize makes of ${variant.name} exactly the described objects`, { skip: noKubectl }, () => {
    assert.deepEqual(inOrder(run(kubectl ?? "", ["kustomize", directory])), inOrder(wanted));
  });

  test(`the chart makes of ${variant.name} the same objects as Kustomize`, { skip: noHelm }, () => {
    const values = variant.name === "base" ? [] : ["--values", join(deploy, `helm/purser/values-${variant.name}.yaml`)];
    renders(values, wanted);
  });
}

/** Every Helm makes exactly these objects of the chart. */
function renders(values: readonly string[], wanted: readonly KubeObject[]): void {
  const { namespace } = defaultValues;
  const args = ["template", "purser", join(deploy, "helm/purser"), "-n", namespace, "--kube-version", "1.30.0"];
  for (const helm of helms)
    assert.deepEqual(
      inOrder(run(helm, [...args, ...values]).filter((object) => !besides(object))),
      inOrder(wanted.filter((object) => !besides(object))),
      helm,
    );
}

const chosen: readonly Readonly<Partial<Record<ValueName, JsonValue>>>[] = [
  { "certificates.issuer": "cert-manager", "catalogs.tls": true },
  { "certificates.issuer": "cert-manager", "certificates.issuerRef": { kind: "ClusterIssuer", name: "given" } },
  { "certificates.issuer": "service-ca", "catalogs.tls": true, "certificates.secret": "other" },
  { "certificates.issuer": "service-ca", packageApi: false, "catalogs.tls": true },
  { "apis.v0": false, "catalogs.tls": true },
  {
    "namespaces.watched": "a,b",
    "namespaces.protected": "c",
    installPlanRetryTimeout: "5m",
    featureGates: "GraphQLCatalogQueries=true",
    compat: "strict",
    logLevel: "debug",
  },
];
for (const changes of chosen)
  test(`the chart with ${JSON.stringify(changes)} makes the described objects`, { skip: noHelm }, () => {
    const settings = Object.entries(changes).flatMap(([name, value]) => [
      "--set-json",
      `${name}=${JSON.stringify(value)}`,
    ]);
    renders(settings, wholeInstallation(withValues(defaultValues, changes)));
  });

test(
  "the chart brings every definition, and a Job that updates exactly these before an upgrade",
  { skip: noHelm },
  () => {
    const args = ["template", "purser", join(deploy, "helm/purser"), "--include-crds", "--kube-version", "1.30.0"];
    const made = run(helms[0] ?? "", args);
    const names = (objects: readonly KubeObject[]): readonly string[] =>
      objects
        .filter(({ kind }) => kind === "CustomResourceDefinition")
        .map(({ metadata: { name = "" } }) => name)
        .toSorted();
    assert.deepEqual(names(made), names(wholeInstallation(defaultValues)));
    const role = made.find(
      ({ kind, metadata }) => kind === "ClusterRole" && metadata.name === "purser-crds",
    ) as unknown as {
      readonly rules: readonly { readonly resourceNames?: readonly string[] }[];
    };
    assert.deepEqual(role.rules.flatMap(({ resourceNames = [] }) => resourceNames).toSorted(), names(made));
    const hooks = made.filter(({ metadata }) => metadata.annotations?.["helm.sh/hook"] === "pre-install,pre-upgrade");
    assert.deepEqual(hooks.map(({ kind }) => kind).toSorted(), [
      "ClusterRole",
      "ClusterRoleBinding",
      "Job",
      "ServiceAccount",
    ]);
  },
);

const refused: readonly (readonly [setting: string, problem: RegExp])[] = [
  ["replicas=0", /replicas/],
  ["globalNamespace=Not_A_Name", /globalNamespace/],
  ["metrics.tls=x", /tls/],
  ["imagePullPolicy=Sometimes", /imagePullPolicy/],
];
for (const [setting, problem] of refused)
  test(`the chart refuses --set ${setting}`, { skip: noHelm }, () => {
    const args = ["template", "purser", join(deploy, "helm/purser"), "--kube-version", "1.30.0", "--set", setting];
    const { status, stderr } = spawnSync(helms[0] ?? "", args, { encoding: "utf8" });
    assert.notEqual(status, 0);
    assert.match(stderr, problem);
  });
