// node build/crds-generator/extract.ts URL TOKEN > build/crds-generator/kubernetes-schemas.json
// Takes the shapes of Kubernetes' own types, which our CRDs embed, from a running API server's OpenAPI document.
// Only facts are kept: no descriptions, and none of the keywords that a CRD may not hold.
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { isJsonObject } from "@purser/kubernetes/json";

const documents = [
  "api/v1",
  "apis/apps/v1",
  "apis/rbac.authorization.k8s.io/v1",
  "apis/admissionregistration.k8s.io/v1",
];

const wanted = {
  DeploymentSpec: "io.k8s.api.apps.v1.DeploymentSpec",
  EnvVar: "io.k8s.api.core.v1.EnvVar",
  EnvFromSource: "io.k8s.api.core.v1.EnvFromSource",
  Volume: "io.k8s.api.core.v1.Volume",
  VolumeMount: "io.k8s.api.core.v1.VolumeMount",
  Toleration: "io.k8s.api.core.v1.Toleration",
  Affinity: "io.k8s.api.core.v1.Affinity",
  ResourceRequirements: "io.k8s.api.core.v1.ResourceRequirements",
  ObjectReference: "io.k8s.api.core.v1.ObjectReference",
  LabelSelector: "io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector",
  PolicyRule: "io.k8s.api.rbac.v1.PolicyRule",
  RuleWithOperations: "io.k8s.api.admissionregistration.v1.RuleWithOperations",
} as const;

const quantityPattern =
  "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$";
const intOrString = { anyOf: [{ type: "integer" }, { type: "string" }], "x-kubernetes-int-or-string": true };

/** Types that a CRD writes in its own way. */
const replaced: Readonly<Record<string, JsonObject>> = {
  "io.k8s.apimachinery.pkg.api.resource.Quantity": { ...intOrString, pattern: quantityPattern },
  "io.k8s.apimachinery.pkg.util.intstr.IntOrString": intOrString,
  // Embedded metadata would lose its labels if the schema listed nothing.
  "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta": { type: "object", "x-kubernetes-preserve-unknown-fields": true },
};

const dropped = new Set([
  "description",
  "enum",
  "x-kubernetes-patch-strategy",
  "x-kubernetes-patch-merge-key",
  "x-kubernetes-unions",
  "x-kubernetes-group-version-kind",
]);

const [url = "", token = ""] = process.argv.slice(2);
// A development server's certificate is its own; this script reads public shapes only.
process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";

async function fetchSchemas(path: string): Promise<JsonObject> {
  const response = await fetch(`${url}/openapi/v3/${path}`, { headers: { authorization: `Bearer ${token}` } });
  const document = (await response.json()) as { readonly components: { readonly schemas: JsonObject } };
  return document.components.schemas;
}

const schemas: JsonObject = Object.assign({}, ...(await Promise.all(documents.map(fetchSchemas))));

function inlined(schema: JsonObject, keepDefault: boolean): JsonObject {
  const all = schema["allOf"];
  const [only] = Array.isArray(all) ? (all as readonly JsonValue[]) : [schema];
  const reference = isJsonObject(only) ? only["$ref"] : undefined;
  if (typeof reference === "string") {
    const name = reference.replace("#/components/schemas/", "");
    return named(name);
  }
  const result: Record<string, JsonValue> = {};
  const required = new Set(Array.isArray(schema["required"]) ? (schema["required"] as readonly JsonValue[]) : []);
  for (const [key, value = null] of Object.entries(schema)) {
    if (dropped.has(key)) continue;
    if (key === "properties" && isJsonObject(value))
      result[key] = Object.fromEntries(
        // Defaults of required fields are Go's zero values: with them nothing would be required.
        Object.entries(value).map(([name, held]) => [name, inlined(held as JsonObject, !required.has(name))]),
      );
    else if ((key === "items" || key === "additionalProperties") && isJsonObject(value))
      result[key] = inlined(value, false);
    else if (key === "default" && (!keepDefault || isJsonObject(value))) continue;
    else result[key] = value;
  }
  return result;
}

function named(name: string): JsonObject {
  const special = replaced[name];
  if (special !== undefined) return special;
  const schema = schemas[name];
  if (!isJsonObject(schema)) throw new Error(`no schema ${name}`);
  return inlined(schema, true);
}

const lines = Object.entries(wanted).map(([key, name]) => `"${key}": ${JSON.stringify(named(name))}`);
console.log(`{\n${lines.join(",\n")}\n}`);
