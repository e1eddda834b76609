import { isIP, isIPv4, isIPv6 } from "node:net";
import { labelKeyFaults, labelValueFaults } from "@purser/kubernetes/apis/label-syntax";
import type { JsonObject } from "@purser/kubernetes/json";
import {
  duplicate,
  invalid,
  notSupported,
  required,
  tooMany,
  type FieldError,
} from "@purser/kubernetes/object/field-error";
import { validateLabels } from "@purser/kubernetes/object/metadata-rules";
import { decodedEqual, deepEqual } from "@purser/kubernetes/object/semantic-equal";
import { notAnAddress } from "../field-rules.ts";
import { hasMember, mapList, numberIn, objectIn, objectsIn, textIn, textsIn, without } from "../decoding/json-parts.ts";
import { labelProblems, subdomainProblems } from "../names.ts";

const protocols = ["SCTP", "TCP", "UDP"];

/** Address ranges that endpoints must not be in. */
const closedRanges: readonly (readonly [RegExp, string])[] = [
  [/^127\.|^::1$/u, "may not be in the loopback range (127.0.0.0/8, ::1/128)"],
  [/^169\.254\.|^fe[89ab][0-9a-f]:/iu, "may not be in the link-local range (169.254.0.0/16, fe80::/10)"],
  [/^224\.0\.0\.|^ff02:/iu, "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"],
];

function rangeErrors(address: string, path: string): readonly FieldError[] {
  if (isIP(address) === 0) return [invalid(path, address, "must be a valid IP address")];
  return [
    ...(address === "0.0.0.0" || address === "::"
      ? [invalid(path, address, `may not be unspecified (${address})`)]
      : []),
    ...closedRanges.filter(([range]) => range.test(address)).map(([, text]) => invalid(path, address, text)),
  ];
}

/** Validates that an address is reachable from other nodes. */
export function validateReachable(address: string, path: string): readonly FieldError[] {
  return isIP(address) === 0 ? [invalid(path, address, notAnAddress)] : rangeErrors(address, path);
}

function nameErrors(value: string, path: string, problems: (name: string) => readonly string[]): readonly FieldError[] {
  return problems(value).map((problem) => invalid(path, value, problem));
}

function validateAddress(address: JsonObject, path: string): readonly FieldError[] {
  const ip = textIn(address, "ip");
  const hostname = textIn(address, "hostname");
  return [
    ...(isIP(ip) === 0 ? [invalid(`${path}.ip`, ip, notAnAddress)] : []),
    ...(hostname === "" ? [] : nameErrors(hostname, `${path}.hostname`, labelProblems)),
    ...(hasMember(address, "nodeName")
      ? nameErrors(textIn(address, "nodeName"), `${path}.nodeName`, subdomainProblems)
      : []),
    ...rangeErrors(ip, `${path}.ip`),
  ];
}

function validateProtocol(port: JsonObject, path: string): readonly FieldError[] {
  const protocol = textIn(port, "protocol");
  if (protocol === "") return [required(`${path}.protocol`)];
  return protocols.includes(protocol) ? [] : [notSupported(`${path}.protocol`, protocol, protocols)];
}

function validateApplication(port: JsonObject, path: string): readonly FieldError[] {
  if (!hasMember(port, "appProtocol")) return [];
  return nameErrors(textIn(port, "appProtocol"), `${path}.appProtocol`, labelKeyFaults);
}

function validatePort(port: JsonObject, isNamed: boolean, path: string): readonly FieldError[] {
  const name = textIn(port, "name");
  const number = numberIn(port, "port") ?? 0;
  return [
    ...(name === "" ? (isNamed ? [required(`${path}.name`)] : []) : nameErrors(name, `${path}.name`, labelProblems)),
    ...(number < 1 || number > 65_535
      ? [invalid(`${path}.port`, number, "must be between 1 and 65535, inclusive")]
      : []),
    ...validateProtocol(port, path),
    ...validateApplication(port, path),
  ];
}

/** Validates Endpoints; unchanged subsets are not validated on updates. */
export function validateEndpoints(endpoints: JsonObject, old: JsonObject | undefined): readonly FieldError[] {
  if (old !== undefined && deepEqual(endpoints["subsets"] ?? null, old["subsets"] ?? null)) return [];
  return objectsIn(endpoints, "subsets").flatMap((subset, index) => {
    const path = `subsets[${index}]`;
    const [ready, unready, ports] = ["addresses", "notReadyAddresses", "ports"].map((key) => objectsIn(subset, key));
    const lists = { addresses: ready ?? [], notReadyAddresses: unready ?? [] };
    return [
      ...(lists.addresses.length === 0 && lists.notReadyAddresses.length === 0
        ? [required(path, "must specify `addresses` or `notReadyAddresses`")]
        : []),
      ...Object.entries(lists).flatMap(([key, addresses]) =>
        addresses.flatMap((address, at) => validateAddress(address, `${path}.${key}[${at}]`)),
      ),
      ...(ports ?? []).flatMap((port, at, all) => validatePort(port, all.length > 1, `${path}.ports[${at}]`)),
    ];
  });
}

const addressTypes = ["FQDN", "IPv4", "IPv6"];
const most = { endpoints: 1000, addresses: 100, ports: 20_000, topology: 16, hints: 8 };

