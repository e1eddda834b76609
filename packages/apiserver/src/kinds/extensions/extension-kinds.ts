import type { JsonObject } from "@purser/kubernetes/json";
import { allSteps, type Steps } from "@purser/kubernetes/steps";
import { customResourceDefinitions } from "@purser/kubernetes/apis/resources";
import { goVersions } from "./definition-go-text.ts";
import { checkSchema, checkStatusRoot, unknownFormats } from "@purser/kubernetes/object/schema/structural-schema";
import { invalid, required, type FieldError } from "@purser/kubernetes/object/field-error";
import { deepEqualInSteps } from "@purser/kubernetes/object/semantic-equal";
import { createdAtCell, nameCell, printer } from "../../printing/printer.ts";
import type { WriteEndpoint } from "../built-in-kind.ts";
import { defineKind, specOf } from "../define-kind.ts";
import { emptiedIn } from "../emptied.ts";
import {
  hasMember,
  mapMember,
  objectAt,
  objectIn,
  objectsIn,
  textIn,
  textsIn,
  withDefaults,
} from "../decoding/json-parts.ts";
import { sharedParts, validateConversion, validateNames, validateVersionParts } from "./definition-validation.ts";
import { relativeNameProblems, subdomainProblems } from "../names.ts";
import type { DeletionRule } from "../deletion-rule.ts";
import { formatTime } from "@purser/kubernetes/clock";
import { definitionFinalizer, markTerminating } from "../../custom-resources/definition-status.ts";

function defaultDefinition(definition: JsonObject): JsonObject {
  return mapMember(definition, "spec", (spec) => {
    const names = mapMember(spec, "names", (held) => {
      const kind = textIn(held, "kind");
      return withDefaults(held, {
        ...(textIn(held, "singular") === "" && kind !== "" ? { singular: kind.toLowerCase() } : {}),
        ...(textIn(held, "listKind") === "" && kind !== "" ? { listKind: `${kind}List` } : {}),
      });
    });
    const filled = withDefaults(names, { conversion: { strategy: "None" } });
    return mapMember(filled, "conversion", (conversion) =>
      mapMember(conversion, "webhook", (webhook) =>
        mapMember(webhook, "clientConfig", (config) =>
          mapMember(config, "service", (service) => withDefaults(service, { port: 443 })),
        ),
      ),
    );
  });
}

function storageVersion(spec: JsonObject): string | undefined {
  const found = objectsIn(spec, "versions").find((version) => version["storage"] === true);
  return found === undefined ? undefined : textIn(found, "name");
}

function isProtectedGroup(group: string): boolean {
  return ["k8s.io", "kubernetes.io"].some((suffix) => group === suffix || group.endsWith(`.${suffix}`));
}

const approval = "api-approved.kubernetes.io";

function* validateDefinition(
  definition: JsonObject,
  old: JsonObject | undefined,
  endpoint: WriteEndpoint | undefined,
): Steps<readonly FieldError[]> {
  if (endpoint === "status") return [];
  const metadata = objectIn(definition, "metadata");
  const spec = objectIn(definition, "spec");
  const names = objectIn(spec, "names");
  const group = textIn(spec, "group");
  const plural = textIn(names, "plural");
  const errors: FieldError[] = [];
  const name = textIn(metadata, "name");
  // Checked on creation only: the name, group and plural cannot change later.
  if (old === undefined && name !== `${plural}.${group}`) {
    const detail = 'must be spec.names.plural+"."+spec.group';
    const base = textIn(metadata, "generateName");
    if (base !== "") errors.push(invalid("metadata.generateName", base, detail));
    errors.push(invalid("metadata.name", name, detail));
  }
  if (group === "") errors.push(required("spec.group"));
  else {
    for (const problem of subdomainProblems(group)) errors.push(invalid("spec.group", group, problem));
    if (!group.includes(".")) errors.push(invalid("spec.group", group, "should be a domain with at least one dot"));
  }
  errors.push(...validateApproval(group, textIn(objectIn(metadata, "annotations"), approval)));
  const scope = textIn(spec, "scope");
  if (scope === "") errors.push(required("spec.scope"));
  else if (scope !== "Cluster" && scope !== "Namespaced") {
    errors.push({
      type: "FieldValueNotSupported",
      field: "spec.scope",
      badValue: scope,
      detail: 'supported values: "Cluster", "Namespaced"',
    });
  }
  const isShared = sharedParts(objectsIn(spec, "versions"));
  // Lists of a tenant's length must not become arguments of one call.
  const add = (found: readonly FieldError[]): void => found.forEach((error) => errors.push(error));
  add(yield* validateVersions(spec, old, isShared));
  add(yield* validateNames(names));
  add(yield* validateVersionParts(spec, isShared));
  if (spec["preserveUnknownFields"] === true) {
    errors.push(
      invalid(
        "spec.preserveUnknownFields",
        true,
        "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
      ),
    );
  }
  add(yield* validateConversion(objectIn(spec, "conversion")));
  add(validateStored(spec, textsIn(objectIn(definition, "status"), "storedVersions")));
  return old === undefined ? errors : [...errors, ...validateDefinitionUpdate(definition, old)];
}

