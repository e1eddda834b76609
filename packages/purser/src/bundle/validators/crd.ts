import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import {
  type FieldError,
  formatFieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from "@purser/kubernetes/object/field-error";
import { goJson } from "@purser/kubernetes/text/documents";
import { listMember, nameOf, objectMember, textMember } from "../directory/first-object.ts";
import { dnsSubdomainFault } from "../dns-names.ts";
import { columnErrors, conversionErrors, namesErrors, subresourceErrors } from "./crd-parts.ts";
import { objectsIn } from "./csv.ts";
import { dnsLabelFaults } from "./dns-rules.ts";
import { type BadValue, type BundleIssue, resultOf, type ValidatorResult } from "./issue.ts";
import type { LoadedCrd } from "./loaded-bundle.ts";

/** What Kubernetes would refuse a CRD for, but for its schema and status. */
export function validateCrd(crd: LoadedCrd): ValidatorResult {
  const spec = internalSpec(crd);
  const errors = [
    ...metadataErrors(crd.object, spec),
    ...specErrors(spec),
    ...approvalErrors(crd.object, spec),
    ...(spec.preservesUnknown ? [preserveError] : []),
  ];
  const shown = errors.filter(({ field }) => !field.includes("openAPIV3Schema") && !field.includes("status"));
  return resultOf(
    nameOf(crd.object),
    shown.map((error) => issueOf(error, crd)),
  );
}

const preserveError = invalid(
  "spec.preserveUnknownFields",
  true,
  "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
);

function issueOf(error: FieldError, { locate }: LoadedCrd): BundleIssue {
  const pointer = `/${error.field.replaceAll("[", ".").replaceAll("]", "").replaceAll(".", "/")}`;
  return {
    rule: "crd-field",
    level: "Error",
    type: error.type,
    detail: formatFieldError(error),
    field: error.field,
    value: badValue(error),
    place: locate(pointer),
  };
}

function badValue({ field, badValue: value, type }: FieldError): BadValue {
  if (field === "spec.preserveUnknownFields") return { text: "0x0", type: "*bool" };
  if (field === "spec.conversion.strategy" && type === "FieldValueInvalid")
    return { text: typeof value === "string" ? value : "", type: "apiextensions.ConversionStrategyType" };
  if (field === "spec.versions") {
    const shown = (Array.isArray(value) ? (value as readonly JsonValue[]) : []).map((item) => goStruct(item));
    return { text: `[${shown.join(" ")}]`, type: "[]apiextensions.CustomResourceDefinitionVersion" };
  }
  return { text: typeof value === "string" ? value : "" };
}

/** A version as Go prints the struct; pointers are addresses there. */
function goStruct(version: JsonValue): string {
  if (!isJsonObject(version)) return "{}";
  const shown = ["Name", "Served", "Storage", "Deprecated", "DeprecationWarning", "Schema", "Subresources"].map(
    (key) => {
      const value = member(version, key) ?? null;
      return value === null ? "<nil>" : isJsonObject(value) ? "0x0" : String(value as string | boolean);
    },
  );
  const columns = listMember(version, "AdditionalPrinterColumns").map(() => "{...}");
  return `{${shown.join(" ")} [${columns.join(" ")}] []}`;
}

/** A CRD's spec as Kubernetes holds it inside: what all versions share stands at the top. */
export interface InternalSpec {
  readonly group: string;
  readonly scope: string;
  readonly names: JsonObject;
  readonly versions: readonly JsonObject[];
  readonly versionsAbsent: boolean;
  /** v1beta1 only; else the name of the first version. */
  readonly version: string;
  readonly columns: readonly JsonObject[];
  readonly subresources: JsonObject | undefined;
  readonly conversion: JsonObject | undefined;
  readonly preservesUnknown: boolean;
  /** v1beta1 only: fields that all versions hold with one value, which is refused. */
  readonly alike: readonly (readonly [key: string, plural: string, above: string])[];
  readonly shared: { readonly schema: boolean; readonly columns: boolean; readonly subresources: boolean };
}

function internalSpec({ object, version }: LoadedCrd): InternalSpec {
  const spec = objectMember(object, "spec");
  const isOld = version === "v1beta1";
  const given = objectsIn(spec, "versions");
  const oldVersion = isOld ? textMember(spec, "version") : "";
  const versions =
    isOld && given.length === 0 && oldVersion !== "" ? [{ name: oldVersion, served: true, storage: true }] : given;
  const [first] = versions;
  const alike = (key: string): boolean =>
    versions.length > 0 &&
    versions.every((each) => deepEqual(member(each, key) ?? null, member(first ?? {}, key) ?? null));
  const same = (key: string): boolean => !isOld && alike(key);
  const sharedColumns = isOld ? spec : (first ?? {});
  const shared = {
    schema: same("schema"),
    columns: same("additionalPrinterColumns"),
    subresources: same("subresources"),
  };
  const conversion = objectMember(spec, "conversion");
  const subresources = isOld ? objectMember(spec, "subresources") : objectMember(first ?? {}, "subresources");
  return {
    group: textMember(spec, "group"),
    scope: textMember(spec, "scope") === "" && isOld ? "Namespaced" : textMember(spec, "scope"),
    names: defaultNames(objectMember(spec, "names")),
    versions,
    versionsAbsent: member(spec, "versions") === undefined || member(spec, "versions") === null,
    version: oldVersion === "" ? textMember(first ?? {}, "name") : oldVersion,
    columns: isOld || shared.columns ? objectsIn(sharedColumns, "additionalPrinterColumns") : [],
    subresources: isOld || shared.subresources ? subresources : undefined,
    conversion: Object.keys(conversion).length === 0 ? undefined : isOld ? conversion : v1Conversion(conversion),
    preservesUnknown: isOld ? member(spec, "preserveUnknownFields") !== false : spec["preserveUnknownFields"] === true,
    shared,
    alike: isOld ? perVersionFields.filter(([key]) => alike(key) && (member(first ?? {}, key) ?? null) !== null) : [],
  };
}

/** Fields of versions that v1beta1 also has for all versions at once, and what they are called there. */
const perVersionFields = [
  ["schema", "schemas", "validation"],
  ["subresources", "subresources", "subresources"],
  ["additionalPrinterColumns", "additionalPrinterColumns", "additionalPrinterColumns"],
] as const;

function defaultNames(names: JsonObject): JsonObject {
  const kind = textMember(names, "kind");
  const singular = textMember(names, "singular") || kind.toLowerCase();
  const listKind = textMember(names, "listKind") || (kind === "" ? "" : `${kind}List`);
  return { ...names, singular, listKind };
}

/** The webhook of v1 in the shape of v1beta1, which is the one inside. */
function v1Conversion(conversion: JsonObject): JsonObject {
  const webhook = member(conversion, "webhook");
  if (!isJsonObject(webhook)) return { strategy: textMember(conversion, "strategy") };
  return {
    strategy: textMember(conversion, "strategy"),
    webhookClientConfig: member(webhook, "clientConfig"),
    conversionReviewVersions: member(webhook, "conversionReviewVersions"),
  };
}

function metadataErrors(crd: JsonObject, { names, group }: InternalSpec): readonly FieldError[] {
  const name = nameOf(crd);
  const inNamespace =
    textMember(objectMember(crd, "metadata"), "namespace") === ""
      ? []
      : [forbidden("metadata.namespace", "not allowed on this type")];
  if (name === "") return [required("metadata.name", "name or generateName is required"), ...inNamespace];
  const faults = [...dnsSubdomainFault(name)];
  if (name !== `${textMember(names, "plural")}.${group}`) faults.push('must be spec.names.plural+"."+spec.group');
  return [...faults.map((fault) => invalid("metadata.name", name, fault)), ...inNamespace];
}

function specErrors(spec: InternalSpec): readonly FieldError[] {
  const errors: FieldError[] = [...groupErrors(spec.group)];
  if (spec.scope === "") errors.push(required("spec.scope"));
  else if (spec.scope !== "Cluster" && spec.scope !== "Namespaced")
    errors.push(notSupported("spec.scope", spec.scope, ["Cluster", "Namespaced"]));
  errors.push(...versionErrors(spec));
  for (const key of ["plural", "singular", "kind", "listKind"])
    if (textMember(spec.names, key) === "") errors.push(required(`spec.names.${key}`));
  errors.push(...namesErrors(spec.names));
  if (spec.subresources !== undefined) errors.push(...subresourceErrors(spec.subresources, "spec.subresources"));
  spec.columns.forEach((column, index) =>
    errors.push(...columnErrors(column, `spec.additionalPrinterColumns[${index}]`)),
  );
  const strategy = spec.conversion === undefined ? "" : textMember(spec.conversion, "strategy");
  if (spec.conversion !== undefined && strategy !== "None" && strategy !== "" && spec.preservesUnknown)
    errors.push(invalid("spec.conversion.strategy", strategy, "must be None if spec.preserveUnknownFields is true"));
  if (spec.conversion !== undefined) errors.push(...conversionErrors(spec.conversion));
  return errors;
}

function groupErrors(group: string): readonly FieldError[] {
  if (group === "") return [required("spec.group")];
  const faults = dnsSubdomainFault(group);
  if (faults.length > 0) return [invalid("spec.group", group, faults.join(","))];
  return group.includes(".") ? [] : [invalid("spec.group", group, "should be a domain with at least one dot")];
}

function versionErrors(spec: InternalSpec): readonly FieldError[] {
  const errors: FieldError[] = [];
  const names = spec.versions.map((each) => textMember(each, "name"));
  spec.versions.forEach((version, index) => {
    const at = `spec.versions[${index}]`;
    const faults = dnsLabelFaults(names[index] ?? "");
    if (faults.length > 0) errors.push(invalid(`${at}.name`, names[index], faults.join(",")));
    if (!spec.shared.columns)
      objectsIn(version, "additionalPrinterColumns").forEach((column, place) =>
        errors.push(...columnErrors(column, `${at}.additionalPrinterColumns[${place}]`)),
      );
    if (!spec.shared.subresources)
      errors.push(...subresourceErrors(objectMember(version, "subresources"), `${at}.subresources`));
  });
  const shown = spec.versions.map((version) => shownVersion(version, spec));
  const refuse = (detail: string): FieldError => ({
    ...invalid("spec.versions", shown, detail),
    badText:
      spec.versionsAbsent && shown.length === 0 ? "null" : `[${shown.map((each) => orderedJson(each)).join(",")}]`,
  });
  for (const [, plural, above] of spec.alike)
    errors.push(
      refuse(
        `per-version ${plural} may not all be set to identical values (top-level ${above} should be used instead)`,
      ),
    );
  if (new Set(names).size < names.length) errors.push(refuse("must contain unique version names"));
  if (spec.versions.filter((version) => version["storage"] === true).length !== 1)
    errors.push(refuse("must have exactly one version marked as storage version"));
  if (spec.version !== "") {
    const faults = dnsLabelFaults(spec.version);
    if (faults.length > 0) errors.push(invalid("spec.version", spec.version, faults.join(",")));
    if (names.length > 0 && names[0] !== spec.version)
      errors.push(invalid("spec.version", spec.version, "must match the first version in spec.versions"));
  }
  return errors;
}

function shownVersion(version: JsonObject, { shared }: InternalSpec): JsonObject {
  return {
    Name: textMember(version, "name"),
    Served: version["served"] === true,
    Storage: version["storage"] === true,
    Deprecated: version["deprecated"] === true,
    DeprecationWarning: member(version, "deprecationWarning") ?? null,
    Schema: shared.schema ? null : (member(version, "schema") ?? null),
    Subresources: shared.subresources ? null : (member(version, "subresources") ?? null),
    AdditionalPrinterColumns: shared.columns ? null : (member(version, "additionalPrinterColumns") ?? null),
    SelectableFields: member(version, "selectableFields") ?? null,
  };
}

function orderedJson(version: JsonObject): string {
  return `{${Object.entries(version)
    .map(([key, value]) => `"${key}":${goJson(value ?? null)}`)
    .join(",")}}`;
}

const approval = "api-approved.kubernetes.io";

function approvalErrors(crd: JsonObject, { group }: InternalSpec): readonly FieldError[] {
  if (!["k8s.io", "kubernetes.io"].some((suffix) => group === suffix || group.endsWith(`.${suffix}`))) return [];
  const annotations = objectMember(objectMember(crd, "metadata"), "annotations");
  const given = textMember(annotations, approval);
  const field = `metadata.annotations[${approval}]`;
  if (given === "")
    return [
      required(
        field,
        `protected groups must have approval annotation "${approval}", see https://github.com/kubernetes/enhancements/pull/1111`,
      ),
    ];
  if (given.startsWith("unapproved") || URL.canParse(given)) return [];
  return [
    invalid(
      field,
      given,
      `protected groups must have approval annotation "${approval}" with either a URL or a reason starting with "unapproved", see https://github.com/kubernetes/enhancements/pull/1111`,
    ),
  ];
}
