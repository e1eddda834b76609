import type { JsonObject } from "@purser/kubernetes/json";
import { invalid, required, type FieldError } from "@purser/kubernetes/object/field-error";
import { hasMember, numberIn, objectIn, textIn } from "../decoding/json-parts.ts";

/**
 * Validates a webhook's clientConfig: exactly one of an https URL and a service. For admission webhooks kube-apiserver
 * validates the service's name as its namespace and its namespace as its name.
 */
export function validateClientConfig(config: JsonObject, path: string, isAdmission = false): readonly FieldError[] {
  const url = textIn(config, "url");
  const viaService = hasMember(config, "service");
  if (viaService === hasMember(config, "url")) {
    return [required(path, "exactly one of url or service is required")];
  }
  return viaService
    ? validateService(objectIn(config, "service"), `${path}.service`, isAdmission)
    : validateUrl(url, `${path}.url`);
}

const form = "; desired format: https://host[/path]";

function validateUrl(url: string, path: string): readonly FieldError[] {
  // URL.parse would accept an empty host.
  const [, scheme = "", authority = ""] = /^([a-z][-+.a-z0-9]*):\/\/([^/?#]*)/i.exec(url) ?? [];
  const parsed = URL.parse(url);
  if (parsed === null && authority !== "") return [invalid(path, url, `url must be a valid URL${form}`)];
  const errors: FieldError[] = [];
  if (scheme.toLowerCase() !== "https")
    errors.push(invalid(path, scheme.toLowerCase(), `'https' is the only allowed URL scheme${form}`));
  if (authority === "") return [...errors, invalid(path, "", `host must be specified${form}`)];
  const user = /^(.*)@/.exec(authority)?.[1];
  if (user !== undefined) errors.push(invalid(path, user, "user information is not permitted in the URL"));
  const fragment = parsed?.hash.slice(1) ?? "";
  if (fragment !== "") errors.push(invalid(path, fragment, "fragments are not permitted in the URL"));
  const query = parsed?.search.slice(1) ?? "";
  if (query !== "") errors.push(invalid(path, query, "query parameters are not permitted in the URL"));
  return errors;
}

function validateService(service: JsonObject, path: string, isSwapped: boolean): readonly FieldError[] {
  const names = [
    ["name", isSwapped ? "namespace" : "name"],
    ["namespace", isSwapped ? "name" : "namespace"],
  ] as const;
  const errors = names
    .filter(([, held]) => textIn(service, held) === "")
    .map(([field]) => required(`${path}.${field}`));
  const port = numberIn(service, "port") ?? 443;
  if (port < 1 || port > 65_535)
    errors.push(invalid(`${path}.port`, port, "port is not valid: must be between 1 and 65535, inclusive"));
  return hasMember(service, "path") ? [...errors, ...validatePath(textIn(service, "path"), `${path}.path`)] : errors;
}

function validatePath(given: string, path: string): readonly FieldError[] {
  if (given === "" || given === "/") return [];
  if (given === "//") return [invalid(path, given, "segment[0] may not be empty")];
  const errors: FieldError[] = [];
  if (!given.startsWith("/")) errors.push(invalid(path, given, "must start with a '/'"));
  const steps = (given.endsWith("/") ? given.slice(1, -1) : given.slice(1)).split("/");
  for (const [index, step] of steps.entries())
    if (step === "") errors.push(invalid(path, given, `segment[${index}] may not be empty`));
  return errors;
}
