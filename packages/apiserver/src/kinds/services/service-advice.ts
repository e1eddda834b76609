import type { JsonObject } from "@purser/kubernetes/json";
import { hasMember, objectAt, objectIn, textIn, textsIn } from "../decoding/json-parts.ts";

/** Deprecated annotations for topology-aware routing. */
export const topologyHints = "service.kubernetes.io/topology-aware-hints";
export const topologyMode = "service.kubernetes.io/topology-mode";

/** Warnings about fields of a Service that have no effect or are deprecated. */
export function serviceWarnings(service: JsonObject): readonly string[] {
  const spec = objectIn(service, "spec");
  const isName = textIn(spec, "type") === "ExternalName";
  const isOpen = textIn(spec, "type") === "ClusterIP" && textIn(spec, "clusterIP") === "None";
  const addresses = textsIn(spec, "externalIPs").length > 0;
  return [
    ...(hasMember(objectAt(service, "metadata", "annotations"), topologyHints)
      ? [`annotation ${topologyHints} is deprecated, please use ${topologyMode} instead`]
      : []),
    ...(isOpen && textIn(spec, "loadBalancerIP") !== ""
      ? ["spec.loadBalancerIP is ignored for headless services"]
      : []),
    ...(isOpen && addresses ? ["spec.externalIPs is ignored for headless services"] : []),
    ...(isOpen && textIn(spec, "sessionAffinity") !== "None"
      ? ["spec.SessionAffinity is ignored for headless services"]
      : []),
    ...(addresses && !isOpen && !isName
      ? ["spec.externalIPs is deprecated and may no longer be implemented in some clusters"]
      : []),
    ...(addresses && isName ? ['spec.externalIPs is ignored when spec.type is "ExternalName"'] : []),
    ...(!isName && textIn(spec, "externalName") !== ""
      ? ['spec.externalName is ignored when spec.type is not "ExternalName"']
      : []),
    ...(textIn(spec, "trafficDistribution") === "PreferClose"
      ? ['spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"']
      : []),
  ];
}
