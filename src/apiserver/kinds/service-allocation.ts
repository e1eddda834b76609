import type { JsonObject } from "../../json.ts";
import { asJson } from "../../apis/object.ts";
import { services } from "../../apis/resources.ts";
import { invalid, type FieldError } from "../../object/field-error.ts";
import type { WriteContext } from "./built-in-kind.ts";
import { numberIn, objectIn, objectsIn, textIn, textsIn, withDefaults } from "./json-parts.ts";

/** Services get their addresses from 10.96.0.0/16; the first one is the API server's own. */
export const serviceRange = "10.96.0.0/16";
export const firstServiceAddress = "10.96.0.1";

function usedAddresses(context: WriteContext): ReadonlySet<string> {
  const used = new Set<string>([firstServiceAddress]);
  for (const service of context.view.list(services)) {
    for (const address of textsIn(objectIn(asJson(service), "spec"), "clusterIPs")) used.add(address);
  }
  return used;
}

/** A free address; a random start keeps the scan short. */
function freeAddress(context: WriteContext): string {
  const used = usedAddresses(context);
  const start = Math.floor(context.entropy.fraction() * 65_000);
  for (let step = 0; step < 65_000; step++) {
    const number = ((start + step) % 65_000) + 16;
    const address = `10.96.${number >> 8}.${number & 255}`;
    if (!used.has(address)) return address;
  }
  return "";
}

/** An address is given to what is new or was a mere name; a service made without one goes on without. */
function isAllocated(old: JsonObject | undefined): boolean {
  return old === undefined || textIn(objectIn(old, "spec"), "type") === "ExternalName";
}

/** Fills `clusterIP`, `clusterIPs` and the IP families of a service that needs an address. */
export function allocateAddresses(service: JsonObject, context: WriteContext, old?: JsonObject): JsonObject {
  const spec = objectIn(service, "spec");
  if (textIn(spec, "type") === "ExternalName") return service;
  const asked = textIn(spec, "clusterIP") || (textsIn(spec, "clusterIPs")[0] ?? "");
  const headless = asked === "None";
  const address = asked === "" && isAllocated(old) ? freeAddress(context) : asked;
  const both = headless && Object.keys(objectIn(spec, "selector")).length === 0;
  const families = both
    ? { ipFamilies: ["IPv4", "IPv6"], ipFamilyPolicy: "RequireDualStack" }
    : { ipFamilies: ["IPv4"], ipFamilyPolicy: "SingleStack" };
  return {
    ...service,
    spec: withDefaults(address === "" ? spec : { ...spec, clusterIP: address, clusterIPs: [address] }, families),
  };
}

const firstNodePort = 30_000;
const nodePortCount = 2768;

/** Gives every port of a NodePort or LoadBalancer service a node port; an update keeps those it had. */
export function allocateNodePorts(service: JsonObject, context: WriteContext, old?: JsonObject): JsonObject {
  const spec = objectIn(service, "spec");
  const type = textIn(spec, "type");
  const ports = objectsIn(spec, "ports");
  if (type !== "NodePort" && !(type === "LoadBalancer" && spec["allocateLoadBalancerNodePorts"] === true))
    return service;
  if (ports.every((port) => (numberIn(port, "nodePort") ?? 0) > 0)) return service;
  const used = new Set<number>();
  for (const other of context.view.list(services)) {
    for (const port of objectsIn(objectIn(asJson(other), "spec"), "ports")) used.add(numberIn(port, "nodePort") ?? 0);
  }
  const before = old === undefined ? [] : objectsIn(objectIn(old, "spec"), "ports");
  const filled = ports.map((port) => {
    if ((numberIn(port, "nodePort") ?? 0) > 0) return port;
    const same = before.find((other) => other["port"] === port["port"] && other["protocol"] === port["protocol"]);
    const nodePort = numberIn(same ?? {}, "nodePort") ?? freeNodePort(used, context);
    used.add(nodePort);
    return { ...port, nodePort };
  });
  return { ...service, spec: { ...spec, ports: filled } };
}

function freeNodePort(used: ReadonlySet<number>, context: WriteContext): number {
  const start = Math.floor(context.entropy.fraction() * nodePortCount);
  for (let step = 0; step < nodePortCount; step++) {
    const port = firstNodePort + ((start + step) % nodePortCount);
    if (!used.has(port)) return port;
  }
  return 0;
}

/** A service keeps its address as long as it has one. */
export function unchangedAddress(service: JsonObject, old: JsonObject | undefined): readonly FieldError[] {
  const spec = objectIn(service, "spec");
  const address = textIn(spec, "clusterIP");
  const before = old === undefined ? "" : textIn(objectIn(old, "spec"), "clusterIP");
  return textIn(spec, "type") === "ExternalName" || address === "" || before === "" || before === address
    ? []
    : [invalid("spec.clusterIPs[0]", [address], "may not change once set")];
}

/** Whether the cluster address can be given: its range, and whether nobody has it. */
export function validateAddresses(service: JsonObject, context: WriteContext, old?: JsonObject): readonly FieldError[] {
  const spec = objectIn(service, "spec");
  const address = textIn(spec, "clusterIP");
  if (textIn(spec, "type") === "ExternalName" || address === "") return [];
  const before = old === undefined ? "" : textIn(objectIn(old, "spec"), "clusterIP");
  if (before !== "" || address === "None" || !isAllocated(old)) return [];
  // Each address is an object of its own that names the service.
  if (textIn(objectIn(service, "metadata"), "name") === "" && !context.dryRun)
    return [
      invalid(
        "spec.clusterIPs",
        [""],
        `failed to allocate IP: IPAddress.networking.k8s.io ${JSON.stringify(address)} is invalid: spec.parentRef.name: Required value`,
      ),
    ];
  if (!/^10\.96\.\d{1,3}\.\d{1,3}$/.test(address)) {
    return [
      invalid(
        "spec.clusterIPs",
        [address],
        `failed to allocate IP ${address}: the provided IP (${address}) is not in the valid range. The range of valid IPs is ${serviceRange}`,
      ),
    ];
  }
  const own = objectIn(service, "metadata");
  for (const other of context.view.list(services)) {
    const same = other.metadata.namespace === own["namespace"] && other.metadata.name === own["name"];
    if (!same && textsIn(objectIn(asJson(other), "spec"), "clusterIPs").includes(address)) {
      return [
        invalid("spec.clusterIPs", [address], `failed to allocate IP ${address}: provided IP is already allocated`),
      ];
    }
  }
  return [];
}
