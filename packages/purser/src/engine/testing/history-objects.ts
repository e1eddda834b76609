// Objects of the worlds in `histories/`: short forms of what every world needs, and whole manifests as they are.
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { isJsonObject, type JsonObject, type JsonValue } from "@purser/kubernetes/json";

/** A text as it is, anything else as JSON. */
export const textOf = (value: JsonValue | undefined): string =>
  typeof value === "string" ? value : JSON.stringify(value ?? null);

/** `{csv: {...}}`, `{group: {...}}`, `{crd: {...}}`, `{sub: {...}}`, `{namespace: name}`, or a manifest. */
export function historyObject(short: JsonObject): KubeObject {
  const [kind = "", given] = Object.entries(short)[0] ?? [];
  const fields = isJsonObject(given as JsonValue) ? (given as JsonObject) : {};
  switch (kind) {
    case "csv":
      return csvOf(fields);
    case "group":
      return manifest("operators.coreos.com/v1", "OperatorGroup", fields, { spec: without(fields, "name", "in") });
    case "crd":
      return crdOf(fields);
    case "sub":
      return subscriptionOf(fields);
    case "namespace":
      return manifest("v1", "Namespace", { name: given as JsonValue }, {});
    default:
      return short as unknown as KubeObject;
  }
}

function manifest(apiVersion: string, kind: string, { name, in: namespace }: JsonObject, more: JsonObject): KubeObject {
  const metadata = { name, ...(namespace === undefined ? {} : { namespace }) };
  return { apiVersion, kind, metadata, ...more } as unknown as KubeObject;
}

const without = (fields: JsonObject, ...names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));

/**
 * `name`, `in`, `owns` and `requires` (`plural.group`), `modes`, `deployments` (names), `image`, `apis` (groups of aggregated APIs that the
 * first Deployment serves), and fields of the spec.
 */
function csvOf(fields: JsonObject): KubeObject {
  const { owns = [], requires = [], modes = ["OwnNamespace", "SingleNamespace"], image = "op:1" } = fields;
  const { deployments = ["op"], labels, apis = [] } = fields;
  const listed = (value: JsonValue): readonly string[] => value as readonly string[];
  const described = (value: JsonValue): readonly JsonObject[] =>
    listed(value).map((name) => ({ name, version: "v1", kind: kindOf(name) }));
  const install = {
    strategy: "deployment",
    spec: { deployments: listed(deployments).map((name) => deploymentOf(name, textOf(image), labels)) },
  };
  const spec = {
    displayName: textOf(fields["name"]),
    installModes: listed(modes).map((type) => ({ type, supported: true })),
    install,
    customresourcedefinitions: { owned: described(owns), required: described(requires) },
    ...(listed(apis).length === 0 ? {} : { apiservicedefinitions: { owned: listed(apis).map(apiOf) } }),
    ...without(fields, "name", "in", "owns", "requires", "modes", "image", "deployments", "labels", "apis"),
  };
  return manifest("operators.coreos.com/v1alpha1", "ClusterServiceVersion", fields, { spec } as unknown as JsonObject);
}

const apiOf = (group: string): JsonObject => ({
  group,
  version: "v1",
  kind: "Thing",
  name: "things",
  deploymentName: "op",
  containerPort: "PORT",
});

/** `labels: false` leaves the template without the labels of the selector, so that no API server accepts it. */
function deploymentOf(name: string, image: string, labels: JsonValue | undefined): JsonObject {
  const template = {
    metadata: { labels: { app: labels === false ? "other" : name } },
    spec: { containers: [{ name: "c", image }] },
  };
  return { name, spec: { replicas: 1, selector: { matchLabels: { app: name } }, template } };
}

const kindOf = (name: string): string => `${name.slice(0, 1).toUpperCase()}${name.slice(1, name.indexOf(".") - 1)}`;

/** `name` (`plural.group`), `versions` (the first is stored). */
function crdOf({ name, versions = ["v1"] }: JsonObject): KubeObject {
  const [plural = "", ...group] = textOf(name).split(".");
  const kind = kindOf(textOf(name));
  const schema = { openAPIV3Schema: { type: "object" } };
  const spec = {
    group: group.join("."),
    names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
    scope: "Namespaced",
    versions: (versions as readonly string[]).map((each, index) => ({
      name: each,
      served: true,
      storage: index === 0,
      schema,
    })),
  };
  return manifest("apiextensions.k8s.io/v1", "CustomResourceDefinition", { name: name ?? "" }, { spec });
}

/** `name` (of the package, too), `in`, and fields of the spec, from the demo catalog. */
function subscriptionOf(fields: JsonObject): KubeObject {
  const spec = {
    name: fields["name"] ?? "",
    source: "demo",
    sourceNamespace: "olm",
    channel: "stable",
    ...without(fields, "name", "in"),
  };
  return manifest("operators.coreos.com/v1alpha1", "Subscription", fields, { spec });
}
