import type { CustomResourceDefinition } from "@purser/kubernetes/apis/apiextensions";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asJson } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { formatFieldError } from "@purser/kubernetes/object/field-error";
import { compileSchema } from "@purser/kubernetes/object/schema/structural-schema";
import { validateOpenApi } from "@purser/kubernetes/object/schema/validate-openapi";

/** Versions whose objects an update of a CRD has to keep readable: served before and after. */
export function versionsToCheck(
  live: CustomResourceDefinition,
  next: CustomResourceDefinition,
): readonly ResourceType[] {
  const served = new Set((live.spec.versions ?? []).filter((version) => version.served).map(({ name }) => name));
  return (next.spec.versions ?? [])
    .filter((version) => version.served && served.has(version.name))
    .map(({ name }) => ({
      group: next.spec.group,
      version: name,
      kind: next.spec.names.kind,
      plural: next.spec.names.plural,
      namespaced: next.spec.scope === "Namespaced",
    }));
}

/** An object that violates the new schema of its version. */
export interface SchemaRefusal {
  /** `NAMESPACE/NAME`. */
  readonly object: string;
  /** What is wrong with its fields, in the API server's words. */
  readonly fields: string;
}

/** OLM's text about an object that violates the new schema. */
export const schemaRefusalText = (type: ResourceType, { object, fields }: SchemaRefusal): string =>
  `error validating ${type.group}/${type.version}, Kind=${type.kind} "${object}": updated validation is too restrictive: ${fields}`;

/** The objects that violate the new schema of their version, in order; each is validated when it is asked for. */
export function* schemaRefusals(
  next: CustomResourceDefinition,
  type: ResourceType,
  objects: readonly KubeObject[],
): Generator<SchemaRefusal, undefined> {
  const schema = next.spec.versions.find(({ name }) => name === type.version)?.schema?.openAPIV3Schema;
  // Without a schema every object is valid; OLM panics here.
  if (schema === undefined) return undefined;
  const compiled = compileSchema(schema, { trusted: true });
  if (!compiled.ok) return undefined;
  for (const object of objects) {
    const errors = validateOpenApi(asJson(object), compiled.value, { base: "[]" });
    if (errors.length === 0) continue;
    const { namespace, name = "" } = object.metadata;
    const texts = [...new Set(errors.map(formatFieldError))].toSorted();
    const fields = texts.length === 1 ? (texts[0] ?? "") : `[${texts.join(", ")}]`;
    yield { object: namespace === undefined ? name : `${namespace}/${name}`, fields };
  }
  return undefined;
}

/** Stored versions that the new CRD removes; objects stored in them could not be read any more. */
export function lostVersion(live: CustomResourceDefinition, next: CustomResourceDefinition): string | undefined {
  const names = new Set((next.spec.versions ?? []).map(({ name }) => name));
  return (live.status?.storedVersions ?? []).find((version) => !names.has(version));
}

/** Conversion webhooks may be able to read what the schema refuses. */
export function convertsByWebhook(crd: CustomResourceDefinition): boolean {
  return crd.spec.conversion?.strategy === "Webhook";
}

export function isEstablished({ status }: CustomResourceDefinition): boolean {
  const holds = (type: string) =>
    (status?.conditions ?? []).some((condition) => condition.type === type && condition.status === "True");
  return holds("Established") && holds("NamesAccepted");
}
