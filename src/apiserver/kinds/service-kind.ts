import { isIP } from "node:net";
import { labelKeyFaults } from "../../apis/label-syntax.ts";
import { member } from "../../json.ts";
import { goJson } from "../../text/go-json.ts";
import type { JsonObject } from "../../json.ts";
import { services } from "../../apis/resources.ts";
import { forbidden, invalid, notSupported, required, duplicate, type FieldError } from "../../object/field-error.ts";
import { validateLabels } from "../../object/metadata-rules.ts";
import type { WriteContext } from "./built-in-kind.ts";
import { deepEqual } from "../../object/semantic-equal.ts";
import { servicePrinter } from "../printing/service-printers.ts";
import { defineKind } from "./define-kind.ts";
import {
  hasMember,
  mapList,
  mapMember,
  numberIn,
  objectIn,
  objectsIn,
  textIn,
  textsIn,
  without,
  withDefaults,
} from "./json-parts.ts";
import { allocateAddresses, allocateNodePorts, unchangedAddress, validateAddresses } from "./service-allocation.ts";
import { validateReachable } from "./endpoints-validation.ts";
import { labelProblems, subdomainProblems } from "./names.ts";
import { isBlock, notABlock, portNameProblems } from "./network-policy-validation.ts";
import { notNegative } from "./pod-validation.ts";

function defaultPort(port: JsonObject): JsonObject {
  const out = withDefaults(port, { protocol: "TCP" });
  const target = out["targetPort"];
  return target === undefined || target === 0 || target === ""
    ? { ...out, targetPort: numberIn(out, "port") ?? 0 }
    : out;
}

function defaultSpec(spec: JsonObject): JsonObject {
  let out = mapList(withDefaults(spec, { sessionAffinity: "None", type: "ClusterIP" }), "ports", defaultPort);
  const type = textIn(out, "type");
  if (out["sessionAffinity"] === "ClientIP") {
    const affinity = objectIn(out, "sessionAffinityConfig");
    const clientIP = withDefaults(objectIn(affinity, "clientIP"), { timeoutSeconds: 10_800 });
    out = { ...out, sessionAffinityConfig: { ...affinity, clientIP } };
  } else if (out["sessionAffinity"] === "None") out = without(out, "sessionAffinityConfig");
  if (type !== "ExternalName") out = withDefaults(out, { internalTrafficPolicy: "Cluster" });
  if (isAccessible(out)) out = withDefaults(out, { externalTrafficPolicy: "Cluster" });
  if (type === "LoadBalancer") out = withDefaults(out, { allocateLoadBalancerNodePorts: true });
  return out;
}

/** Whether traffic from outside of the cluster reaches it. */
function isAccessible(spec: JsonObject): boolean {
  const type = textIn(spec, "type");
  if (type === "NodePort" || type === "LoadBalancer") return true;
  return type === "ClusterIP" && textsIn(spec, "externalIPs").length > 0;
}

function hasNodePorts(spec: JsonObject): boolean {
  return ["NodePort", "LoadBalancer"].includes(textIn(spec, "type"));
}

/** A service of another type gives back what was allocated to it or fits the old type alone, where nobody changed it. */
function withoutAllocated(next: JsonObject, old: JsonObject): JsonObject {
  const before = objectIn(old, "spec");
  return mapMember(next, "spec", (spec) => {
    let out = spec;
    const drop = (...keys: readonly string[]): void => {
      for (const key of keys) if (deepEqual(out[key], before[key])) out = without(out, key);
    };
    if (textIn(spec, "type") === "ExternalName" && textIn(before, "type") !== "ExternalName") {
      const address = textIn(out, "clusterIP");
      if (address === "" || address === textIn(before, "clusterIP")) out = without(out, "clusterIP", "clusterIPs");
      drop("ipFamilies", "ipFamilyPolicy");
    }
    if (hasNodePorts(before) && !hasNodePorts(spec)) {
      const ports = objectsIn(before, "ports").map((port) => port["nodePort"] ?? 0);
      const given = objectsIn(spec, "ports").map((port) => port["nodePort"] ?? 0);
      if (deepEqual(given, ports)) out = mapList(out, "ports", (port) => without(port, "nodePort"));
    }
    if (textIn(before, "type") === "LoadBalancer" && textIn(spec, "type") !== "LoadBalancer")
      drop("allocateLoadBalancerNodePorts", "loadBalancerClass", "healthCheckNodePort");
    if (isAccessible(before) && !isAccessible(spec)) drop("externalTrafficPolicy");
    return out;
  });
}

