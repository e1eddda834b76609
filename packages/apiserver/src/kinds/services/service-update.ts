import type { JsonObject } from "@purser/kubernetes/json";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import { hasMember, mapList, numberIn, objectIn, objectsIn, textIn, textsIn, without } from "../decoding/json-parts.ts";

/** Whether the Service takes traffic from outside the cluster. */
export function isAccessible(spec: JsonObject): boolean {
  const type = textIn(spec, "type");
  if (type === "NodePort" || type === "LoadBalancer") return true;
  return type === "ClusterIP" && textsIn(spec, "externalIPs").length > 0;
}

/** Whether the Service needs a health check port: type LoadBalancer with externalTrafficPolicy Local. */
export function needsHealthCheck(spec: JsonObject): boolean {
  return textIn(spec, "type") === "LoadBalancer" && textIn(spec, "externalTrafficPolicy") === "Local";
}

export function hasNodePorts(spec: JsonObject): boolean {
  return ["NodePort", "LoadBalancer"].includes(textIn(spec, "type"));
}

export function hasAddress(spec: JsonObject): boolean {
  return textIn(spec, "type") !== "ExternalName";
}

export function nodePortsOf(spec: JsonObject): readonly number[] {
  return objectsIn(spec, "ports").flatMap((port) => {
    const number = numberIn(port, "nodePort") ?? 0;
    return number === 0 ? [] : [number];
  });
}

/** Keeps clusterIP and clusterIPs in step: a request that sets or changes only clusterIP changes the list as well. */
export function withAddressList(spec: JsonObject, before: JsonObject | undefined): JsonObject {
  const [address, addresses] = [textIn(spec, "clusterIP"), textsIn(spec, "clusterIPs")];
  if (before === undefined) return address !== "" && addresses.length === 0 ? { ...spec, clusterIPs: [address] } : spec;
  const old = textsIn(before, "clusterIPs");
  if (address === textIn(before, "clusterIP"))
    return old.length > 0 && addresses.length === 0 ? { ...spec, clusterIPs: old } : spec;
  if (!deepEqual([...addresses], [...old])) return spec;
  return address === "" ? without(spec, "clusterIPs") : { ...spec, clusterIPs: [address] };
}

/**
 * Restores allocated values that an update omits, so that clients can send again the manifest they created the object
 * with.
 */
export function withAllocatedKept(spec: JsonObject, before: JsonObject): JsonObject {
  let kept = spec;
  if (hasAddress(before) && hasAddress(spec)) {
    if (textIn(kept, "clusterIP") === "" && hasMember(before, "clusterIP"))
      kept = { ...kept, clusterIP: before["clusterIP"] };
    if (textsIn(kept, "clusterIPs").length === 0 && textsIn(before, "clusterIPs").length > 0)
      kept = { ...kept, clusterIPs: before["clusterIPs"] };
  }
  if (hasNodePorts(before) && hasNodePorts(spec)) kept = withNodePortsKept(kept, before);
  const port = numberIn(before, "healthCheckNodePort") ?? 0;
  if (
    needsHealthCheck(before) &&
    needsHealthCheck(kept) &&
    (numberIn(kept, "healthCheckNodePort") ?? 0) === 0 &&
    port > 0
  )
    kept = { ...kept, healthCheckNodePort: port };
  return kept;
}

/** Restores node ports by port name, unless another port uses the number now. */
function withNodePortsKept(spec: JsonObject, before: JsonObject): JsonObject {
  const used = new Set(nodePortsOf(spec));
  const byName = new Map(
    objectsIn(before, "ports").map((port) => [textIn(port, "name"), numberIn(port, "nodePort") ?? 0]),
  );
  return mapList(spec, "ports", (port) => {
    const nodePort = byName.get(textIn(port, "name")) ?? 0;
    return (numberIn(port, "nodePort") ?? 0) !== 0 || nodePort === 0 || used.has(nodePort)
      ? port
      : { ...port, nodePort };
  });
}

/**
 * Releases the allocations of the old type on a change of type, where the request leaves them unchanged; validation
 * refuses changed ones.
 */
export function withoutUnneeded(spec: JsonObject, before: JsonObject): JsonObject {
  let kept = spec;
  const drop = (...keys: readonly string[]): void => {
    kept = without(kept, ...keys);
  };
  const same = (key: string): boolean => deepEqual(kept[key] ?? null, before[key] ?? null);
  if (hasAddress(before) && !hasAddress(spec)) {
    if (same("clusterIP") && same("clusterIPs")) drop("clusterIP", "clusterIPs");
    if (same("ipFamilies")) drop("ipFamilies");
    if (same("ipFamilyPolicy")) drop("ipFamilyPolicy");
  }
  const held = new Set(nodePortsOf(before));
  if (hasNodePorts(before) && !hasNodePorts(spec) && nodePortsOf(spec).every((port) => held.has(port)))
    kept = mapList(kept, "ports", (port) => without(port, "nodePort"));
  if (needsHealthCheck(before) && !needsHealthCheck(spec) && same("healthCheckNodePort")) drop("healthCheckNodePort");
  if (textIn(before, "type") === "LoadBalancer" && textIn(spec, "type") !== "LoadBalancer")
    for (const key of ["allocateLoadBalancerNodePorts", "loadBalancerClass"]) if (same(key)) drop(key);
  if (isAccessible(before) && !isAccessible(spec) && same("externalTrafficPolicy")) drop("externalTrafficPolicy");
  return kept;
}

/** Only Services of type LoadBalancer have a load balancer status. */
export function withoutBalancer(service: JsonObject): JsonObject {
  const balanced = textIn(objectIn(service, "spec"), "type") === "LoadBalancer";
  return balanced ? service : { ...service, status: { ...objectIn(service, "status"), loadBalancer: {} } };
}