function validateApproval(group: string, given: string): readonly FieldError[] {
  if (!isProtectedGroup(group)) return [];
  const place = `metadata.annotations[${approval}]`;
  const wanted = `protected groups must have approval annotation "${approval}"`;
  const reference = "see https://github.com/kubernetes/enhancements/pull/1111";
  if (given === "") return [required(place, `${wanted}, ${reference}`)];
  const url = URL.parse(given);
  if (given.startsWith("unapproved") || (url !== null && url.host !== "")) return [];
  return [invalid(place, given, `${wanted} with either a URL or a reason starting with "unapproved", ${reference}`)];
}

function validateStored(spec: JsonObject, stored: readonly string[]): readonly FieldError[] {
  const field = "status.storedVersions";
  if (stored.length === 0) return [invalid(field, null, "must have at least one stored version")];
  const unmet = new Set(stored);
  // A version that is listed twice is reported for the second entry.
  return objectsIn(spec, "versions").flatMap((version) => {
    const name = textIn(version, "name");
    if (unmet.delete(name) || version["storage"] !== true) return [];
    return [invalid(field, stored, `must have the storage version ${name}`)];
  });
}

/** Makes refusals of the list of versions, which show all of it; it is written once for all of them. */
function refusingVersions(spec: JsonObject): (detail: string) => FieldError {
  const versions = objectsIn(spec, "versions");
  const none = hasMember(spec, "versions") || emptiedIn(spec).includes("versions") ? "[]" : "null";
  let badText = versions.length === 0 ? none : undefined;
  return (detail) => {
    badText ??= goVersions(versions);
    return { ...invalid("spec.versions", null, detail), badText };
  };
}

function* validateVersions(
  spec: JsonObject,
  old: JsonObject | undefined,
  isShared: (part: string) => boolean,
): Steps<readonly FieldError[]> {
  const versions = objectsIn(spec, "versions");
  const errors: FieldError[] = [];
  const refuse = refusingVersions(spec);
  const storage = versions.filter((version) => version["storage"] === true).length;
  if (storage !== 1) {
    errors.push(refuse("must have exactly one version marked as storage version"));
  }
  const shared = isShared("schema");
  const before = new Map(
    objectsIn(objectIn(old ?? {}, "spec"), "versions")
      .toReversed()
      .map((held) => [textIn(held, "name"), objectAt(held, "schema", "openAPIV3Schema")]),
  );
  const seen = new Set<string>();
  for (const [index, version] of versions.entries()) {
    const at = `spec.versions[${index}]`;
    const name = textIn(version, "name");
    for (const problem of relativeNameProblems(name)) {
      errors.push(invalid(`${at}.name`, name, problem));
      if (index === 0 && name !== "") errors.push(invalid("spec.version", name, problem));
    }
    if (seen.has(name)) {
      errors.push(refuse("must contain unique version names"));
    }
    seen.add(name);
    // A schema that all versions share is checked once, at `spec.validation`.
    const path = shared && hasMember(version, "schema") ? "spec.validation" : `${at}.schema`;
    if (!shared || index === 0 || path !== "spec.validation") {
      const holders = path === "spec.validation" ? versions : [version];
      const hasStatus = holders.some((holder) => hasMember(objectIn(holder, "subresources"), "status"));
      const found = yield* validateSchema(version, path, before.get(name), hasStatus);
      found.forEach((error) => errors.push(error));
    }
  }
  return errors;
}

function* validateSchema(
  version: JsonObject,
  path: string,
  before: JsonObject | undefined,
  hasStatus: boolean,
): Steps<readonly FieldError[]> {
  const schema = objectIn(version, "schema");
  if (!hasMember(schema, "openAPIV3Schema")) {
    return [required(`${path.replace("spec.validation", "spec.versions[0].schema")}.openAPIV3Schema`)];
  }
  const given = objectIn(schema, "openAPIV3Schema");
  // An unchanged schema is not validated again.
  if (before !== undefined && (yield* deepEqualInSteps(before, given))) return [];
  const errors = hasStatus ? checkStatusRoot(given, `${path}.openAPIV3Schema`) : [];
  yield;
  return [...errors, ...(yield* checkSchema(given, `${path}.openAPIV3Schema`))];
}

