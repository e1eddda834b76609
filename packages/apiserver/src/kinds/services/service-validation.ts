import { labelKeyFaults } from "@purser/kubernetes/apis/label-syntax";
import { member } from "@purser/kubernetes/json";
import { goJson } from "@purser/kubernetes/text/go-json";
import type { JsonObject } from "@purser/kubernetes/json";
import type { Steps } from "@purser/kubernetes/steps";
import {
  duplicate,
  forbidden,
  invalid,
  notSupported,
  required,
  type FieldError,
} from "@purser/kubernetes/object/field-error";
import { validateLabels } from "@purser/kubernetes/object/metadata-rules";
import { hasMember, numberIn, objectAt, objectIn, objectsIn, textIn, textsIn } from "../decoding/json-parts.ts";
import { validateReachable } from "./endpoints-validation.ts";
import { labelProblems, subdomainProblems } from "../names.ts";
import { isBlock, notABlock, portNameProblems } from "../network-policy-validation.ts";
import { isHeadless, validateAddressFields } from "./service-families.ts";
import { topologyHints as hints, topologyMode as mode } from "./service-advice.ts";
import { isAccessible, needsHealthCheck } from "./service-update.ts";

const sourceRanges = "service.beta.kubernetes.io/load-balancer-source-ranges";
const onlyBalanced = "may only be used when `type` is 'LoadBalancer'";
const balancerClass = "spec.loadBalancerClass";

function isBalanced(spec: JsonObject): boolean {
  return textIn(spec, "type") === "LoadBalancer";
}

/** Validates a Service, addresses included, with pauses; `old` is set on updates. */
export function* validateService(service: JsonObject, old: JsonObject | undefined): Steps<readonly FieldError[]> {
  const spec = objectIn(service, "spec");
  const errors: FieldError[] = [];
  // Each part goes over a list or a map of any length.
  const parts = [
    () => (old === undefined ? [] : validateUpdate(spec, objectIn(old, "spec"))),
    () => validateTopology(objectAt(service, "metadata", "annotations")),
    () => validateKindOfService(spec),
    () => validatePorts(spec),
    () => validateLabels(member(spec, "selector"), "spec.selector"),
    () => validateAffinity(spec),
    () => validateAddressFields(spec),
    () => validateExternalAddresses(spec),
    () => validateTypeName(spec),
    () => validateDuplicates(spec),
    () => validateRanges(service, old),
    () => validateBalancer(spec),
    () => validateTraffic(spec),
  ];
  for (const part of parts) {
    for (const error of part()) errors.push(error);
    yield;
  }
  return errors;
}

function validateExternalAddresses(spec: JsonObject): readonly FieldError[] {
  return textsIn(spec, "externalIPs").flatMap((address, index) =>
    validateReachable(address, `spec.externalIPs[${index}]`),
  );
}

/** Immutable fields: addresses, families, class, health check port. */
function validateUpdate(spec: JsonObject, before: JsonObject): readonly FieldError[] {
  const [port, oldPort] = [numberIn(spec, "healthCheckNodePort") ?? 0, numberIn(before, "healthCheckNodePort") ?? 0];
  const isNamed = textIn(spec, "type") === "ExternalName" || textIn(before, "type") === "ExternalName";
  const isReclassed =
    isBalanced(spec) &&
    isBalanced(before) &&
    (spec["loadBalancerClass"] ?? null) !== (before["loadBalancerClass"] ?? null);
  return [
    ...(isNamed ? [] : [...validateAddressChange(spec, before), ...validateFamilyChange(spec, before)]),
    ...(isReclassed ? [invalid(balancerClass, spec["loadBalancerClass"] ?? null, "may not change once set")] : []),
    ...validateClass(spec),
    ...(needsHealthCheck(spec) && needsHealthCheck(before) && port !== oldPort
      ? [forbidden("spec.healthCheckNodePort", "field is immutable")]
      : []),
  ];
}

function validateAddressChange(spec: JsonObject, before: JsonObject): readonly FieldError[] {
  if (isHeadless(spec) && isHeadless(before)) return [];
  const [now, then] = [textsIn(spec, "clusterIPs"), textsIn(before, "clusterIPs")];
  const changed = (index: number): FieldError =>
    invalid(`spec.clusterIPs[${index}]`, spec["clusterIPs"] ?? null, "may not change once set");
  if (now.length === then.length) return then.flatMap((one, index) => (one === now[index] ? [] : [changed(index)]));
  if (now.length > then.length) return then.length > 0 && now[0] !== then[0] ? [changed(0)] : [];
  if (now.length === 0)
    return [invalid("spec.clusterIPs[0]", spec["clusterIPs"] ?? null, "primary clusterIP can not be unset")];
  return [...(now[0] === then[0] ? [] : [changed(0)]), ...validateOneLeft(spec, now, "clusterIP")];
}

