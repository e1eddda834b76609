import { isIP } from "node:net";
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
import { allocateAddresses, allocateNodePorts, validateAddresses } from "./service-allocation.ts";
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
  }
  if (type !== "ExternalName") out = withDefaults(out, { internalTrafficPolicy: "Cluster" });
  if (type === "NodePort" || type === "LoadBalancer") out = withDefaults(out, { externalTrafficPolicy: "Cluster" });
  if (type === "LoadBalancer") out = withDefaults(out, { allocateLoadBalancerNodePorts: true });
  return out;
}

/** A service that becomes a mere name gives back what was allocated to it, where nobody asks for something else. */
function withoutAllocated(next: JsonObject, old: JsonObject): JsonObject {
  const before = objectIn(old, "spec");
  return mapMember(next, "spec", (spec) => {
    if (textIn(spec, "type") !== "ExternalName" || textIn(before, "type") === "ExternalName") return spec;
    let out = spec;
    const address = textIn(out, "clusterIP");
    if (address === "" || address === textIn(before, "clusterIP")) out = without(out, "clusterIP", "clusterIPs");
    for (const key of ["ipFamilies", "ipFamilyPolicy"]) if (deepEqual(out[key], before[key])) out = without(out, key);
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
    if (textIn(spec, "externalName") === "") errors.push(required("spec.externalName"));
    if (hasMember(spec, "clusterIP") && textIn(spec, "clusterIP") !== "") {
      errors.push(forbidden("spec.clusterIPs", "may not be set for ExternalName services"));
    }
  }
  if (type === "LoadBalancer" && textIn(spec, "clusterIP") === "None") {
    errors.push(invalid("spec.clusterIPs[0]", "None", "may not be set to 'None' for LoadBalancer services"));
  }
  return [...errors, ...validateLabels(member(spec, "selector"), "spec.selector"), ...validatePorts(ports)];
}

function validatePorts(ports: readonly JsonObject[]): readonly FieldError[] {
  const names = new Set<string>();
  const pairs = new Set<string>();
  return ports.flatMap((port, index) => {
    const at = `spec.ports[${index}]`;
    const errors: FieldError[] = [...notNegative(port, "nodePort", at)];
    const name = textIn(port, "name");
    if (name === "" && ports.length > 1) errors.push(required(`${at}.name`));
    else if (name !== "" && names.has(name)) errors.push(duplicate(`${at}.name`, name));
    names.add(name);
    const number = numberIn(port, "port") ?? 0;
    if (number < 1 || number > 65535)
      errors.push(invalid(`${at}.port`, number, "must be between 1 and 65535, inclusive"));
    const target = port["targetPort"];
    if (typeof target === "number" && (target < 1 || target > 65535))
      errors.push(invalid(`${at}.targetPort`, target, "must be between 1 and 65535, inclusive"));
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

/** A text that is no address is refused before anything else is looked at. */
function validateService(
  service: JsonObject,
  context: WriteContext,
  old: JsonObject | undefined,
): readonly FieldError[] {
  const spec = objectIn(service, "spec");
  const address = textIn(spec, "clusterIP");
  if (address !== "" && address !== "None" && isIP(address) === 0)
    return [invalid("spec.clusterIPs[0]", address, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)")];
  return [...validateSpec(spec), ...validateAddresses(service, context, old)];
}

function validateStatus(service: JsonObject): readonly FieldError[] {
  const ingress = objectsIn(objectIn(objectIn(service, "status"), "loadBalancer"), "ingress");
  return ingress.length > 0 && textIn(objectIn(service, "spec"), "type") !== "LoadBalancer"
    ? [forbidden("status.loadBalancer.ingress", "may only be used when `spec.type` is 'LoadBalancer'")]
    : [];
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
    status: withDefaults(objectIn(service, "status"), { loadBalancer: {} }),
  }),
  onCreate: (service, context) => {
    const allocated = allocateNodePorts(allocateAddresses(service, context), context);
    return { ...without(allocated, "status"), status: { loadBalancer: {} } };
  },
  onUpdate: (next, old, endpoint, context) =>
    endpoint === "main"
      ? allocateNodePorts(allocateAddresses(keepAllocated(withoutAllocated(next, old), old), context), context, old)
      : next,
  validate: (service, context, old, endpoint) =>
    endpoint === "status" ? validateStatus(service) : validateService(service, context, old),
  warnings: (service) => warningsFor(objectIn(service, "spec")),
  printer: servicePrinter,
});
