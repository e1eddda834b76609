import type { JsonObject } from "@purser/kubernetes/json";
import { asJson } from "@purser/kubernetes/apis/object";
import { services } from "@purser/kubernetes/apis/resources";
import { invalid, type FieldError } from "@purser/kubernetes/object/field-error";
import type { Result } from "@purser/kubernetes/result";
import { done, failed } from "@purser/kubernetes/result";
import type { WriteContext } from "../built-in-kind.ts";
import { numberIn, objectIn, objectsIn, textIn, textsIn } from "../decoding/json-parts.ts";
import { isHeadless, keepsPreferred, withFamilies } from "./service-families.ts";
import {
  hasAddress,
  hasNodePorts,
  needsHealthCheck,
  nodePortsOf,
  withAddressList,
  withAllocatedKept,
} from "./service-update.ts";

/** Range of cluster IPs; the first address belongs to the API server. */
const serviceRange = "10.96.0.0/16";
const firstServiceAddress = "10.96.0.1";

const firstNodePort = 30_000;
const nodePortCount = 2768;

type Allocated = Result<JsonObject, readonly FieldError[]>;

/** The specs of all other services. */
function* otherSpecs(service: JsonObject, context: WriteContext): Iterable<JsonObject> {
  const own = objectIn(service, "metadata");
  for (const other of context.view.list(services))
    if (other.metadata.namespace !== own["namespace"] || other.metadata.name !== own["name"])
      yield objectIn(asJson(other), "spec");
}

/**
 * Allocates what a Service needs of the cluster: IP families and addresses, node ports, the health check port. On
 * updates (`old` is set) allocated values that the new object omits are kept. Returns the Service, or the errors of
 * what cannot be allocated. There is no other record: stored Services hold their addresses.
 */
export function allocate(service: JsonObject, context: WriteContext, old?: JsonObject): Allocated {
  const before = old === undefined ? undefined : objectIn(old, "spec");
  const given = objectIn(service, "spec");
  const asked = withAddressList(before === undefined ? given : withAllocatedKept(given, before), before);
  const spec = withFamilies(asked, before);
  if (!spec.ok) return spec;
  const addressed = withAddresses({ ...service, spec: spec.value }, context, before);
  if (!addressed.ok) return addressed;
  const ported = withNodePorts(addressed.value, context, before);
  if (!ported.ok) return ported;
  return done(withHealthPort(ported.value, context, before));
}

/** Allocates an address to a new Service, or to one that was of type ExternalName. */
function withAddresses(service: JsonObject, context: WriteContext, before: JsonObject | undefined): Allocated {
  const spec = objectIn(service, "spec");
  const isNew = before === undefined || (!hasAddress(before) && !keepsPreferred(spec, before));
  if (!isNew || !hasAddress(spec) || isHeadless(spec)) return done(service);
  const [asked = ""] = textsIn(spec, "clusterIPs");
  const address = asked === "" ? freeAddress(service, context) : asked;
  const fault = asked === "" ? undefined : addressFault(service, context, asked);
  if (fault !== undefined)
    return failed([invalid("spec.clusterIPs", [fault.badValue], `failed to allocate IP${fault.why}`)]);
  return done({ ...service, spec: { ...spec, clusterIP: address, clusterIPs: [address] } });
}

/** A free address; a random start keeps the scan short. */
function freeAddress(service: JsonObject, context: WriteContext): string {
  const used = new Set<string>([firstServiceAddress]);
  for (const spec of otherSpecs(service, context)) for (const one of textsIn(spec, "clusterIPs")) used.add(one);
  const start = Math.floor(context.entropy.fraction() * 65_000);
  for (let step = 0; step < 65_000; step++) {
    const number = ((start + step) % 65_000) + 16;
    const address = `10.96.${number >> 8}.${number & 255}`;
    if (!used.has(address)) return address;
  }
  return "";
}

