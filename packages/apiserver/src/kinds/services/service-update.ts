import type { JsonObject } from "@purser/kubernetes/json";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import { hasMember, mapList, numberIn, objectIn, objectsIn, textIn, textsIn, without } from "../decoding/json-parts.ts";

/** Whether traffic from outside of the cluster reaches it. */
export function isAccessible(spec: JsonObject): boolean {
  const type = textIn(spec, "type");
  if (type === "NodePort" || type === "LoadBalancer") return true;
  return type === "ClusterIP" && textsIn(spec, "externalIPs").length > 0;
}

/** Whether nodes tell a load balancer if they have endpoints of it. */
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

/** Both spellings of the address: who gives or changes the one alone means the list as well. */
export function withAddressList(spec: JsonObject, before: JsonObject | undefined): JsonObject {
  const [address, addresses] = [textIn(spec, "clusterIP"), textsIn(spec, "clusterIPs")];
  if (before === undefined) return address !== "" && addresses.length === 0 ? { ...spec, clusterIPs: [address] } : spec;
  const old = textsIn(before, "clusterIPs");
  if (address === textIn(before, "clusterIP"))
    return old.length > 0 && addresses.length === 0 ? { ...spec, clusterIPs: old } : spec;
  if (!deepEqual([...addresses], [...old])) return spec;
  return address === "" ? without(spec, "clusterIPs") : { ...spec, clusterIPs: [address] };
}

/** What an update leaves out of what was allocated is as it was: a client may send again what it created. */
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

/** Ports get back the node port of the port of their name, unless another one has it now. */
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
 * A service of another type gives back what the old one needed, where it came by itself and nobody changed it; what
 * somebody did change is refused later.
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

/** A service that no balancer serves has no status of one. */
export function withoutBalancer(service: JsonObject): JsonObject {
  const balanced = textIn(objectIn(service, "spec"), "type") === "LoadBalancer";
  return balanced ? service : { ...service, status: { ...objectIn(service, "status"), loadBalancer: {} } };
}
