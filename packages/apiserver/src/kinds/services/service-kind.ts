import type { JsonObject } from "@purser/kubernetes/json";
import { services } from "@purser/kubernetes/apis/resources";
import { servicePrinter } from "../../printing/service-printers.ts";
import { defineKind } from "../define-kind.ts";
import {
  hasMember,
  mapList,
  mapMember,
  numberIn,
  objectAt,
  objectIn,
  textIn,
  without,
  withDefaults,
} from "../decoding/json-parts.ts";
import { allocate } from "./service-allocation.ts";
import { serviceWarnings } from "./service-advice.ts";
import { validateServiceStatus } from "./service-status.ts";
import { isAccessible, withoutBalancer, withoutUnneeded } from "./service-update.ts";
import { validateService } from "./service-validation.ts";

function defaultPort(port: JsonObject): JsonObject {
  const out = withDefaults(port, { protocol: "TCP" });
  const target = out["targetPort"];
  return target === undefined || target === 0 || target === ""
    ? { ...out, targetPort: numberIn(out, "port") ?? 0 }
    : out;
}

const affinitySeconds = 10_800;

function defaultAffinity(spec: JsonObject): JsonObject {
  if (spec["sessionAffinity"] === "None") return without(spec, "sessionAffinityConfig");
  const isWhole = hasMember(objectAt(spec, "sessionAffinityConfig", "clientIP"), "timeoutSeconds");
  return spec["sessionAffinity"] !== "ClientIP" || isWhole
    ? spec
    : { ...spec, sessionAffinityConfig: { clientIP: { timeoutSeconds: affinitySeconds } } };
}

function defaultSpec(spec: JsonObject): JsonObject {
  const named = withDefaults(spec, { sessionAffinity: "None", type: "ClusterIP" });
  let out = mapList(defaultAffinity(named), "ports", defaultPort);
  const type = textIn(out, "type");
  if (isAccessible(out)) out = withDefaults(out, { externalTrafficPolicy: "Cluster" });
  if (["ClusterIP", "NodePort", "LoadBalancer"].includes(type))
    out = withDefaults(out, { internalTrafficPolicy: "Cluster" });
  return type === "LoadBalancer" ? withDefaults(out, { allocateLoadBalancerNodePorts: true }) : out;
}

function defaultStatus(service: JsonObject): JsonObject {
  const status = withDefaults(objectIn(service, "status"), { loadBalancer: {} });
  if (textIn(objectIn(service, "spec"), "type") !== "LoadBalancer") return status;
  return mapMember(status, "loadBalancer", (balancer) =>
    mapList(balancer, "ingress", (point) => (hasMember(point, "ip") ? withDefaults(point, { ipMode: "VIP" }) : point)),
  );
}

/** ExternalName Services have no traffic policy. */
function asRead(service: JsonObject): JsonObject {
  return textIn(objectIn(service, "spec"), "type") === "ExternalName"
    ? mapMember(service, "spec", (spec) => without(spec, "internalTrafficPolicy"))
    : service;
}

export const serviceKind = defineKind(services, {
  shortNames: ["svc"],
  categories: ["all"],
  status: true,
  nameRule: "label",
  createsOnPut: true,
  deleteReturnsObject: true,
  defaults: (service) => ({
    ...mapMember(service, "spec", defaultSpec),
    status: defaultStatus(service),
  }),
  asRead,
  onCreate: (service, context) => {
    const allocated = context.throughStatus === true ? undefined : allocate(service, context);
    return { ...(allocated?.ok === true ? allocated.value : service), status: { loadBalancer: {} } };
  },
  onUpdate: (next, old, endpoint, context) => {
    if (endpoint !== "main") return next;
    const allocated = allocate(next, context, old);
    if (!allocated.ok) return next;
    const before = objectIn(old, "spec");
    return withoutBalancer(mapMember(allocated.value, "spec", (spec) => withoutUnneeded(spec, before)));
  },
  unallocatable: (service, context, old) => {
    const allocated = allocate(service, context, old);
    return allocated.ok ? [] : allocated.problem;
  },
  *validateInSteps(service, _context, old, endpoint) {
    return endpoint === "status" ? validateServiceStatus(service, old ?? {}) : yield* validateService(service, old);
  },
  warnings: serviceWarnings,
  printer: servicePrinter,
});