/** Why a requested address cannot be allocated, with the value that the error quotes. */
function addressFault(
  service: JsonObject,
  context: WriteContext,
  address: string,
): { readonly badValue: string; readonly why: string } | undefined {
  // Each address is an IPAddress object that refers to the Service by name.
  if (textIn(objectIn(service, "metadata"), "name") === "" && !context.dryRun)
    return {
      badValue: "",
      why: `: IPAddress.networking.k8s.io ${JSON.stringify(address)} is invalid: spec.parentRef.name: Required value`,
    };
  if (!/^10\.96\.\d{1,3}\.\d{1,3}$/.test(address))
    return {
      badValue: address,
      why: ` ${address}: the provided IP (${address}) is not in the valid range. The range of valid IPs is ${serviceRange}`,
    };
  for (const spec of otherSpecs(service, context))
    if (textsIn(spec, "clusterIPs").includes(address))
      return { badValue: address, why: ` ${address}: provided IP is already allocated` };
  return undefined;
}

function usedNodePorts(service: JsonObject, context: WriteContext): Set<number> {
  const used = new Set<number>();
  for (const spec of otherSpecs(service, context)) {
    for (const port of nodePortsOf(spec)) used.add(port);
    used.add(numberIn(spec, "healthCheckNodePort") ?? 0);
  }
  return used;
}

/** Allocates node ports to a Service of a type that has them. */
function withNodePorts(service: JsonObject, context: WriteContext, before: JsonObject | undefined): Allocated {
  const spec = objectIn(service, "spec");
  if (!hasNodePorts(spec)) return done(service);
  const ports = objectsIn(spec, "ports");
  const own = new Set(before === undefined ? [] : nodePortsOf(before));
  const isAutomatic = textIn(spec, "type") === "NodePort" || spec["allocateLoadBalancerNodePorts"] === true;
  const used = usedNodePorts(service, context);
  const errors: FieldError[] = [];
  // On creation, ports with the same number and different protocols share a node port.
  const byNumber = new Map<number, number>();
  const filled = ports.map((port, index) => {
    const asked = numberIn(port, "nodePort") ?? 0;
    const number = numberIn(port, "port") ?? 0;
    if (asked === 0 && !isAutomatic) return port;
    const shared = before === undefined ? (byNumber.get(number) ?? requestedFor(number, ports)) : 0;
    const wanted = asked === 0 ? shared : asked;
    if (wanted === 0) {
      const free = freeNodePort(used, context);
      used.add(free);
      byNumber.set(number, free);
      return { ...port, nodePort: free };
    }
    const isKnown = own.has(wanted) || byNumber.get(number) === wanted;
    if (!isKnown) {
      const fault = nodePortFault(wanted, used);
      if (fault !== undefined) errors.push(invalid(`spec.ports[${index}].nodePort`, wanted, fault));
      used.add(wanted);
      own.add(wanted);
    }
    if (!byNumber.has(number)) byNumber.set(number, wanted);
    return { ...port, nodePort: wanted };
  });
  return errors.length > 0 ? failed(errors.slice(0, 1)) : done({ ...service, spec: { ...spec, ports: filled } });
}

function requestedFor(number: number, ports: readonly JsonObject[]): number {
  for (const port of ports) {
    const asked = numberIn(port, "nodePort") ?? 0;
    if (port["port"] === number && asked !== 0) return asked;
  }
  return 0;
}

function nodePortFault(port: number, used: ReadonlySet<number>): string | undefined {
  if (port < firstNodePort || port >= firstNodePort + nodePortCount)
    return `provided port is not in the valid range. The range of valid ports is ${firstNodePort}-${firstNodePort + nodePortCount - 1}`;
  return used.has(port) ? "provided port is already allocated" : undefined;
}

function freeNodePort(used: ReadonlySet<number>, context: WriteContext): number {
  const start = Math.floor(context.entropy.fraction() * nodePortCount);
  for (let step = 0; step < nodePortCount; step++) {
    const port = firstNodePort + ((start + step) % nodePortCount);
    if (!used.has(port)) return port;
  }
  return 0;
}

/** Allocates healthCheckNodePort, where load balancers ask a node whether it has endpoints. */
function withHealthPort(service: JsonObject, context: WriteContext, before: JsonObject | undefined): JsonObject {
  const spec = objectIn(service, "spec");
  const hadOne = before !== undefined && needsHealthCheck(before);
  if (!needsHealthCheck(spec) || hadOne || (numberIn(spec, "healthCheckNodePort") ?? 0) !== 0) return service;
  const used = usedNodePorts(service, context);
  for (const port of nodePortsOf(spec)) used.add(port);
  return { ...service, spec: { ...spec, healthCheckNodePort: freeNodePort(used, context) } };
}