function validateFamilyChange(spec: JsonObject, before: JsonObject): readonly FieldError[] {
  if (isHeadless(spec) || isHeadless(before)) return [];
  const [now, then] = [textsIn(spec, "ipFamilies"), textsIn(before, "ipFamilies")];
  const field = "spec.ipFamilies[0]";
  const changed = (key: string): FieldError => invalid(field, spec[key] ?? null, "may not change once set");
  if (now.length === then.length)
    return then.flatMap((one, index) => (one === now[index] ? [] : [changed("ipFamilies")]));
  const isOther = now.length > 0 && then.length > 0 && now[0] !== then[0];
  if (now.length > then.length) return isOther ? [changed("clusterIPs")] : [];
  return [
    ...(textsIn(spec, "clusterIPs").length === 0
      ? [invalid(field, spec["ipFamilies"] ?? null, "primary ipFamily can not be unset")]
      : []),
    ...(isOther ? [changed("clusterIPs")] : []),
    ...validateOneLeft(spec, now, "ipFamily"),
  ];
}

function validateOneLeft(spec: JsonObject, left: readonly string[], what: string): readonly FieldError[] {
  const policy = spec["ipFamilyPolicy"] ?? null;
  return left.length === 1 && policy !== "SingleStack"
    ? [invalid("spec.ipFamilyPolicy", policy, `must be set to 'SingleStack' when releasing the secondary ${what}`)]
    : [];
}

function validateTopology(annotations: JsonObject): readonly FieldError[] {
  const differ =
    hasMember(annotations, hints) && hasMember(annotations, mode) && annotations[hints] !== annotations[mode];
  return differ
    ? [
        invalid(
          `metadata.annotations[${mode}]`,
          textIn(annotations, mode),
          `must match annotations[${hints}] when both are specified`,
        ),
      ]
    : [];
}

function validateKindOfService(spec: JsonObject): readonly FieldError[] {
  const type = textIn(spec, "type");
  const errors: FieldError[] = [];
  const isName = type === "ExternalName";
  if (objectsIn(spec, "ports").length === 0 && !isHeadless(spec) && !isName) errors.push(required("spec.ports"));
  if ((type === "LoadBalancer" || type === "NodePort") && isHeadless(spec))
    errors.push(invalid("spec.clusterIPs[0]", "None", `may not be set to 'None' for ${type} services`));
  if (!isName) return errors;
  const none = "may not be set for ExternalName services";
  for (const key of ["clusterIPs", "ipFamilies"])
    if (textsIn(spec, key).length > 0) errors.push(forbidden(`spec.${key}`, none));
  if (hasMember(spec, "ipFamilyPolicy")) errors.push(forbidden("spec.ipFamilyPolicy", none));
  const name = textIn(spec, "externalName").replace(/\.$/, "");
  if (name === "") return [...errors, required("spec.externalName")];
  return [...errors, ...subdomainProblems(name).map((problem) => invalid("spec.externalName", name, problem))];
}

function validatePorts(spec: JsonObject): readonly FieldError[] {
  const names = new Set<string>();
  const ports = objectsIn(spec, "ports");
  const range = "must be between 1 and 65535, inclusive";
  return ports.flatMap((port, index) => {
    const at = `spec.ports[${index}]`;
    const errors: FieldError[] = [];
    const name = textIn(port, "name");
    if (name === "" && ports.length > 1) errors.push(required(`${at}.name`));
    if (name !== "") errors.push(...labelProblems(name).map((problem) => invalid(`${at}.name`, name, problem)));
    if (name !== "" && names.has(name)) errors.push(duplicate(`${at}.name`, name));
    names.add(name);
    const number = numberIn(port, "port") ?? 0;
    if (number < 1 || number > 65535) errors.push(invalid(`${at}.port`, number, range));
    const protocol = textIn(port, "protocol");
    if (!["SCTP", "TCP", "UDP"].includes(protocol))
      errors.push(notSupported(`${at}.protocol`, protocol, ["SCTP", "TCP", "UDP"]));
    const target = port["targetPort"];
    if (typeof target === "number" && (target < 1 || target > 65535))
      errors.push(invalid(`${at}.targetPort`, target, range));
    if (typeof target === "string")
      errors.push(...portNameProblems(target).map((problem) => invalid(`${at}.targetPort`, target, problem)));
    const application = textIn(port, "appProtocol");
    if (hasMember(port, "appProtocol"))
      errors.push(...labelKeyFaults(application).map((fault) => invalid(`${at}.appProtocol`, application, fault)));
    return errors;
  });
}

const longestAffinity = 86_400;

function validateAffinity(spec: JsonObject): readonly FieldError[] {
  const affinity = textIn(spec, "sessionAffinity");
  const path = "spec.sessionAffinityConfig";
  if (affinity === "None")
    return hasMember(spec, "sessionAffinityConfig")
      ? [forbidden(path, "must not be set when session affinity is None")]
      : [];
  if (affinity !== "ClientIP") return [notSupported("spec.sessionAffinity", affinity, ["ClientIP", "None"])];
  const seconds = numberIn(objectAt(spec, "sessionAffinityConfig", "clientIP"), "timeoutSeconds");
  return seconds === undefined || (seconds > 0 && seconds <= longestAffinity)
    ? []
    : [invalid(`${path}.clientIP.timeoutSeconds`, seconds, `must be greater than 0 and less than ${longestAffinity}`)];
}

