import type { Pod, Service } from "@purser/kubernetes/apis/core";
import { asJson } from "@purser/kubernetes/apis/object";
import type { JsonObject } from "@purser/kubernetes/json";
import { numberIn, objectIn, objectsIn, textIn } from "../../kinds/decoding/json-parts.ts";
import { isReady } from "../pod-state.ts";
import { repacked } from "./repack.ts";

const headlessLabel = "service.kubernetes.io/headless";
const mostInSlice = 100;

/** The Service's selector; undefined when its endpoints are managed by someone else. */
export function selectorOf(service: Service): JsonObject | undefined {
  const { selector } = service.spec ?? {};
  return selector === undefined || Object.keys(selector).length === 0 ? undefined : { matchLabels: { ...selector } };
}

/** The Service's ports for one pod: named target ports are looked up in its containers. */
function portsOf(service: Service, pod: Pod): readonly JsonObject[] {
  return objectsIn(objectIn(asJson(service), "spec"), "ports").flatMap((port): readonly JsonObject[] => {
    const target = port["targetPort"];
    const protocol = textIn(port, "protocol") || "TCP";
    const application = textIn(port, "appProtocol");
    const offered = (number: number): readonly JsonObject[] => [
      {
        name: textIn(port, "name"),
        port: number,
        protocol,
        ...(application === "" ? {} : { appProtocol: application }),
      },
    ];
    if (typeof target === "number") return offered(target);
    const spec = objectIn(asJson(pod), "spec");
    const sidecars = objectsIn(spec, "initContainers").filter((held) => held["restartPolicy"] === "Always");
    for (const container of [...objectsIn(spec, "containers"), ...sidecars]) {
      const found = objectsIn(container, "ports").find(
        (held) => held["name"] === target && (textIn(held, "protocol") || "TCP") === protocol,
      );
      if (found !== undefined) return offered(numberIn(found, "containerPort") ?? 0);
    }
    return [];
  });
}

/** Whether the pod has an address and has not terminated. */
function isBackend({ status }: Pod): boolean {
  return status?.phase !== "Succeeded" && status?.phase !== "Failed" && (status?.podIP ?? "") !== "";
}

function targetOf(pod: Pod): JsonObject {
  const { namespace = "", name = "", uid = "" } = pod.metadata;
  return { kind: "Pod", namespace, name, uid };
}

/** Hostname entry of a pod whose subdomain is the headless Service. */
function hostnameOf(service: Service, pod: Pod): JsonObject {
  const spec = objectIn(asJson(pod), "spec");
  const hostname = textIn(spec, "hostname");
  return hostname !== "" && textIn(spec, "subdomain") === service.metadata.name ? { hostname } : {};
}

/** Labels that Endpoints and EndpointSlices copy from their Service. */
export function serviceLabels(service: Service): Readonly<Record<string, string>> {
  const clusterIp = service.spec?.clusterIP ?? "";
  const { [headlessLabel]: _headless, ...labels } = service.metadata.labels ?? {};
  return clusterIp === "" || clusterIp === "None" ? { ...labels, [headlessLabel]: "" } : labels;
}

function isServed(service: Service, pod: Pod): boolean {
  return service.spec?.publishNotReadyAddresses === true || isReady(pod);
}

function addressOf(pod: Pod): string {
  return pod.status?.podIP ?? "";
}

function byAddress(a: Pod, b: Pod): number {
  return addressOf(a) < addressOf(b) ? -1 : 1;
}

/** Pods grouped by equal ports, in the order of their addresses. */
function grouped(
  service: Service,
  selected: readonly Pod[],
): readonly (readonly [ports: readonly JsonObject[], pods: readonly Pod[]])[] {
  const groups = new Map<string, { readonly ports: readonly JsonObject[]; readonly held: Pod[] }>();
  for (const pod of selected.filter(isBackend).toSorted(byAddress)) {
    const ports = portsOf(service, pod);
    const key = JSON.stringify(ports);
    const group = groups.get(key) ?? { ports, held: [] };
    groups.set(key, group);
    group.held.push(pod);
  }
  return [...groups.values()].map(({ ports, held }) => [ports, held]);
}

/** `subsets` of the service's Endpoints. */
export function subsetsOf(service: Service, selected: readonly Pod[]): readonly JsonObject[] {
  const staying = selected.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const subsets = grouped(service, staying).map(([ports, held]): JsonObject => {
    const addressesOf = (pods: readonly Pod[]): readonly JsonObject[] =>
      pods.map((pod) => ({
        ip: addressOf(pod),
        ...hostnameOf(service, pod),
        ...(pod.spec?.nodeName === undefined ? {} : { nodeName: pod.spec.nodeName }),
        targetRef: targetOf(pod),
      }));
    const up = addressesOf(held.filter((pod) => isServed(service, pod)));
    const down = addressesOf(held.filter((pod) => !isServed(service, pod)));
    const named = ports.map(({ name, ...rest }) => ({ ...(name === "" ? {} : { name }), ...rest }) as JsonObject);
    return { addresses: up, notReadyAddresses: down, ports: named };
  });
  return repacked(subsets);
}

/** Content of one EndpointSlice. */
export interface SliceContent {
  readonly addressType: "IPv4" | "IPv6";
  readonly endpoints: readonly JsonObject[];
  readonly ports: readonly JsonObject[];
}

/**
 * The slices of a Service: per list of ports, with at most a hundred endpoints each; one empty slice when there are
 * none.
 */
export function slicesOf(service: Service, selected: readonly Pod[]): readonly SliceContent[] {
  const slices = grouped(service, selected).flatMap(([ports, held]): readonly SliceContent[] => {
    const endpoints = held.map((pod): JsonObject => {
      const terminating = pod.metadata.deletionTimestamp !== undefined;
      return {
        addresses: [addressOf(pod)],
        conditions: { ready: isServed(service, pod) && !terminating, serving: isReady(pod), terminating },
        ...hostnameOf(service, pod),
        ...(pod.spec?.nodeName === undefined ? {} : { nodeName: pod.spec.nodeName }),
        targetRef: targetOf(pod),
      };
    });
    return Array.from({ length: Math.ceil(endpoints.length / mostInSlice) }, (_, index) => ({
      addressType: "IPv4",
      endpoints: endpoints.slice(index * mostInSlice, (index + 1) * mostInSlice),
      ports,
    }));
  });
  return slices.length === 0 ? [{ addressType: "IPv4", endpoints: [], ports: [] }] : slices;
}
