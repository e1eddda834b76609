import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { ownLabels, ownName } from "../../src/deploy/labels.ts";
import { manifestFiles } from "../../src/deploy/manifests.ts";
import { only, type Template, value } from "../../src/deploy/template.ts";
import { type DescribedValue, describedValues } from "../../src/deploy/values.ts";
import { variants } from "../../src/deploy/variants.ts";
import { generated, yamlOf } from "./generated-yaml.ts";
import { helmText } from "./helm-text.ts";

const hook = (weight: number): JsonObject => ({
  "helm.sh/hook": "pre-install,pre-upgrade",
  "helm.sh/hook-weight": String(weight),
  "helm.sh/hook-delete-policy": "before-hook-creation,hook-succeeded",
});
const hookName = "purser-crds";
const wide = { name: hookName, labels: ownLabels, annotations: hook(-5) };
const local = { ...wide, namespace: value("namespace") };
const rbac = "rbac.authorization.k8s.io";

/** Helm never changes a definition of the directory `crds/`: this Job brings those of a newer chart, and those of an older OLM up to date. */
function definitionHook(names: readonly string[]): readonly Template[] {
  const definitions = { apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"] };
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: local, automountServiceAccountToken: false },
    {
      apiVersion: `${rbac}/v1`,
      kind: "ClusterRole",
      metadata: wide,
      rules: [
        { ...definitions, verbs: ["create"] },
        { ...definitions, resourceNames: names, verbs: ["get", "patch"] },
      ],
    },
    {
      apiVersion: `${rbac}/v1`,
      kind: "ClusterRoleBinding",
      metadata: wide,
      roleRef: { apiGroup: rbac, kind: "ClusterRole", name: hookName },
      subjects: [{ kind: "ServiceAccount", name: hookName, namespace: value("namespace") }],
    },
    {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { ...local, annotations: hook(0) },
      spec: {
        backoffLimit: 3,
        activeDeadlineSeconds: 300,
        template: podOf(hookName, ["crds", "apply", only("onlyV0", "--apis=v0"), only("onlyV1", "--apis=v1")]),
      },
    },
  ];
}

/** A pod of our image that runs one command, with the restrictions of the Deployment. */
function podOf(account: string, args: readonly Template[]): Template {
  return {
    metadata: { labels: { ...ownLabels, "app.kubernetes.io/component": "once" } },
    spec: {
      restartPolicy: "Never",
      serviceAccountName: account,
      imagePullSecrets: value("imagePullSecrets"),
      nodeSelector: value("nodeSelector"),
      tolerations: value("tolerations"),
      securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
      containers: [
        {
          name: ownName,
          image: value("image"),
          imagePullPolicy: value("imagePullPolicy"),
          args,
          env: [{ name: "HOME", value: "/tmp" }],
          volumeMounts: [{ name: "scratch", mountPath: "/tmp" }],
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ["ALL"] },
          },
        },
      ],
      volumes: [{ name: "scratch", emptyDir: {} }],
    },
  };
}

/** `helm test`: the ServiceAccount of the controllers lists all installations. */
function chartTest(): readonly Template[] {
  const { spec } = podOf(ownName, ["list", "--all-namespaces"]) as { readonly spec: Template };
  return [
    {
      apiVersion: "v1",
      kind: "Pod",
      metadata: {
        name: "purser-test",
        namespace: value("namespace"),
        labels: { ...ownLabels, "app.kubernetes.io/component": "once" },
        annotations: { "helm.sh/hook": "test", "helm.sh/hook-delete-policy": "before-hook-creation,hook-succeeded" },
      },
      spec,
    },
  ];
}

const notes = `Purser runs in {{ .Release.Namespace }} with {{ .Values.replicas }} replicas; one of them leads.

  kubectl -n {{ .Release.Namespace }} rollout status deployment/purser
{{- if .Values.apis.v0 }}
  kubectl get subscriptions,installplans,csv -A
{{- end }}
{{- if .Values.apis.v1 }}
  kubectl get clustercatalogs,clusterextensions
{{- end }}

What it may do, and why: docs/rights.md of its sources. helm uninstall keeps the CustomResourceDefinitions, the namespaces of operators and
everything that is installed there.
`;