/** Fields an update may leave out to keep them. */
function keepAllocated(next: JsonObject, old: JsonObject): JsonObject {
  const before = objectIn(old, "spec");
  return mapMember(next, "spec", (spec) => {
    if (textIn(spec, "type") === "ExternalName" || textIn(before, "type") === "ExternalName") return spec;
    let out = spec;
    if (textIn(out, "clusterIP") === "" && textsIn(out, "clusterIPs").length === 0) {
      out = { ...out, clusterIP: before["clusterIP"], clusterIPs: before["clusterIPs"] };
    }
    for (const key of ["ipFamilies", "ipFamilyPolicy"]) {
      if (!hasMember(out, key) && hasMember(before, key)) out = { ...out, [key]: before[key] };
    }
    return out;
  });
}

function validateSpec(spec: JsonObject): readonly FieldError[] {
  const type = textIn(spec, "type");
  const ports = objectsIn(spec, "ports");
  const errors: FieldError[] = [];
  if (ports.length === 0 && type !== "ExternalName" && textIn(spec, "clusterIP") !== "None") {
    errors.push(required("spec.ports"));
  }
  if (!["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"].includes(type)) {
    errors.push(notSupported("spec.type", type, ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"]));
  }
  const affinity = textIn(spec, "sessionAffinity");
  if (!["ClientIP", "None"].includes(affinity))
    errors.push(notSupported("spec.sessionAffinity", affinity, ["ClientIP", "None"]));
  if (type === "ExternalName") {
    const name = textIn(spec, "externalName").replace(/\.$/, "");
    if (name === "") errors.push(required("spec.externalName"));
    else errors.push(...subdomainProblems(name).map((problem) => invalid("spec.externalName", name, problem)));
    if (hasMember(spec, "clusterIP") && textIn(spec, "clusterIP") !== "") {
      errors.push(forbidden("spec.clusterIPs", "may not be set for ExternalName services"));
    }
  }
  if (["LoadBalancer", "NodePort"].includes(type) && textIn(spec, "clusterIP") === "None")
    errors.push(invalid("spec.clusterIPs[0]", "None", `may not be set to 'None' for ${type} services`));
  errors.push(...validateAffinity(spec), ...validateTraffic(spec), ...validateBalancer(spec));
  for (const [index, address] of textsIn(spec, "externalIPs").entries())
    errors.push(...validateReachable(address, `spec.externalIPs[${index}]`));
  if (type === "ClusterIP")
    for (const [index, port] of ports.entries())
      if ((numberIn(port, "nodePort") ?? 0) !== 0)
        errors.push(forbidden(`spec.ports[${index}].nodePort`, "may not be used when `type` is 'ClusterIP'"));
  return [...errors, ...validateLabels(member(spec, "selector"), "spec.selector"), ...validatePorts(ports)];
}

const familyPolicies = ["PreferDualStack", "RequireDualStack", "SingleStack"];
const longestAffinity = 86_400;

function validateAffinity(spec: JsonObject): readonly FieldError[] {
  const path = "spec.sessionAffinityConfig";
  if (textIn(spec, "sessionAffinity") === "None")
    return hasMember(spec, "sessionAffinityConfig")
      ? [forbidden(path, "must not be set when session affinity is None")]
      : [];
  const seconds = numberIn(objectIn(objectIn(spec, "sessionAffinityConfig"), "clientIP"), "timeoutSeconds");
  return seconds === undefined || (seconds > 0 && seconds <= longestAffinity)
    ? []
    : [invalid(`${path}.clientIP.timeoutSeconds`, seconds, `must be greater than 0 and less than ${longestAffinity}`)];
}

const distributions = ["PreferClose", "PreferSameZone", "PreferSameNode"];

function validateTraffic(spec: JsonObject): readonly FieldError[] {
  const [external, internal] = [textIn(spec, "externalTrafficPolicy"), textIn(spec, "internalTrafficPolicy")];
  const supported = ["Cluster", "Local"];
  const errors: FieldError[] = [];
  if (!isAccessible(spec)) {
    if (external !== "")
      errors.push(
        invalid("spec.externalTrafficPolicy", external, "may only be set for externally-accessible services"),
      );
  } else if (!supported.includes(external))
    errors.push(notSupported("spec.externalTrafficPolicy", external, supported));
  if (internal !== "" && !supported.includes(internal))
    errors.push(notSupported("spec.internalTrafficPolicy", internal, supported));
  const distribution = textIn(spec, "trafficDistribution");
  if (hasMember(spec, "trafficDistribution") && !distributions.includes(distribution))
    errors.push(notSupported("spec.trafficDistribution", distribution, distributions));
  const health = numberIn(spec, "healthCheckNodePort") ?? 0;
  if (health !== 0 && (textIn(spec, "type") !== "LoadBalancer" || external !== "Local"))
    errors.push(
      invalid(
        "spec.healthCheckNodePort",
        health,
        "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
      ),
    );
  return errors;
}

function validateBalancer(spec: JsonObject): readonly FieldError[] {
  const isBalancer = textIn(spec, "type") === "LoadBalancer";
  const only = "may only be used when `type` is 'LoadBalancer'";
  const ranges = textsIn(spec, "loadBalancerSourceRanges");
  const path = "spec.LoadBalancerSourceRanges";
  const name = textIn(spec, "loadBalancerClass");
  return [
    ...(ranges.length > 0 && !isBalancer ? [forbidden(path, only)] : []),
    ...ranges.flatMap((range, index) =>
      isBlock(range.trim()) ? [] : [invalid(`${path}[${index}]`, range.trim(), notABlock)],
    ),
    ...(hasMember(spec, "allocateLoadBalancerNodePorts") && !isBalancer
      ? [forbidden("spec.allocateLoadBalancerNodePorts", only)]
      : []),
    ...(!hasMember(spec, "loadBalancerClass")
      ? []
      : isBalancer
        ? labelKeyFaults(name).map((fault) => invalid("spec.loadBalancerClass", name, fault))
        : [forbidden("spec.loadBalancerClass", only)]),
  ];
}

function validatePorts(ports: readonly JsonObject[]): readonly FieldError[] {
  const names = new Set<string>();
  const pairs = new Set<string>();
  return ports.flatMap((port, index) => {
    const at = `spec.ports[${index}]`;
    const errors: FieldError[] = [...notNegative(port, "nodePort", at)];
    const name = textIn(port, "name");
    if (name === "" && ports.length > 1) errors.push(required(`${at}.name`));
    if (name !== "") errors.push(...labelProblems(name).map((problem) => invalid(`${at}.name`, name, problem)));
    if (name !== "" && names.has(name)) errors.push(duplicate(`${at}.name`, name));
    names.add(name);
    const number = numberIn(port, "port") ?? 0;
    if (number < 1 || number > 65535)
      errors.push(invalid(`${at}.port`, number, "must be between 1 and 65535, inclusive"));
    const target = port["targetPort"];
    if (typeof target === "number" && (target < 1 || target > 65535))
      errors.push(invalid(`${at}.targetPort`, target, "must be between 1 and 65535, inclusive"));
    if (typeof target === "string")
      errors.push(...portNameProblems(target).map((problem) => invalid(`${at}.targetPort`, target, problem)));
    const application = textIn(port, "appProtocol");
    if (hasMember(port, "appProtocol"))
      errors.push(...labelKeyFaults(application).map((fault) => invalid(`${at}.appProtocol`, application, fault)));
    const protocol = textIn(port, "protocol");
    if (!["SCTP", "TCP", "UDP"].includes(protocol)) {
      errors.push(notSupported(`${at}.protocol`, protocol, ["SCTP", "TCP", "UDP"]));
    }
    const pair = `${protocol}/${number}`;
    if (pairs.has(pair))
      errors.push({
        ...duplicate(at, number),
        // Upstream prints an internal struct with nothing else in it.
        badText: `{"Name":"","Protocol":${goJson(protocol)},"AppProtocol":null,"Port":${number},"TargetPort":0,"NodePort":0}`,
      });
    pairs.add(pair);
    return errors;
  });
}

function warningsFor(spec: JsonObject): readonly string[] {
  const isName = textIn(spec, "type") === "ExternalName";
  const isHeadless = textIn(spec, "clusterIP") === "None";
  const addresses = textsIn(spec, "externalIPs").length > 0;
  return [
    ...(textIn(spec, "trafficDistribution") === "PreferClose"
      ? ['spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"']
      : []),
    ...(isHeadless && textIn(spec, "loadBalancerIP") !== ""
      ? ["spec.loadBalancerIP is ignored for headless services"]
      : []),
    ...(isHeadless && addresses ? ["spec.externalIPs is ignored for headless services"] : []),
    ...(isHeadless && textIn(spec, "sessionAffinity") !== "None"
      ? ["spec.SessionAffinity is ignored for headless services"]
      : []),
    ...(addresses && !isHeadless && !isName
      ? ["spec.externalIPs is deprecated and may no longer be implemented in some clusters"]
      : []),
    ...(addresses && isName ? ['spec.externalIPs is ignored when spec.type is "ExternalName"'] : []),
    ...(!isName && textIn(spec, "externalName") !== ""
      ? ['spec.externalName is ignored when spec.type is not "ExternalName"']
      : []),
  ];
}

/** What no address can be allocated for, in the reference's three steps. */
function unallocatable(service: JsonObject, context: WriteContext, old?: JsonObject): readonly FieldError[] {
  const spec = objectIn(service, "spec");
  if (textIn(spec, "type") === "ExternalName") return [];
  const misfits = validateRequest(spec);
  if (misfits.length > 0) return misfits;
  const unallocated = validateFamilies(spec, old === undefined ? undefined : objectIn(old, "spec"));
  return unallocated.length > 0 ? unallocated : validateAddresses(service, context, old);
}

const notAnAddress = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";

/** What is asked for is looked at by itself first. */
function validateRequest(spec: JsonObject): readonly FieldError[] {
  const policy = textIn(spec, "ipFamilyPolicy");
  const families = textsIn(spec, "ipFamilies");
  const address = textIn(spec, "clusterIP");
  return [
    ...families.flatMap((family, index) => [
      ...(family === "IPv4" || family === "IPv6"
        ? []
        : [notSupported(`spec.ipFamilies[${index}]`, family, ["IPv4", "IPv6"])]),
      ...(families.indexOf(family) < index ? [duplicate(`spec.ipFamilies[${index}]`, family)] : []),
    ]),
    ...(policy === "" || familyPolicies.includes(policy)
      ? []
      : [notSupported("spec.ipFamilyPolicy", policy, familyPolicies)]),
    ...(address === "" || address === "None" || isIP(address) > 0
      ? []
      : [invalid("spec.clusterIPs[0]", address, notAnAddress)]),
  ];
}

function validateService(service: JsonObject, old: JsonObject | undefined): readonly FieldError[] {
  const spec = objectIn(service, "spec");
  const request = textIn(spec, "type") === "ExternalName" ? [] : validateRequest(spec);
  return [...validateSpec(spec), ...request, ...unchangedAddress(service, old)];
}

/** The cluster has addresses of one family: what asks for another is refused before anything else is looked at. */
function validateFamilies(spec: JsonObject, before: JsonObject | undefined): readonly FieldError[] {
  const isLate = before !== undefined && textIn(before, "type") !== "ExternalName";
  if (textIn(spec, "type") === "ExternalName") return [];
  const policy = textIn(spec, "ipFamilyPolicy");
  const isOpen = textIn(spec, "clusterIP") === "None" && Object.keys(objectIn(spec, "selector")).length === 0;
  const errors: FieldError[] = [];
  const families = textsIn(spec, "ipFamilies");
  if (
    isLate &&
    deepEqual(before["ipFamilies"] ?? null, spec["ipFamilies"] ?? null) &&
    policy === textIn(before, "ipFamilyPolicy")
  )
    return [];
  if (policy === "RequireDualStack" && !isOpen)
    errors.push(invalid("spec.ipFamilyPolicy", policy, "this cluster is not configured for dual-stack services"));
  for (const [index, family] of families.entries())
    if (family === "IPv6" && !isOpen)
      errors.push(
        isLate && index === 0
          ? invalid(
              "spec.clusterIPs[0]",
              textIn(spec, "clusterIP"),
              "expected an IPv6 value as indicated by `ipFamilies[0]`",
            )
          : invalid(`spec.ipFamilies[${index}]`, family, "not configured on this cluster"),
      );
  return errors;
}

function validateStatus(service: JsonObject, old: JsonObject): readonly FieldError[] {
  const path = "status.loadBalancer.ingress";
  const ingress = objectsIn(objectIn(objectIn(service, "status"), "loadBalancer"), "ingress");
  if (ingress.length === 0) return [];
  if (textIn(objectIn(service, "spec"), "type") !== "LoadBalancer")
    return [forbidden(path, "may only be used when `spec.type` is 'LoadBalancer'")];
  const known = objectsIn(objectIn(objectIn(old, "status"), "loadBalancer"), "ingress").map((one) => textIn(one, "ip"));
  return ingress.flatMap((point, index) => validateEntrance(point, `${path}[${index}]`, known));
}

function validateEntrance(point: JsonObject, path: string, known: readonly string[]): readonly FieldError[] {
  const [address, host, mode] = [textIn(point, "ip"), textIn(point, "hostname"), textIn(point, "ipMode")];
  const modePath = `${path}.ipMode`;
  const modeErrors = (): readonly FieldError[] => {
    if (!hasMember(point, "ipMode"))
      return address === "" ? [] : [required(modePath, "must be specified when `ip` is set")];
    if (address === "") return [forbidden(modePath, "may not be specified when `ip` is not set")];
    return ["Proxy", "VIP"].includes(mode) ? [] : [notSupported(modePath, mode, ["Proxy", "VIP"])];
  };
  return [
    ...(address === "" || known.includes(address) || isIP(address) > 0
      ? []
      : [invalid(`${path}.ip`, address, notAnAddress)]),
    ...modeErrors(),
    ...(host === "" ? [] : subdomainProblems(host).map((problem) => invalid(`${path}.hostname`, host, problem))),
    ...(isIP(host) > 0 ? [invalid(`${path}.hostname`, host, "must be a DNS name, not an IP address")] : []),
  ];
}

function defaultStatus(service: JsonObject): JsonObject {
  const status = withDefaults(objectIn(service, "status"), { loadBalancer: {} });
  if (textIn(objectIn(service, "spec"), "type") !== "LoadBalancer") return status;
  return mapMember(status, "loadBalancer", (balancer) =>
    mapList(balancer, "ingress", (point) => (hasMember(point, "ip") ? withDefaults(point, { ipMode: "VIP" }) : point)),
  );
}

export const serviceKind = defineKind(services, {
  shortNames: ["svc"],
  categories: ["all"],
  status: true,
  nameRule: "label",
  createsOnPut: true,
  deleteReturnsObject: true,
  defaults: (service) => ({
    ...mapMember(service, "spec", defaultSpec),
    status: defaultStatus(service),
  }),
  onCreate: (service, context) => {
    const allocated =
      context.throughStatus === true ? service : allocateNodePorts(allocateAddresses(service, context), context);
    return { ...without(allocated, "status"), status: { loadBalancer: {} } };
  },
  onUpdate: (next, old, endpoint, context) =>
    endpoint === "main"
      ? allocateNodePorts(
          allocateAddresses(keepAllocated(withoutAllocated(next, old), old), context, old),
          context,
          old,
        )
      : next,
  unallocatable,
  validate: (service, _context, old, endpoint) =>
    endpoint === "status" ? validateStatus(service, old ?? {}) : validateService(service, old),
  warnings: (service) => warningsFor(objectIn(service, "spec")),
  printer: servicePrinter,
});
