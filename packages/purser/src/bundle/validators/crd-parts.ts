import { isJsonObject, type JsonObject, member } from "@purser/kubernetes/json";
import { type FieldError, forbidden, invalid, notSupported, required } from "@purser/kubernetes/object/field-error";
import { listMember, objectMember, textMember } from "../directory/first-object.ts";
import { dnsLabelFaults } from "./dns-rules.ts";

/** What Kubernetes says against the names of a CRD. */
export function namesErrors(names: JsonObject): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const key of ["plural", "singular"]) {
    const name = textMember(names, key);
    const faults = name === "" ? [] : dnsLabelFaults(name);
    if (faults.length > 0) errors.push(invalid(`spec.names.${key}`, name, faults.join(",")));
  }
  for (const key of ["kind", "listKind"]) {
    const name = textMember(names, key);
    const faults = name === "" ? [] : dnsLabelFaults(name.toLowerCase());
    if (faults.length > 0)
      errors.push(
        invalid(`spec.names.${key}`, name, `may have mixed case, but should otherwise match: ${faults.join(",")}`),
      );
  }
  errors.push(...labelErrors(names, "shortNames"));
  const kind = textMember(names, "kind");
  if (kind !== "" && kind === textMember(names, "listKind"))
    errors.push(invalid("spec.names.listKind", kind, "kind and listKind may not be the same"));
  return [...errors, ...labelErrors(names, "categories")];
}

function labelErrors(names: JsonObject, key: string): readonly FieldError[] {
  return listMember(names, key).flatMap((item, index) => {
    const text = typeof item === "string" ? item : "";
    const faults = dnsLabelFaults(text);
    return faults.length === 0 ? [] : [invalid(`spec.names.${key}[${index}]`, text, faults.join(","))];
  });
}

const columnTypes = ["boolean", "date", "integer", "number", "string"];
const columnFormats = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

/** A printer column. @param at its path */
export function columnErrors(column: JsonObject, at: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const [type, format] = [textMember(column, "type"), textMember(column, "format")];
  const path = textMember(column, "jsonPath") || textMember(column, "JSONPath");
  if (textMember(column, "name") === "") errors.push(required(`${at}.name`));
  const oneOf = `must be one of ${columnTypes.join(",")}`;
  if (type === "") errors.push(required(`${at}.type`, oneOf));
  else if (!columnTypes.includes(type)) errors.push(invalid(`${at}.type`, type, oneOf));
  if (format !== "" && !columnFormats.includes(format))
    errors.push(invalid(`${at}.format`, format, `must be one of ${columnFormats.join(",")}`));
  if (path === "") errors.push(required(`${at}.JSONPath`));
  else if (!path.startsWith(".")) errors.push(invalid(`${at}.JSONPath`, path, notSimple));
  return errors;
}

const notSimple = "must be a simple json path starting with .";

/** The scale subresource names paths. @param at path of the subresources */
export function subresourceErrors(subresources: JsonObject, at: string): readonly FieldError[] {
  const scale = member(subresources, "scale");
  if (!isJsonObject(scale)) return [];
  const selector = textMember(scale, "labelSelectorPath");
  return [
    ...pathErrors(textMember(scale, "specReplicasPath"), `${at}.scale.specReplicasPath`, ".spec"),
    ...pathErrors(textMember(scale, "statusReplicasPath"), `${at}.scale.statusReplicasPath`, ".status"),
    ...(selector === "" || selector.startsWith(".status.") || selector.startsWith(".spec.")
      ? []
      : [
          invalid(
            `${at}.scale.labelSelectorPath`,
            selector,
            selector.startsWith(".") ? "should be a json path under either .spec or .status" : notSimple,
          ),
        ]),
  ];
}

function pathErrors(path: string, field: string, root: string): readonly FieldError[] {
  if (path === "") return [required(field)];
  if (!path.startsWith(".")) return [invalid(field, path, notSimple)];
  return path.startsWith(`${root}.`) ? [] : [invalid(field, path, `should be a json path under ${root}`)];
}

/** How versions are converted, in the shape of v1beta1. */
export function conversionErrors(conversion: JsonObject): readonly FieldError[] {
  const strategy = textMember(conversion, "strategy");
  const config = member(conversion, "webhookClientConfig") ?? null;
  const versions = listMember(conversion, "conversionReviewVersions");
  const at = "spec.conversion";
  const errors: FieldError[] = [];
  if (strategy === "") errors.push(required(`${at}.strategy`));
  else if (strategy !== "None" && strategy !== "Webhook")
    errors.push(notSupported(`${at}.strategy`, strategy, ["None", "Webhook"]));
  if (strategy !== "Webhook") {
    const only = "should not be set when strategy is not set to Webhook";
    if (config !== null) errors.push(forbidden(`${at}.webhookClientConfig`, only));
    if (versions.length > 0) errors.push(forbidden(`${at}.conversionReviewVersions`, only));
    return errors;
  }
  if (!isJsonObject(config))
    errors.push(required(`${at}.webhookClientConfig`, "required when strategy is set to Webhook"));
  else errors.push(...clientErrors(config, `${at}.webhookClientConfig`));
  if (versions.length === 0) errors.push(required(`${at}.conversionReviewVersions`));
  else if (!versions.some((version) => version === "v1" || version === "v1beta1"))
    errors.push(invalid(`${at}.conversionReviewVersions`, versions, "must include at least one of v1, v1beta1"));
  return errors;
}

function clientErrors(config: JsonObject, at: string): readonly FieldError[] {
  const [url, service] = [member(config, "url") ?? null, member(config, "service") ?? null];
  if ((url === null) === (service === null)) return [required(at, "exactly one of url or service is required")];
  if (service === null) {
    return typeof url === "string" && url.startsWith("https://")
      ? []
      : [invalid(`${at}.url`, url, `'https' is the only allowed URL scheme; desired format: https://host[/path]`)];
  }
  const target = objectMember(config, "service");
  return ["name", "namespace"].flatMap((key) =>
    textMember(target, key) === "" ? [required(`${at}.service.${key}`, `service ${key} is required`)] : [],
  );
}