const typeOf = (given: JsonValue): string =>
  Array.isArray(given) ? "array" : typeof given === "number" ? "integer" : typeof given;

function schemaOf(chosen: readonly DescribedValue[]): JsonObject {
  const properties: Record<string, JsonObject> = {};
  for (const { name, default: given, help, schema } of chosen) {
    const [first = "", second] = name.split(".");
    const leaf = { description: help, type: typeOf(given), ...schema };
    const held = (properties[first]?.["properties"] ?? {}) as JsonObject;
    properties[first] =
      second === undefined
        ? leaf
        : { type: "object", additionalProperties: false, properties: { ...held, [second]: leaf } };
  }
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    type: "object",
    additionalProperties: false,
    // Charts that depend on this one hand it their own `global`.
    properties: { ...properties, global: { type: "object" } },
  };
}

/** `values.yaml` with what is said about each value. */
function valuesText(): string {
  const lines: string[] = [];
  let group = "";
  for (const { name, default: given, help } of describedValues) {
    const [first = "", second] = name.split(".");
    if (second === undefined) lines.push(`# ${help}`, yamlOf({ [first]: given }).trimEnd());
    else {
      if (group !== first) lines.push(`${first}:`);
      const text = yamlOf({ [second]: given })
        .trimEnd()
        .replaceAll(/^/gm, "  ");
      lines.push(`  # ${help}`, text);
    }
    group = first;
  }
  return `${generated}${lines.join("\n")}\n`;
}

/** Changed values with dots as the tree that `helm --values` reads. */
function valuesTree(changes: Readonly<Record<string, JsonValue>>): JsonObject {
  const tree: Record<string, JsonValue> = {};
  for (const [name, given] of Object.entries(changes)) {
    const [first = "", second] = name.split(".");
    tree[first] = second === undefined ? given : { ...(tree[first] as JsonObject | undefined), [second]: given };
  }
  return tree;
}

export interface ChartInput {
  readonly version: string;
  readonly description: string;
  /** Files of `packages/purser/crds` by name: definitions, and the policies and roles beside them. */
  readonly definitions: ReadonlyMap<string, string>;
  /** Names of the definitions. */
  readonly names: readonly string[];
  /** Policies and roles of a family as YAML. */
  readonly companions: { readonly v0: string; readonly v1: string };
}

/** The files of the chart by their path in it. */
export function chartFiles({
  version,
  description,
  definitions,
  names,
  companions,
}: ChartInput): ReadonlyMap<string, string> {
  const chart = {
    apiVersion: "v2",
    name: ownName,
    description,
    type: "application",
    version,
    appVersion: version,
    kubeVersion: ">=1.30.0-0",
  };
  const files = new Map<string, string>([
    ["Chart.yaml", generated + yamlOf(chart)],
    ["values.yaml", valuesText()],
    ["values.schema.json", `${JSON.stringify(schemaOf(describedValues), undefined, 2)}\n`],
    ["templates/NOTES.txt", notes],
    ["templates/definitions.yaml", generated + helmText(definitionHook(names))],
    ["templates/policies-v0.yaml", `${generated}{{- if .Values.apis.v0 }}\n${companions.v0}{{- end }}\n`],
    ["templates/policies-v1.yaml", `${generated}{{- if .Values.apis.v1 }}\n${companions.v1}{{- end }}\n`],
    ["templates/tests/list.yaml", generated + helmText(chartTest())],
  ]);
  for (const [name, text] of definitions) files.set(`crds/${name}`, text);
  for (const [name, manifests] of manifestFiles) files.set(`templates/${name}.yaml`, generated + helmText(manifests));
  for (const { name, help, changes } of variants)
    files.set(`values-${name}.yaml`, `${generated}# ${help}\n${yamlOf(valuesTree(changes))}`);
  return files;
}
