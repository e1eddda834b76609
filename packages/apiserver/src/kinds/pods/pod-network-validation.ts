import type { JsonObject } from "@purser/kubernetes/json";
import {
  duplicate,
  forbidden,
  invalid,
  required,
  tooLong,
  type FieldError,
} from "@purser/kubernetes/object/field-error";
import { hasMember, numberIn, objectIn, objectsIn, textIn, textsIn } from "../decoding/json-parts.ts";
import { subdomainProblems } from "../names.ts";
import { address, each, texts } from "../field-rules.ts";

const mostServers = 3;
const mostSearches = 32;
const longestSearches = 2048;
const longestHostname = 64;
const searchLabel = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const searchName = `${searchLabel}(\\.${searchLabel})*`;
const searchPattern = new RegExp(`^${searchName}$`, "u");
const searchText =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character " +
  `(e.g. 'example.com', regex used for validation is '${searchName}')`;

function searchProblems(search: string): readonly string[] {
  return [
    ...(search.length > 253 ? ["must be no more than 253 characters"] : []),
    ...(searchPattern.test(search) ? [] : [searchText]),
  ];
}

/** Validates dnsPolicy and dnsConfig. */
export function validateResolving(spec: JsonObject, path: string): readonly FieldError[] {
  const field = `${path}.dnsConfig`;
  const config = objectIn(spec, "dnsConfig");
  const [servers, searches] = [textsIn(config, "nameservers"), textsIn(config, "searches")];
  if (textIn(spec, "dnsPolicy") === "None") {
    if (!hasMember(spec, "dnsConfig")) return [required(field, "must provide `dnsConfig` when `dnsPolicy` is None")];
    if (servers.length === 0)
      return [required(`${field}.nameservers`, "must provide at least one DNS nameserver when `dnsPolicy` is None")];
  }
  return [
    ...(servers.length > mostServers
      ? [invalid(`${field}.nameservers`, [...servers], `must not have more than ${mostServers} nameservers`)]
      : []),
    ...servers.flatMap((server, index) => address(server, `${field}.nameservers[${index}]`)),
    ...(searches.length > mostSearches
      ? [invalid(`${field}.searches`, [...searches], `must not have more than ${mostSearches} search paths`)]
      : []),
    ...(searches.join(" ").length > longestSearches
      ? [
          invalid(
            `${field}.searches`,
            [...searches],
            `must not have more than ${longestSearches} characters (including spaces) in the search list`,
          ),
        ]
      : []),
    ...searches.flatMap((search, index) =>
      search === "." ? [] : texts(search.replace(/\.$/u, ""), `${field}.searches[${index}]`, searchProblems),
    ),
    ...objectsIn(config, "options").flatMap((option, index) =>
      textIn(option, "name") === "" ? [required(`${field}.options[${index}]`, "must not be empty")] : [],
    ),
  ];
}

/** Validates hostAliases. */
export function validateHostAliases(spec: JsonObject, path: string): readonly FieldError[] {
  return each(spec, "hostAliases", path, (alias, at) => [
    ...address(textIn(alias, "ip"), `${at}.ip`),
    ...textsIn(alias, "hostnames").flatMap((name, index) =>
      texts(name, `${at}.hostnames[${index}]`, subdomainProblems),
    ),
  ]);
}

/** With hostNetwork, container ports and host ports must be equal. */
export function validateHostNetwork(spec: JsonObject, path: string, isPod: boolean): readonly FieldError[] {
  if (spec["hostNetwork"] !== true) return [];
  return each(spec, "containers", path, (container, at) =>
    each(container, "ports", at, (port, field) => {
      const [host, own] = [numberIn(port, "hostPort") ?? 0, numberIn(port, "containerPort") ?? 0];
      return (isPod || host !== 0) && host !== own
        ? [invalid(`${field}.hostPort`, host, "must match `containerPort` when `hostNetwork` is true")]
        : [];
    }),
  );
}

/** Two containers cannot use the same host port. */
export function validateHostPorts(containers: readonly JsonObject[], path: string): readonly FieldError[] {
  const seen = new Set<string>();
  return containers.flatMap((container, at) =>
    objectsIn(container, "ports").flatMap((port, index) => {
      const number = numberIn(port, "hostPort") ?? 0;
      if (number === 0) return [];
      const key = `${textIn(port, "protocol")}/${textIn(port, "hostIP")}/${number}`;
      if (seen.has(key)) return [duplicate(`${path}[${at}].ports[${index}].hostPort`, key)];
      seen.add(key);
      return [];
    }),
  );
}

/** Validates hostnameOverride, which replaces the pod's host name. */
export function validateHostname(spec: JsonObject, path: string): readonly FieldError[] {
  if (!hasMember(spec, "hostnameOverride")) return [];
  const field = `${path}.hostnameOverride`;
  const name = textIn(spec, "hostnameOverride");
  return [
    ...(spec["setHostnameAsFQDN"] === true
      ? [forbidden(field, "may not be specified when setHostnameAsFQDN is true")]
      : []),
    ...(spec["hostNetwork"] === true ? [forbidden(field, "may not be specified when hostNetwork is true")] : []),
    ...(name.length > longestHostname ? [tooLong(field, longestHostname)] : []),
    ...texts(name, field, subdomainProblems),
  ];
}
