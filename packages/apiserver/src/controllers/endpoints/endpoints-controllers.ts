import type { Pod, Service } from "@purser/kubernetes/apis/core";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asJson, parseKey } from "@purser/kubernetes/apis/object";
import { endpoints, pods, services } from "@purser/kubernetes/apis/resources";
import type { JsonObject } from "@purser/kubernetes/json";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import { objectsIn } from "../../kinds/decoding/json-parts.ts";
import { turns } from "../../turns.ts";
import type { StoredChange } from "../../storage/storage.ts";
import { candidatesOf, hasLabels, labelValues, mapSelectorValues } from "../label-lookup.ts";
import type { Lookup } from "../lookup.ts";
import { ownKey, type BuiltInController, type Pass } from "../runtime.ts";
import { selectorOf, serviceLabels, slicesOf, subsetsOf } from "./service-endpoints.ts";
import { removeSlices, slicesOfManager, sliceWatch, tolerate, writeSlices } from "./slices.ts";
import { TriggerTimes, triggerAnnotation } from "./trigger-times.ts";

const podsByLabel: Lookup<Pod> = { type: pods, valuesOf: labelValues };
const servicesBySelector: Lookup<Service> = { type: services, valuesOf: mapSelectorValues };

function selectedPods(pass: Pass, service: Service): readonly Pod[] {
  const selector = selectorOf(service);
  if (selector === undefined) return [];
  const candidates = candidatesOf(service.metadata.namespace, selector);
  return pass.find(podsByLabel, candidates).filter((pod) => hasLabels(pod, selector));
}

/** Keys of the Services that select the changed pod, before or after the change. */
function servicesOf({ before, after }: StoredChange, pass: Pass): readonly string[] {
  const namespace = (after ?? before)?.metadata.namespace;
  if (namespace === undefined) return [];
  const states = [before, after].filter((pod) => pod !== undefined);
  return pass.find(servicesBySelector, states.flatMap(labelValues)).flatMap((service) => {
    const selector = selectorOf(service);
    const hit = selector !== undefined && states.some((pod) => hasLabels(pod, selector));
    return hit ? [`${namespace}/${service.metadata.name ?? ""}`] : [];
  });
}

/** Maintains the Endpoints of every Service with a selector; manual edits remain until the next change. */
export function endpointsController(): BuiltInController {
  const triggers = new TriggerTimes();
  return {
    name: "endpoint-controller",
    watches: [
      { table: "services", keys: ownKey },
      { table: "endpoints", keys: ({ key, after }) => (after === undefined ? [key] : []) },
      { table: "pods", keys: servicesOf },
    ],
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
      const subsets = await turns.through(subsetsOf(service, selected));
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

const manager = "endpointslice-controller.k8s.io";

/** Maintains the EndpointSlices of every Service with a selector. */
export function endpointSliceController(): BuiltInController {
  const triggers = new TriggerTimes();
  return {
    name: "endpointslice-controller",
    watches: [{ table: "services", keys: ownKey }, sliceWatch, { table: "pods", keys: servicesOf }],
    reconcile: async (key, pass) => {
      const service = pass.get(services, parseKey(key));
      const mine = slicesOfManager(pass, key, manager);
      if (service === undefined) {
        triggers.forget(key);
        await removeSlices(pass, mine);
        return undefined;
      }
      // Slices of a Service that has lost its selector are kept: they are now managed by someone else.
      if (selectorOf(service) === undefined || service.metadata.deletionTimestamp !== undefined) return undefined;
      const selected = selectedPods(pass, service);
      const triggered = triggers.next(key, service, selected);
      const frame = {
        owner: service,
        manager,
        labels: serviceLabels(service),
        annotationsOf: (held: KubeObject | undefined) => triggerAnnotation(held, triggered),
        comparesAnnotations: false,
      };
      await writeSlices(pass, frame, mine, await turns.through(slicesOf(service, selected)));
      return undefined;
    },
  };
}
