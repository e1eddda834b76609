import type { Pod, Service } from "@purser/kubernetes/apis/core";
import { asJson } from "@purser/kubernetes/apis/object";
import type { JsonObject } from "@purser/kubernetes/json";
import { type Steps, Strides } from "@purser/kubernetes/steps";
import { numberIn, objectIn, objectsIn, textIn } from "../../kinds/decoding/json-parts.ts";
import { isReady } from "../pod-state.ts";
import { repacked } from "./repack.ts";

const headlessLabel = "service.kubernetes.io/headless";
const mostInSlice = 100;

/** The labels that the Service selects; undefined when its endpoints are managed by someone else. */
export function selectorOf(service: Service): Readonly<Record<string, string>> | undefined {
  const { selector } = service.spec ?? {};
  for (const _key in selector) return selector;
  return undefined;
}

/** The Service's ports for pods whose containers have these numbers for the named target ports, in their order. */
function portsWith(service: Service, named: readonly (number | undefined)[]): readonly JsonObject[] {
  let next = 0;
  return objectsIn(objectIn(asJson(service), "spec"), "ports").flatMap((port): readonly JsonObject[] => {
    const target = port["targetPort"];
    const number = typeof target === "number" ? target : named[next++];
    const application = textIn(port, "appProtocol");
    if (number === undefined) return [];
    return [
      {
        name: textIn(port, "name"),
        port: number,
        protocol: protocolOf(port),
        ...(application === "" ? {} : { appProtocol: application }),
      },
    ];
  });
}

function protocolOf(port: JsonObject): string {
  return textIn(port, "protocol") || "TCP";
}

/** `PROTOCOL/NAME` of the ports of a Service whose target is the name of a container's port. */
function namedTargetsOf(service: Service): readonly string[] {
  return objectsIn(objectIn(asJson(service), "spec"), "ports").flatMap((port) => {
    const target = port["targetPort"];
    return typeof target === "number" ? [] : [`${protocolOf(port)}/${typeof target === "string" ? target : ""}`];
  });
}

/** Numbers of the named ports of a pod's containers and sidecars, by `PROTOCOL/NAME`: the first of each. */
function containerPortsOf(pod: Pod): ReadonlyMap<string, number> {
  const spec = objectIn(asJson(pod), "spec");
  const sidecars = objectsIn(spec, "initContainers").filter((held) => held["restartPolicy"] === "Always");
  const numbers = new Map<string, number>();
  for (const container of [...objectsIn(spec, "containers"), ...sidecars])
    for (const port of objectsIn(container, "ports")) {
      const key = `${protocolOf(port)}/${textIn(port, "name")}`;
      if (!numbers.has(key)) numbers.set(key, numberIn(port, "containerPort") ?? 0);
    }
  return numbers;
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

type Group = readonly [ports: readonly JsonObject[], pods: readonly Pod[]];

/**
 * Pods grouped by equal ports, in the order of their addresses, with pauses. Pods differ in the numbers of named target
 * ports only, so that the ports of a Service are written once for each group and not for each pod.
 */
function* grouped(service: Service, selected: readonly Pod[], strides: Strides): Steps<readonly Group[]> {
  const targets = namedTargetsOf(service);
  const groups = new Map<string, { readonly ports: readonly JsonObject[]; readonly held: Pod[] }>();
  for (const pod of selected.filter(isBackend).toSorted(byAddress)) {
    if (strides.isDue(1 + targets.length)) yield;
    const numbers = targets.length === 0 ? undefined : containerPortsOf(pod);
    const named = targets.map((target) => numbers?.get(target));
    const key = named.join(",");
    const group = groups.get(key) ?? { ports: portsWith(service, named), held: [] };
    groups.set(key, group);
    group.held.push(pod);
  }
  return [...groups.values()].map(({ ports, held }) => [ports, held]);
}

/** `subsets` of the service's Endpoints, with pauses. */
export function* subsetsOf(service: Service, selected: readonly Pod[]): Steps<readonly JsonObject[]> {
  const strides = new Strides();
  const staying = selected.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const subsets = (yield* grouped(service, staying, strides)).map(([ports, held]): JsonObject => {
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
  return yield* repacked(subsets, strides);
}

/** Content of one EndpointSlice. */
export interface SliceContent {
  readonly addressType: "IPv4" | "IPv6";
  readonly endpoints: readonly JsonObject[];
  readonly ports: readonly JsonObject[];
}

/**
 * The slices of a Service: per list of ports, with at most a hundred endpoints each; one empty slice when there are
 * none. With pauses.
 */
export function* slicesOf(service: Service, selected: readonly Pod[]): Steps<readonly SliceContent[]> {
  const slices = (yield* grouped(service, selected, new Strides())).flatMap(
    ([ports, held]): readonly SliceContent[] => {
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
    },
  );
  return slices.length === 0 ? [{ addressType: "IPv4", endpoints: [], ports: [] }] : slices;
}