/** Warnings for formats that are not checked, unless the old definition already used them. */
function formatWarnings(definition: JsonObject, old?: JsonObject): readonly string[] {
  const before = old === undefined ? [] : schemasOf(old);
  // Each is looked at once: most writes change no schema.
  const changed = schemasOf(definition).filter((schema) => !before.includes(schema));
  const known = new Set(changed.length === 0 ? [] : before.flatMap(unknownFormats));
  return changed
    .flatMap(unknownFormats)
    .filter((format) => !known.has(format))
    .map((format) => `unrecognized format ${JSON.stringify(format)}`);
}

function schemasOf(definition: JsonObject): readonly JsonObject[] {
  return objectsIn(objectIn(definition, "spec"), "versions").map((version) =>
    objectAt(version, "schema", "openAPIV3Schema"),
  );
}

function validateDefinitionUpdate(definition: JsonObject, old: JsonObject): readonly FieldError[] {
  const errors: FieldError[] = [];
  const spec = objectIn(definition, "spec");
  const before = objectIn(old, "spec");
  const established = objectsIn(objectIn(old, "status"), "conditions").some(
    (condition) => condition["type"] === "Established" && condition["status"] === "True",
  );
  if (established) {
    for (const key of ["group", "scope"]) {
      if (spec[key] !== before[key]) errors.push(invalid(`spec.${key}`, spec[key], "field is immutable"));
    }
    for (const key of ["kind", "plural"]) {
      const value = objectIn(spec, "names")[key];
      if (value !== objectIn(before, "names")[key])
        errors.push(invalid(`spec.names.${key}`, value, "field is immutable"));
    }
  }
  const served = new Set(objectsIn(spec, "versions").map((version) => textIn(version, "name")));
  textsIn(objectIn(definition, "status"), "storedVersions").forEach((version, index) => {
    if (served.has(version)) return;
    errors.push(
      invalid(
        `status.storedVersions[${index}]`,
        version,
        `missing from spec.versions; ${version} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${version} and removes ${version} from status.storedVersions`,
      ),
    );
  });
  return errors;
}

const deletion: DeletionRule = {
  hasOwnPreconditions: true,
  isTimeless: true,
  // Deletion goes through the definition's own finalizer, whatever the propagation policy.
  finalizers({ metadata: { finalizers = [], deletionTimestamp } }) {
    if (deletionTimestamp !== undefined) return undefined;
    return finalizers.includes(definitionFinalizer) ? finalizers : [...finalizers, definitionFinalizer];
  },
  marked: (object, now) => markTerminating(object, formatTime(now)),
  // The first repeated DELETE sets deletionGracePeriodSeconds.
  repeated: (object) =>
    object.metadata.deletionGracePeriodSeconds === undefined
      ? { ...object, metadata: { ...object.metadata, deletionGracePeriodSeconds: 0 } }
      : object,
};

export const customResourceDefinitionKind = defineKind(customResourceDefinitions, {
  deletion,
  shortNames: ["crd", "crds"],
  categories: ["api-extensions"],
  status: true,
  requiresResourceVersion: true,
  deletionBumpsGeneration: false,
  versioned: specOf,
  defaults: defaultDefinition,
  onCreate: (definition) => {
    const stored = storageVersion(objectIn(definition, "spec"));
    const status = {
      conditions: null,
      acceptedNames: { plural: "", kind: "" },
      storedVersions: stored === undefined ? null : [stored],
    };
    return { ...definition, status };
  },
  onUpdate: (next, old, endpoint) => {
    if (endpoint !== "main") return next;
    const stored = textsIn(objectIn(old, "status"), "storedVersions");
    const now = storageVersion(objectIn(next, "spec"));
    if (now === undefined || stored.includes(now)) return next;
    return { ...next, status: { ...objectIn(old, "status"), storedVersions: [...stored, now] } };
  },
  validate: (definition, _context, old, endpoint) => allSteps(validateDefinition(definition, old, endpoint)),
  validateInSteps: (definition, _context, old, endpoint) => validateDefinition(definition, old, endpoint),
  warnings: formatWarnings,
  printer: printer([nameCell, createdAtCell]),
});