function validateSliceAddress(address: string, type: string, list: string, index: number): readonly FieldError[] {
  const path = `${list}[${index}]`;
  switch (type) {
    case "IPv4":
    case "IPv6": {
      if (isIP(address) === 0) return [invalid(path, address, notAnAddress)];
      const fits = type === "IPv4" ? isIPv4(address) : isIPv6(address);
      return [...(fits ? [] : [invalid(list, address, `must be an ${type} address`)]), ...rangeErrors(address, path)];
    }
    case "FQDN":
      return validateDomain(address, path);
    default:
      return [];
  }
}

function validateDomain(name: string, path: string): readonly FieldError[] {
  const domain = name.endsWith(".") ? name.slice(0, -1) : name;
  if (name === "") return [required(path)];
  const problems = subdomainProblems(domain);
  if (problems.length > 0) return problems.map((problem) => invalid(path, name, problem));
  const labels = domain.split(".");
  if (labels.length < 2)
    return [invalid(path, name, "should be a domain with at least two segments separated by dots")];
  return labels.some((label) => label.length > 63) ? [invalid(path, name, "label is too long")] : [];
}

function validateSliceEndpoint(endpoint: JsonObject, type: string, path: string): readonly FieldError[] {
  const list = `${path}.addresses`;
  const addresses = textsIn(endpoint, "addresses");
  const topology = objectIn(endpoint, "deprecatedTopology");
  return [
    ...(addresses.length === 0 ? [required(list, "must contain at least 1 address")] : []),
    ...(addresses.length > most.addresses ? [tooMany(list, addresses.length, most.addresses)] : []),
    ...addresses.flatMap((address, index) => validateSliceAddress(address, type, list, index)),
    ...(hasMember(endpoint, "nodeName")
      ? nameErrors(textIn(endpoint, "nodeName"), `${path}.nodeName`, subdomainProblems)
      : []),
    ...(Object.keys(topology).length > most.topology
      ? [tooMany(`${path}.deprecatedTopology`, Object.keys(topology).length, most.topology)]
      : []),
    ...validateLabels(topology, `${path}.deprecatedTopology`),
    ...(hasMember(endpoint, "hostname")
      ? nameErrors(textIn(endpoint, "hostname"), `${path}.hostname`, labelProblems)
      : []),
    ...validateHints(objectIn(endpoint, "hints"), `${path}.hints`),
  ];
}

function validateHints(hints: JsonObject, path: string): readonly FieldError[] {
  const rules = { forZones: labelValueFaults, forNodes: subdomainProblems };
  return Object.entries(rules).flatMap(([key, faultsOf]) => {
    const field = `${path}.${key}`;
    const names = objectsIn(hints, key).map((hint) => textIn(hint, "name"));
    if (names.length > most.hints) return [tooMany(field, names.length, most.hints)];
    return names.flatMap((name, index) => [
      ...(names.indexOf(name) < index ? [duplicate(`${field}[${index}].name`, name)] : []),
      ...faultsOf(name).map((fault) => invalid(`${field}[${index}].name`, name, fault)),
    ]);
  });
}

/** `deprecatedTopology` cannot be set in discovery.k8s.io/v1. */
export function withoutTopology(slice: JsonObject, old: JsonObject | undefined): JsonObject {
  return old !== undefined && decodedEqual(slice["endpoints"], old["endpoints"])
    ? slice
    : mapList(slice, "endpoints", (endpoint) => without(endpoint, "deprecatedTopology"));
}

function validateSlicePorts(slice: JsonObject): readonly FieldError[] {
  const ports = objectsIn(slice, "ports");
  if (ports.length > most.ports) return [tooMany("ports", ports.length, most.ports)];
  const names = new Set<string>();
  return ports.flatMap((port, index) => {
    const path = `ports[${index}]`;
    const name = textIn(port, "name");
    const isTaken = names.has(name);
    names.add(name);
    return [
      ...(name === "" ? [] : nameErrors(name, `${path}.name`, labelProblems)),
      ...(isTaken ? [duplicate(`${path}.name`, name)] : []),
      ...(hasMember(port, "protocol") && textIn(port, "protocol") === ""
        ? [notSupported(`${path}.protocol`, "", protocols)]
        : validateProtocol(port, path)),
      ...validateApplication(port, path),
    ];
  });
}

/** Validates an EndpointSlice; unchanged endpoints are not validated on updates. */
export function validateEndpointSlice(slice: JsonObject, old: JsonObject | undefined): readonly FieldError[] {
  const type = textIn(slice, "addressType");
  const endpoints = objectsIn(slice, "endpoints");
  const isSame = old !== undefined && deepEqual(slice["endpoints"] ?? null, old["endpoints"] ?? null);
  return [
    ...(type === "" ? [required("addressType")] : []),
    ...(type !== "" && !addressTypes.includes(type) ? [notSupported("addressType", type, addressTypes)] : []),
    ...validateSlicePorts(slice),
    ...(endpoints.length > most.endpoints
      ? [tooMany("endpoints", endpoints.length, most.endpoints)]
      : isSame
        ? []
        : endpoints.flatMap((endpoint, index) => validateSliceEndpoint(endpoint, type, `endpoints[${index}]`))),
    ...(old !== undefined && textIn(old, "addressType") !== type
      ? [invalid("addressType", type, "field is immutable")]
      : []),
  ];
}
