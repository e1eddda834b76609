import type { Pod, Service } from "../../apis/core.ts";
import type { KubeObject } from "../../apis/object.ts";
import { asJson, keyOf, parseKey } from "../../apis/object.ts";
import { endpoints, pods, services } from "../../apis/resources.ts";
import type { JsonObject, JsonValue } from "../../json.ts";
import { deepEqual } from "../../object/semantic-equal.ts";
import { numberIn, objectIn, objectsIn, textIn } from "../kinds/json-parts.ts";
import { endpointSlices } from "../kinds/resource-types.ts";
import { labelsMatch } from "../kinds/workload-validation.ts";
import type { StoredChange } from "../storage/storage.ts";
import { candidatesOf, labelValues, mapSelectorValues } from "./label-lookup.ts";
import type { Lookup } from "./lookup.ts";
import { controllerReference } from "./ownership.ts";
import { isReady } from "./pod-state.ts";
import { ownKey, type BuiltInController, type Pass } from "./runtime.ts";
import { TriggerTimes, triggerAnnotation } from "./trigger-times.ts";
import { RefusedError } from "./writer.ts";

const serviceLabel = "kubernetes.io/service-name";
const headlessLabel = "service.kubernetes.io/headless";
const podsByLabel: Lookup<Pod> = { type: pods, valuesOf: labelValues };
const servicesBySelector: Lookup<Service> = { type: services, valuesOf: mapSelectorValues };
const slicesByService: Lookup<KubeObject> = {
  type: endpointSlices,
  valuesOf: ({ metadata: { namespace = "", labels } }) => [`${namespace}/${labels?.[serviceLabel] ?? ""}`],
};

interface Port {
  readonly name: string;
  readonly port: number;
  readonly protocol: string;
}

function selectorOf(service: Service): JsonObject | undefined {
  const { selector } = service.spec ?? {};
  return selector === undefined || Object.keys(selector).length === 0 ? undefined : { matchLabels: { ...selector } };
}

/** The service's ports as one pod offers them: named targets are looked up in its containers. */
function portsOf(service: Service, pod: Pod): readonly Port[] {
  return objectsIn(objectIn(asJson(service), "spec"), "ports").flatMap((port): readonly Port[] => {
    const target = port["targetPort"];
    const protocol = textIn(port, "protocol") || "TCP";
    const name = textIn(port, "name");
    if (typeof target === "number") return [{ name, port: target, protocol }];
    for (const container of objectsIn(objectIn(asJson(pod), "spec"), "containers")) {
      const found = objectsIn(container, "ports").find(
        (held) => held["name"] === target && (textIn(held, "protocol") || "TCP") === protocol,
      );
      if (found !== undefined) return [{ name, port: numberIn(found, "containerPort") ?? 0, protocol }];
    }
    return [];
  });
}

function selectedPods(pass: Pass, service: Service): readonly Pod[] {
  const selector = selectorOf(service);
  if (selector === undefined) return [];
  const candidates = candidatesOf(service.metadata.namespace, service.spec?.selector ?? {});
  return pass
    .find(podsByLabel, ...candidates)
    .filter((pod) => labelsMatch(selector, (pod.metadata.labels ?? {}) as JsonObject));
}

/** Has an address and has not ended. */
function isBackend({ status }: Pod): boolean {
  return status?.phase !== "Succeeded" && status?.phase !== "Failed" && (status?.podIP ?? "") !== "";
}

function targetOf(pod: Pod): JsonObject {
  const { namespace = "", name = "", uid = "" } = pod.metadata;
  return { kind: "Pod", namespace, name, uid };
}

/** A pod that a headless service's name leads to by its own name. */
function hostnameOf(service: Service, pod: Pod): JsonObject {
  const spec = objectIn(asJson(pod), "spec");
  const hostname = textIn(spec, "hostname");
  return hostname !== "" && textIn(spec, "subdomain") === service.metadata.name ? { hostname } : {};
}

/** The labels that both kinds of endpoints take from their service. */
function serviceLabels(service: Service): Readonly<Record<string, string>> {
  const clusterIp = service.spec?.clusterIP ?? "";
  const { [headlessLabel]: _headless, ...labels } = service.metadata.labels ?? {};
  return clusterIp === "" || clusterIp === "None" ? { ...labels, [headlessLabel]: "" } : labels;
}