const serviceTypes = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];

function validateTypeName(spec: JsonObject): readonly FieldError[] {
  const type = textIn(spec, "type");
  if (!serviceTypes.includes(type)) return [notSupported("spec.type", type, serviceTypes)];
  if (type !== "ClusterIP") return [];
  return objectsIn(spec, "ports").flatMap((port, index) =>
    (numberIn(port, "nodePort") ?? 0) === 0
      ? []
      : [forbidden(`spec.ports[${index}].nodePort`, "may not be used when `type` is 'ClusterIP'")],
  );
}

/** Port numbers and node ports must be unique per protocol. */
function validateDuplicates(spec: JsonObject): readonly FieldError[] {
  const [nodes, pairs] = [new Set<string>(), new Set<string>()];
  const ports = [...objectsIn(spec, "ports").entries()];
  const isSecond = (seen: Set<string>, key: string): boolean => seen.size === seen.add(key).size;
  return [
    ...ports.flatMap(([index, port]) => {
      const node = numberIn(port, "nodePort") ?? 0;
      const again = node !== 0 && isSecond(nodes, `${textIn(port, "protocol")}/${node}`);
      return again ? [duplicate(`spec.ports[${index}].nodePort`, node)] : [];
    }),
    ...ports.flatMap(([index, port]) => {
      const [protocol, number] = [textIn(port, "protocol"), numberIn(port, "port") ?? 0];
      if (!isSecond(pairs, `${protocol}/${number}`)) return [];
      // Error messages quote the internal struct, in which only these fields are set.
      const badText = `{"Name":"","Protocol":${goJson(protocol)},"AppProtocol":null,"Port":${number},"TargetPort":0,"NodePort":0}`;
      return [{ ...duplicate(`spec.ports[${index}]`, number), badText }];
    }),
  ];
}

function validateRanges(service: JsonObject, old: JsonObject | undefined): readonly FieldError[] {
  const spec = objectIn(service, "spec");
  const ranges = textsIn(spec, "loadBalancerSourceRanges");
  const blockErrors = (block: string, path: string): readonly FieldError[] =>
    isBlock(block) ? [] : [invalid(path, block, notABlock)];
  const misplaced = (path: string): readonly FieldError[] => (isBalanced(spec) ? [] : [forbidden(path, onlyBalanced)]);
  if (ranges.length > 0) {
    const path = "spec.LoadBalancerSourceRanges";
    return [...misplaced(path), ...ranges.flatMap((range, index) => blockErrors(range.trim(), `${path}[${index}]`))];
  }
  const annotations = objectAt(service, "metadata", "annotations");
  if (!hasMember(annotations, sourceRanges)) return [];
  const text = textIn(annotations, sourceRanges);
  const path = `metadata.annotations[${sourceRanges}]`;
  const isOld = old !== undefined && objectAt(old, "metadata", "annotations")[sourceRanges] === text;
  const blocks = isOld || text.trim() === "" ? [] : text.split(",");
  return [...misplaced(path), ...blocks.flatMap((block) => blockErrors(block.trim(), path))];
}

function validateClass(spec: JsonObject): readonly FieldError[] {
  if (!hasMember(spec, "loadBalancerClass")) return [];
  const name = textIn(spec, "loadBalancerClass");
  return isBalanced(spec)
    ? labelKeyFaults(name).map((fault) => invalid(balancerClass, name, fault))
    : [forbidden(balancerClass, onlyBalanced)];
}

function validateBalancer(spec: JsonObject): readonly FieldError[] {
  const isSet = hasMember(spec, "allocateLoadBalancerNodePorts");
  return [
    ...(isSet && !isBalanced(spec) ? [forbidden("spec.allocateLoadBalancerNodePorts", onlyBalanced)] : []),
    ...(!isSet && isBalanced(spec) ? [required("allocateLoadBalancerNodePorts")] : []),
    ...validateClass(spec),
  ];
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
  } else if (external === "") errors.push(required("spec.externalTrafficPolicy"));
  else if (!supported.includes(external)) errors.push(notSupported("spec.externalTrafficPolicy", external, supported));
  errors.push(...validateHealthPort(spec));
  if (internal !== "" && !supported.includes(internal))
    errors.push(notSupported("spec.internalTrafficPolicy", internal, supported));
  const distribution = textIn(spec, "trafficDistribution");
  if (hasMember(spec, "trafficDistribution") && !distributions.includes(distribution))
    errors.push(notSupported("spec.trafficDistribution", distribution, distributions));
  return errors;
}

function validateHealthPort(spec: JsonObject): readonly FieldError[] {
  const field = "spec.healthCheckNodePort";
  const port = numberIn(spec, "healthCheckNodePort") ?? 0;
  const only = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
  if (!needsHealthCheck(spec)) return port === 0 ? [] : [invalid(field, port, only)];
  if (port === 0) return [required(field)];
  return port < 1 || port > 65535 ? [invalid(field, port, "must be between 1 and 65535, inclusive")] : [];
}
