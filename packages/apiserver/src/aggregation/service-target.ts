import { asJson, type KubeObject } from "@purser/kubernetes/apis/object";
import { services } from "@purser/kubernetes/apis/resources";
import type { JsonObject } from "@purser/kubernetes/json";
import type { Result } from "@purser/kubernetes/result";
import { done, failed } from "@purser/kubernetes/result";
import { hasMember, numberIn, objectIn, objectsIn, textIn, textsIn } from "../kinds/decoding/json-parts.ts";
import { endpointSlices } from "../kinds/resource-types.ts";
import { tableOf } from "../registry/served-kind.ts";
import type { Storage } from "../storage/storage.ts";

/** Address of a Service for this process, and the name that its certificate must have. */
export interface ServiceTarget {
  /** `localhost:8443`. */
  readonly host: string;
  readonly serverName: string;
}

export type TargetProblem = {
  readonly kind: "serviceMissing" | "endpointsMissing" | "simulated";
  readonly message: string;
};

/** The requested Service and port; `port` is the Service's own. */
export interface ServicePort {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

/**
 * Resolves a Service: its externalName, or a ready address of manually written EndpointSlices. Pods are simulated, so a
 * Service that selects pods has no reachable endpoint.
 */
export function serviceTarget(
  storage: Storage,
  { namespace, name, port }: ServicePort,
): Result<ServiceTarget, TargetProblem> {
  const found = storage.get(tableOf(services), `${namespace}/${name}`);
  if (found === undefined) return failed({ kind: "serviceMissing", message: `service "${name}" not found` });
  const spec = objectIn(asJson(found), "spec");
  const serverName = `${name}.${namespace}.svc`;
  if (textIn(spec, "type") === "ExternalName")
    return done({ host: hostPort(textIn(spec, "externalName"), port), serverName });
  const slices = slicesOf(storage, namespace, name);
  const portName = objectsIn(spec, "ports").find((held) => numberIn(held, "port") === port);
  for (const slice of slices.filter((held) => !isSimulated(held))) {
    const address = readyAddress(asJson(slice));
    const target = objectsIn(asJson(slice), "ports").find(
      (held) => textIn(held, "name") === textIn(portName ?? {}, "name"),
    );
    const number = target === undefined ? undefined : numberIn(target, "port");
    if (address !== undefined && number !== undefined) return done({ host: hostPort(address, number), serverName });
  }
  if (slices.length === 0 && !hasMember(spec, "selector"))
    return failed({ kind: "endpointsMissing", message: `no endpoints available for service "${name}"` });
  return failed({
    kind: "simulated",
    message: `embedded server: no container runs behind service "${namespace}/${name}"`,
  });
}

/** All EndpointSlices of the Service, whoever wrote them. */
export function slicesOf(storage: Storage, namespace: string, name: string): readonly KubeObject[] {
  const held = storage.list(tableOf(endpointSlices), { namespace });
  return held.ok ? held.value.filter(({ metadata }) => metadata.labels?.["kubernetes.io/service-name"] === name) : [];
}

function isSimulated({ metadata }: KubeObject): boolean {
  return metadata.labels?.["endpointslice.kubernetes.io/managed-by"] === "endpointslice-controller.k8s.io";
}

function readyAddress(slice: JsonObject): string | undefined {
  const endpoint = objectsIn(slice, "endpoints").find((held) => objectIn(held, "conditions")["ready"] !== false);
  return endpoint === undefined ? undefined : textsIn(endpoint, "addresses")[0];
}

function hostPort(host: string, port: number): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}