/** Keys of the services that select the changed pod, before or after the change. */
function servicesOf(pass: () => Pass | undefined): (change: StoredChange) => readonly string[] {
  return ({ before, after }) => {
    const running = pass();
    const namespace = (after ?? before)?.metadata.namespace;
    if (running === undefined || namespace === undefined) return [];
    const states = [before, after].filter((pod) => pod !== undefined);
    const labels = states.map((pod) => (pod.metadata.labels ?? {}) as JsonObject);
    return running.find(servicesBySelector, ...states.flatMap(labelValues)).flatMap((service) => {
      const selector = selectorOf(service);
      const hit = selector !== undefined && labels.some((held) => labelsMatch(selector, held));
      return hit ? [`${namespace}/${service.metadata.name ?? ""}`] : [];
    });
  };
}

function ready(service: Service, pod: Pod): boolean {
  return service.spec?.publishNotReadyAddresses === true || isReady(pod);
}

function subsetsOf(service: Service, found: readonly Pod[]): readonly JsonObject[] {
  const groups = new Map<string, { ports: readonly Port[]; up: JsonObject[]; down: JsonObject[] }>();
  for (const pod of found.toSorted((a, b) => ((a.status?.podIP ?? "") < (b.status?.podIP ?? "") ? -1 : 1))) {
    if (pod.metadata.deletionTimestamp !== undefined) continue;
    const ports = portsOf(service, pod);
    const key = JSON.stringify(ports);
    const group = groups.get(key) ?? { ports, up: [], down: [] };
    groups.set(key, group);
    const address = {
      ip: pod.status?.podIP ?? "",
      ...hostnameOf(service, pod),
      ...(pod.spec?.nodeName === undefined ? {} : { nodeName: pod.spec.nodeName }),
      targetRef: targetOf(pod),
    };
    (ready(service, pod) ? group.up : group.down).push(address);
  }
  return [...groups.values()].map(({ ports, up, down }) => ({
    ...(up.length === 0 ? {} : { addresses: up }),
    ...(down.length === 0 ? {} : { notReadyAddresses: down }),
    ...(ports.length === 0
      ? {}
      : { ports: ports.map(({ name, ...rest }) => ({ ...(name === "" ? {} : { name }), ...rest })) }),
  }));
}

/** Keeps the Endpoints of every service with a selector. */
export function endpointsController(): BuiltInController {
  let running: Pass | undefined;
  const triggers = new TriggerTimes();
  return {
    name: "endpoint-controller",
    watches: [
      { table: "services", keys: ownKey },
      { table: "endpoints", keys: ownKey },
      { table: "pods", keys: servicesOf(() => running) },
    ],
    start: (_follow, _enqueue, pass) => {
      running = pass;
    },
    reconcile: async (key, pass) => {
      const service = pass.get(services, parseKey(key));
      const held = pass.get(endpoints, parseKey(key));
      if (service === undefined) {
        triggers.forget(key);
        const managed = held?.metadata.labels?.["endpoints.kubernetes.io/managed-by"] === "endpoint-controller";
        if (held !== undefined && managed)
          await pass.writer.remove(endpoints, parseKey(key), { uid: held.metadata.uid ?? "" });
        return undefined;
      }
      if (selectorOf(service) === undefined || service.metadata.deletionTimestamp !== undefined) return undefined;
      const selected = selectedPods(pass, service);
      const triggered = triggers.next(key, service, selected);
      const subsets = subsetsOf(service, selected.filter(isBackend));
      const labels = { ...serviceLabels(service), "endpoints.kubernetes.io/managed-by": "endpoint-controller" };
      const same =
        held !== undefined &&
        deepEqual(subsets, objectsIn(asJson(held), "subsets")) &&
        deepEqual(labels, (held.metadata.labels ?? {}) as JsonObject);
      if (same) return undefined;
      const { namespace = "", name = "" } = service.metadata;
      const { annotations: _annotations, ...metadata } = held?.metadata ?? {};
      const object = {
        kind: "Endpoints",
        apiVersion: "v1",
        metadata: { ...metadata, name, namespace, labels, ...triggerAnnotation(held, triggered) },
        ...(subsets.length === 0 ? {} : { subsets }),
      };
      if (held !== undefined) await pass.writer.replace(endpoints, object as unknown as KubeObject);
      else {
        const created = await pass.writer.tryCreate(endpoints, object as unknown as JsonObject, namespace);
        if (!created.ok) tolerate(created.problem);
      }
      return undefined;
    },
  };
}

