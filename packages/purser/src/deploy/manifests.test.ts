import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asJson } from "@purser/kubernetes/apis/object";
import { installationObjects } from "./manifests.ts";
import { removalSteps } from "./removal.ts";
import { rights } from "./rights/rights.ts";
import { only, resolve, text, type Template, value, items } from "./template.ts";
import { defaultValues, describedValues, withValues } from "./values.ts";
import { variants, variantValues } from "./variants.ts";

const shown = (objects: readonly KubeObject[]): readonly string[] =>
  objects.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? "-"}/${metadata.name}`);

test("an installation of both families has these objects", () => {
  assert.deepEqual(shown(installationObjects(defaultValues)), [
    "Namespace -/olm",
    "Namespace -/operators",
    "Namespace -/olmv1-system",
    "ServiceAccount purser-system/purser",
    "ClusterRole -/purser",
    "ClusterRoleBinding -/purser",
    "Role purser-system/purser",
    "RoleBinding purser-system/purser",
    "Service purser-system/purser-metrics",
    "Service purser-system/purser-catalogs",
    "Service purser-system/purser-packages",
    "NetworkPolicy purser-system/purser-default-deny",
    "NetworkPolicy purser-system/purser",
    "PodDisruptionBudget purser-system/purser",
    "Deployment purser-system/purser",
  ]);
});

const rows: readonly (readonly [name: string, template: Template, wanted: unknown])[] = [
  ["a value", { a: value("replicas") }, { a: 2 }],
  [
    "a key whose value is empty",
    { a: value("tolerations"), b: value("priorityClassName") },
    { b: "system-cluster-critical" },
  ],
  ["a text with values", { a: text`--ns=${"namespace"}/x` }, { a: "--ns=purser-system/x" }],
  ["a condition that holds", { a: only("v0", 1) }, { a: 1 }],
  ["a condition that does not hold", { a: only("onlyV0", 1), b: [only("tls", 2), 3] }, { b: [3] }],
  ["items within a list", { a: ["first", items("extraArgs"), "last"] }, { a: ["first", "--compat=strict", "last"] }],
  ["a condition in a condition", only("v1", { a: only("tls", 1) }), {}],
];
for (const [name, template, wanted] of rows)
  test(`a template resolves ${name}`, () =>
    assert.deepEqual(resolve(template, withValues(defaultValues, { extraArgs: ["--compat=strict"] })), wanted));

test("a manifest whose condition does not hold is no object", () =>
  assert.equal(resolve(only("openshift", { kind: "X" }), defaultValues), undefined));

test("every value of the chart changes something", () => {
  const others: Readonly<Record<string, unknown>> = {
    imagePullPolicy: "Always",
    globalNamespace: "other",
    "certificates.issuer": "service-ca",
    "certificates.issuerRef": { kind: "ClusterIssuer", name: "given" },
  };
  for (const { name, default: given } of describedValues) {
    const first = withValues(
      defaultValues,
      name === "certificates.issuerRef" ? { "certificates.issuer": "cert-manager" } : {},
    );
    const before = JSON.stringify(installationObjects(first));
    const other =
      others[name] ??
      (typeof given === "boolean"
        ? !given
        : typeof given === "number"
          ? given + 1
          : typeof given === "string"
            ? "x"
            : [{ name: "x" }]);
    const after = JSON.stringify(installationObjects(withValues(first, { [name]: other as string })));
    assert.notEqual(after, before, name);
  }
});

for (const variant of [{ name: "the defaults", changes: {} } as const, ...variants])
  test(`the pods of ${variant.name} satisfy the level "restricted" of Pod Security`, () => {
    const deployment = installationObjects(variantValues(variant as (typeof variants)[number])).find(
      ({ kind }) => kind === "Deployment",
    );
    assert.ok(deployment !== undefined);
    const { spec } = (asJson(deployment)["spec"] as unknown as { readonly template: { readonly spec: PodSpec } })
      .template;
    assert.deepEqual(spec.securityContext, { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } });
    assert.deepEqual(
      spec.containers.map(({ securityContext }) => securityContext),
      [{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ["ALL"] } }],
    );
    assert.deepEqual(
      spec.volumes.filter(
        (volume) => !Object.keys(volume).some((key) => /^(name|emptyDir|secret|configMap)$/.test(key)),
      ),
      [],
    );
  });

interface PodSpec {
  readonly securityContext: unknown;
  readonly containers: readonly { readonly securityContext: unknown }[];
  readonly volumes: readonly object[];
}

test("every right says why, in a sentence of its own words", () => {
  for (const { why, verbs, resources } of rights) {
    assert.ok(why.length > 15 && verbs.length > 0 && resources.length > 0, why);
    assert.ok(!verbs.includes("*"), `${resources.join()} is given every verb`);
  }
});

test("an installation of OLM v1 alone has no right on the kinds of OLM v0", () => {
  const role = installationObjects(withValues(defaultValues, { "apis.v0": false })).find(
    ({ kind }) => kind === "ClusterRole",
  );
  assert.doesNotMatch(JSON.stringify(role), /operators\.coreos\.com|serviceaccounts\/token/);
});

const certificates: readonly (readonly [issuer: string, changes: object, wanted: readonly string[]])[] = [
  ["own", {}, ["get core/secrets", "create core/secrets", "update core/secrets", "--catalog-tls", "--serving-secret"]],
  [
    "cert-manager",
    {},
    [
      "get core/secrets",
      "--catalog-tls",
      "--serving-secret",
      "--serving-secret-issuer=others",
      "Issuer purser-self-signed",
      "Certificate purser-authority",
      "Issuer purser-authority",
      "Certificate purser-serving",
    ],
  ],
  [
    "cert-manager",
    { "certificates.issuerRef": { kind: "ClusterIssuer", name: "given" } },
    [
      "get core/secrets",
      "--catalog-tls",
      "--serving-secret",
      "--serving-secret-issuer=others",
      "Certificate purser-serving",
    ],
  ],
  [
    "service-ca",
    {},
    [
      "get core/secrets",
      "--catalog-tls-cert",
      "--serving-secret",
      "--serving-secret-issuer=others",
      "purser-catalogs: purser-serving-catalogs",
      "purser-packages: purser-serving",
    ],
  ],
];
for (const [issuer, changes, wanted] of certificates)
  test(`certificates by ${issuer} ${JSON.stringify(changes)} need these rights, flags and objects`, () => {
    const values = withValues(defaultValues, { "certificates.issuer": issuer, "catalogs.tls": true, ...changes });
    const objects = installationObjects(values).map(
      (object) => asJson(object) as JsonObject & { readonly kind: string },
    );
    const rules = objects.flatMap((object) =>
      object["kind"] === "Role" ? (object["rules"] as unknown as readonly RoleRule[]) : [],
    );
    const flags = JSON.stringify(objects.find(({ kind }) => kind === "Deployment")).match(
      /--(serving-secret-issuer=\w+|serving-secret|catalog-tls-cert|catalog-tls)(?=[="])/g,
    );
    const shownAs = objects.flatMap(({ kind, ...object }) => {
      const { name, annotations = {} } = object["metadata"] as unknown as {
        readonly name: string;
        readonly annotations?: Readonly<Record<string, string>>;
      };
      const served = annotations["service.beta.openshift.io/serving-cert-secret-name"];
      return [
        ...(["Issuer", "Certificate"].includes(kind) ? [`${kind} ${name}`] : []),
        ...(served === undefined ? [] : [`${name}: ${served}`]),
      ];
    });
    assert.deepEqual(
      [
        ...rules.flatMap(({ resources, verbs }) =>
          resources.includes("secrets") ? verbs.map((verb) => `${verb} core/secrets`) : [],
        ),
        ...(flags ?? []),
        ...shownAs,
      ],
      wanted,
    );
  });

interface RoleRule {
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

test("only an installation of OLM v1 has the Service of catalogs", () => {
  const named = (change: "apis.v0" | "apis.v1"): readonly string[] =>
    shown(installationObjects(withValues(defaultValues, { [change]: false }))).filter((name) =>
      /Service |olmv1/.test(name),
    );
  assert.deepEqual(named("apis.v1"), ["Service purser-system/purser-metrics", "Service purser-system/purser-packages"]);
  assert.deepEqual(named("apis.v0"), [
    "Namespace -/olmv1-system",
    "Service purser-system/purser-metrics",
    "Service purser-system/purser-catalogs",
  ]);
});

test("removal begins with what is installed and ends with Purser itself", () => {
  assert.deepEqual(removalSteps(withValues(defaultValues, { "apis.v0": false })), [
    "# 1. installations, while Purser runs: it removes their objects",
    "kubectl delete clusterextensions.olm.operatorframework.io --all --ignore-not-found",
    "# 2. catalogs and OperatorGroups, with the ClusterRoles of the groups",
    "kubectl delete clustercatalogs.olm.operatorframework.io --all --ignore-not-found",
    "# 3. Purser itself: it removes the package API when it ends, for which it needs its rights",
    "kubectl -n purser-system scale deployment purser --replicas 0",
    "kubectl -n purser-system wait pod --for delete -l app.kubernetes.io/name=purser,app.kubernetes.io/part-of=purser,app.kubernetes.io/component=controllers",
    "# 4. its namespaces, rights and definitions",
    "purser manifests --namespace purser-system --apis v1 | kubectl delete --ignore-not-found -f -",
    "# CustomResourceDefinitions of operators are kept, because their objects are your data; kubectl get crd lists them",
  ]);
  assert.equal(removalSteps(defaultValues).length, 14);
});

test("revisions may have another system namespace: it is created, and the process gets its name", () => {
  const objects = installationObjects(withValues(defaultValues, { systemNamespace: "revisions" }));
  const namespaces = objects.filter(({ kind }) => kind === "Namespace").map(({ metadata }) => metadata.name);
  assert.ok(namespaces.includes("revisions") && !namespaces.includes("olmv1-system"), namespaces.join());
  const deployment = JSON.stringify(objects.find(({ kind }) => kind === "Deployment"));
  assert.match(deployment, /"--system-namespace=revisions"/);
  const onlyV0 = installationObjects(withValues(defaultValues, { systemNamespace: "revisions", "apis.v1": false }));
  assert.doesNotMatch(JSON.stringify(onlyV0), /revisions/);
});
