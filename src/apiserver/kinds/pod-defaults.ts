import type { JsonObject } from "../../json.ts";
import { hasMember, mapList, mapMember, objectIn, textIn, without, withDefaults } from "./json-parts.ts";

/** The defaults of a pod's spec, as they also stand in a Deployment's template. */
export function defaultPodSpec(spec: JsonObject): JsonObject {
  let out = withDefaults(spec, {
    restartPolicy: "Always",
    terminationGracePeriodSeconds: 30,
    dnsPolicy: "ClusterFirst",
    securityContext: {},
    schedulerName: "default-scheduler",
  });
  for (const list of ["containers", "initContainers", "ephemeralContainers"])
    out = mapList(out, list, defaultContainer);
  out = mapList(out, "volumes", defaultVolume);
  const account = textIn(out, "serviceAccountName") || textIn(out, "serviceAccount");
  if (account !== "") out = { ...out, serviceAccountName: account, serviceAccount: account };
  return out;
}

/** Defaults that only a pod itself gets, not a template. */
export function defaultPod(pod: JsonObject): JsonObject {
  return mapMember(pod, "spec", (spec) => {
    let out = withDefaults(defaultPodSpec(spec), { enableServiceLinks: true });
    if (out["hostNetwork"] === true) {
      const port = (held: JsonObject): JsonObject => ({ hostPort: held["containerPort"], ...held });
      for (const list of ["containers", "initContainers"]) {
        out = mapList(out, list, (container) => mapList(container, "ports", port));
      }
    }
    const fill = (container: JsonObject): JsonObject => mapMember(container, "resources", requestsFromLimits);
    for (const list of ["containers", "initContainers"]) out = mapList(out, list, fill);
    return out;
  });
}

export function defaultTemplate(template: JsonObject): JsonObject {
  return mapMember(template, "spec", defaultPodSpec);
}

function defaultContainer(container: JsonObject): JsonObject {
  let out = withDefaults(container, {
    resources: {},
    terminationMessagePath: "/dev/termination-log",
    terminationMessagePolicy: "File",
    imagePullPolicy: pullPolicyOf(textIn(container, "image")),
  });
  out = mapList(out, "ports", (port) => withDefaults(port, { protocol: "TCP" }));
  out = mapList(out, "env", (variable) => mapMember(variable, "valueFrom", defaultFieldRef));
  for (const probe of ["livenessProbe", "readinessProbe", "startupProbe"]) out = mapMember(out, probe, defaultProbe);
  return mapMember(out, "lifecycle", (lifecycle) =>
    mapMember(mapMember(lifecycle, "postStart", defaultHandler), "preStop", defaultHandler),
  );
}

/** `Always` for `latest` or no tag at all; a digest or another tag needs no second pull. */
export function pullPolicyOf(image: string): "Always" | "IfNotPresent" {
  if (image.includes("@")) return "IfNotPresent";
  const tag = image.slice(image.lastIndexOf("/") + 1).split(":")[1];
  return tag === undefined || tag === "latest" ? "Always" : "IfNotPresent";
}

function defaultFieldRef(source: JsonObject): JsonObject {
  return mapMember(source, "fieldRef", (ref) => withDefaults(ref, { apiVersion: "v1" }));
}

function defaultProbe(probe: JsonObject): JsonObject {
  return defaultHandler(
    withDefaults(probe, { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 }),
  );
}

function defaultHandler(handler: JsonObject): JsonObject {
  const http = mapMember(handler, "httpGet", (get) => withDefaults(get, { path: "/", scheme: "HTTP" }));
  return mapMember(http, "grpc", (grpc) => withDefaults(grpc, { service: "" }));
}

function requestsFromLimits(resources: JsonObject): JsonObject {
  const limits = objectIn(resources, "limits");
  if (Object.keys(limits).length === 0) return resources;
  return { ...resources, requests: withDefaults(objectIn(resources, "requests"), limits) };
}

const moded = ["configMap", "secret", "projected", "downwardAPI"];

function defaultVolume(volume: JsonObject): JsonObject {
  if (Object.keys(without(volume, "name")).length === 0) return { ...volume, emptyDir: {} };
  let out = volume;
  for (const source of moded) out = mapMember(out, source, (held) => withDefaults(held, { defaultMode: 420 }));
  out = mapMember(out, "hostPath", (path) => withDefaults(path, { type: "" }));
  out = mapMember(out, "downwardAPI", (held) => mapList(held, "items", defaultFieldRef));
  return mapMember(out, "projected", (held) => mapList(held, "sources", defaultProjection));
}

function defaultProjection(source: JsonObject): JsonObject {
  const token = mapMember(source, "serviceAccountToken", (held) => withDefaults(held, { expirationSeconds: 3600 }));
  return mapMember(token, "downwardAPI", (held) => mapList(held, "items", defaultFieldRef));
}

/** `Guaranteed`, `Burstable` or `BestEffort`, from the cpu and memory of all containers. */
export function qosClassOf(spec: JsonObject): string {
  const containers = [...listOf(spec, "containers"), ...listOf(spec, "initContainers")];
  let any = false;
  let guaranteed = containers.length > 0;
  for (const container of containers) {
    const resources = objectIn(container, "resources");
    const requests = objectIn(resources, "requests");
    const limits = objectIn(resources, "limits");
    for (const name of ["cpu", "memory"]) {
      if (hasMember(requests, name) || hasMember(limits, name)) any = true;
      if (!hasMember(limits, name) || (hasMember(requests, name) && requests[name] !== limits[name]))
        guaranteed = false;
    }
  }
  if (!any) return "BestEffort";
  return guaranteed ? "Guaranteed" : "Burstable";
}

function listOf(spec: JsonObject, key: string): readonly JsonObject[] {
  const value = spec[key];
  return Array.isArray(value) ? (value as readonly JsonObject[]) : [];
}