function tolerate({ code, message }: { readonly code: number; readonly message: string }): void {
  if (message.includes("being terminated") || code === 404) return;
  throw new RefusedError("create endpoints", code, message);
}

const managedBy = "endpointslice.kubernetes.io/managed-by";
const manager = "endpointslice-controller.k8s.io";

function sliceOf(
  service: Service,
  found: readonly Pod[],
): { readonly endpoints: JsonValue; readonly ports: JsonValue } {
  const [first] = found;
  const ports = first === undefined ? [] : portsOf(service, first);
  return {
    endpoints: found.map((pod) => {
      const terminating = pod.metadata.deletionTimestamp !== undefined;
      const serving = isReady(pod);
      return {
        addresses: [pod.status?.podIP ?? ""],
        conditions: { ready: ready(service, pod) && !terminating, serving, terminating },
        ...hostnameOf(service, pod),
        ...(pod.spec?.nodeName === undefined ? {} : { nodeName: pod.spec.nodeName }),
        targetRef: targetOf(pod),
      };
    }),
    ports: ports.map(({ name, port, protocol }) => ({ name, port, protocol })),
  };
}

/** Keeps one EndpointSlice for every service with a selector. */
export function endpointSliceController(): BuiltInController {
  let running: Pass | undefined;
  const triggers = new TriggerTimes();
  return {
    name: "endpointslice-controller",
    watches: [
      { table: "services", keys: ownKey },
      {
        table: "endpointslices.discovery.k8s.io",
        keys: ({ before, after }) =>
          [before, after].flatMap((slice) => {
            const name = slice?.metadata.labels?.[serviceLabel];
            return name === undefined ? [] : [`${slice?.metadata.namespace ?? ""}/${name}`];
          }),
      },
      { table: "pods", keys: servicesOf(() => running) },
    ],
    start: (_follow, _enqueue, pass) => {
      running = pass;
    },
    reconcile: async (key, pass) => {
      const { namespace = "", name } = parseKey(key);
      const service = pass.get(services, { namespace, name });
      const mine = pass
        .find(slicesByService, key)
        .filter(({ metadata: { labels } }) => labels?.[serviceLabel] === name && labels[managedBy] === manager);
      if (service === undefined || selectorOf(service) === undefined) {
        triggers.forget(key);
        for (const slice of mine)
          await pass.writer.remove(endpointSlices, keyOf(slice), { uid: slice.metadata.uid ?? "" });
        return undefined;
      }
      if (service.metadata.deletionTimestamp !== undefined) return undefined;
      const selected = selectedPods(pass, service);
      const triggered = triggers.next(key, service, selected);
      const wanted = sliceOf(service, selected.filter(isBackend));
      const [held, ...surplus] = mine;
      for (const slice of surplus)
        await pass.writer.remove(endpointSlices, keyOf(slice), { uid: slice.metadata.uid ?? "" });
      const labels = { ...serviceLabels(service), [managedBy]: manager, [serviceLabel]: name };
      if (held === undefined) {
        const created = await pass.writer.tryCreate(
          endpointSlices,
          {
            kind: "EndpointSlice",
            apiVersion: "discovery.k8s.io/v1",
            metadata: {
              generateName: `${name}-`,
              namespace,
              labels,
              ...triggerAnnotation(undefined, triggered),
              ownerReferences: [controllerReference(service)],
            },
            addressType: "IPv4",
            ...wanted,
          },
          namespace,
        );
        if (!created.ok) tolerate(created.problem);
        return undefined;
      }
      const json = asJson(held);
      const same =
        deepEqual(json["endpoints"] ?? [], wanted.endpoints) &&
        deepEqual(json["ports"] ?? [], wanted.ports) &&
        deepEqual((held.metadata.labels ?? {}) as JsonObject, labels);
      if (!same) {
        const { annotations: _annotations, ...metadata } = held.metadata;
        await pass.writer.replace(endpointSlices, {
          ...held,
          metadata: { ...metadata, labels, ...triggerAnnotation(held, triggered) },
          ...wanted,
        } as KubeObject);
      }
      return undefined;
    },
  };
}
