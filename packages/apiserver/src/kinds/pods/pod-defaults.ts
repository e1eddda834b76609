import type { JsonObject } from "@purser/kubernetes/json";
import { parseQuantity } from "@purser/kubernetes/object/quantity";
import { podTotal } from "./pod-resources.ts";
import { formatQuantity } from "../quantity-text.ts";
import { hasMember, mapList, mapMember, objectIn, textIn, without, withDefaults } from "../decoding/json-parts.ts";

/** Defaults of a pod's spec that also apply in pod templates. */
function defaultPodSpec(spec: JsonObject): JsonObject {
  let out = withDefaults(spec, {
    restartPolicy: "Always",
    terminationGracePeriodSeconds: 30,
    dnsPolicy: "ClusterFirst",
    securityContext: {},
    schedulerName: "default-scheduler",
  });
  for (const list of ["containers", "initContainers", "ephemeralContainers"])
    out = mapList(out, list, defaultContainer);
  out = without(mapList(out, "volumes", defaultVolume), ...ungated);
  const account = textIn(out, "serviceAccountName") || textIn(out, "serviceAccount");
  if (account !== "") out = { ...out, serviceAccountName: account, serviceAccount: account };
  return out;
}

/** Fields behind feature gates that are off by default: kube-apiserver drops them silently. */
const ungated = ["schedulingGroup"];

/** Defaults that apply to pods only, not to pod templates. */
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
    return mapMember(out, "resources", (resources) => wholeRequests(resources, out));
  });
}

/** Pod-level requests default to the sum of the containers' requests (cpu and memory), else to the pod-level limits. */
function wholeRequests(resources: JsonObject, spec: JsonObject): JsonObject {
  const limits = objectIn(resources, "limits");
  if (Object.keys(limits).length === 0) return resources;
  const together = [...podTotal(without(spec, "resources"), "requests")].filter(
    ([name]) => name === "cpu" || name === "memory",
  );
  const requests = withDefaults(withDefaults(objectIn(resources, "requests"), Object.fromEntries(together)), limits);
  return { ...resources, requests };
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
  out = mapMember(out, "resources", (resources) =>
    mapMember(mapMember(resources, "limits", inThousandths), "requests", inThousandths),
  );
  out = mapMember(out, "lifecycle", (lifecycle) =>
    mapMember(mapMember(without(lifecycle, "stopSignal"), "postStart", defaultHandler), "preStop", defaultHandler),
  );
  const onlySignal = hasMember(objectIn(container, "lifecycle"), "stopSignal");
  return onlySignal && Object.keys(objectIn(out, "lifecycle")).length === 0 ? without(out, "lifecycle") : out;
}

const thousandth = 1_000_000n;

/** Amounts are rounded up to whole thousandths. */
function inThousandths(list: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(list).map(([name, value]) => {
      const read = parseQuantity(typeof value === "string" ? value : "0");
      if (!read.ok || read.value.nanos % thousandth === 0n) return [name, value];
      const { nanos } = read.value;
      const rounded = (nanos / thousandth + (nanos > 0n ? 1n : -1n)) * thousandth;
      return [name, formatQuantity({ ...read.value, nanos: rounded })];
    }),
  );
}

const domainPart = "(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])";
const pathPart = "[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*";
const imagePath = `${pathPart}(?:/${pathPart})*`;
const pathPattern = new RegExp(`^${imagePath}$`, "u");
const reference = new RegExp(
  `^(?:(?<domain>${domainPart}(?:\\.${domainPart})*(?::[0-9]+)?)/)?(?<path>${imagePath})(?::(?<tag>[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}))?` +
    "(?:@(?<digest>[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}))?$",
  "u",
);
/** A 64-digit hash alone is not an image name. */
const identifier = /^[a-f0-9]{64}$/u;

/** `Always` for tag `latest` or no tag and digest; `IfNotPresent` otherwise, also for an invalid image name. */
export function pullPolicyOf(image: string): "Always" | "IfNotPresent" {
  const { domain, path, tag, digest } = reference.exec(image)?.groups ?? {};
  if (path === undefined || identifier.test(image)) return "IfNotPresent";
  const isDomain = domain === undefined || /[.:A-Z]|^localhost$/u.test(domain);
  if (!isDomain && !pathPattern.test(`${domain}/${path}`)) return "IfNotPresent";
  if (digest?.startsWith("sha256:") === true && digest.length !== "sha256:".length + 64) return "IfNotPresent";
  return tag === "latest" || (tag === undefined && digest === undefined) ? "Always" : "IfNotPresent";
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
  out = mapMember(out, "image", (image) =>
    withDefaults(image, { pullPolicy: pullPolicyOf(textIn(image, "reference")) }),
  );
  out = mapMember(out, "ephemeral", (held) =>
    mapMember(held, "volumeClaimTemplate", (template) =>
      mapMember(template, "spec", (spec) => withDefaults(spec, { volumeMode: "Filesystem" })),
    ),
  );
  out = mapMember(out, "hostPath", (path) => withDefaults(path, { type: "" }));
  out = mapMember(out, "downwardAPI", (held) => mapList(held, "items", defaultFieldRef));
  return mapMember(out, "projected", (held) => mapList(held, "sources", defaultProjection));
}

function defaultProjection(source: JsonObject): JsonObject {
  const token = mapMember(source, "serviceAccountToken", (held) => withDefaults(held, { expirationSeconds: 3600 }));
  return mapMember(token, "downwardAPI", (held) => mapList(held, "items", defaultFieldRef));
}

/** QoS class (`Guaranteed`, `Burstable` or `BestEffort`), from the cpu and memory of all containers. */
export function qosClassOf(spec: JsonObject): string {
  const containers = hasMember(spec, "resources")
    ? [spec]
    : [...listOf(spec, "containers"), ...listOf(spec, "initContainers")];
  let any = false;
  let guaranteed = containers.length > 0;
  for (const container of containers) {
    const resources = objectIn(container, "resources");
    const [requests, limits] = [aboveZero(objectIn(resources, "requests")), aboveZero(objectIn(resources, "limits"))];
    for (const name of ["cpu", "memory"]) {
      if (hasMember(requests, name) || hasMember(limits, name)) any = true;
      if (!hasMember(limits, name) || (hasMember(requests, name) && requests[name] !== limits[name]))
        guaranteed = false;
    }
  }
  if (!any) return "BestEffort";
  return guaranteed ? "Guaranteed" : "Burstable";
}

function aboveZero(list: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(list).filter(([, value]) => {
      const read = parseQuantity(typeof value === "string" ? value : "0");
      return !read.ok || read.value.nanos > 0n;
    }),
  );
}

function listOf(spec: JsonObject, key: string): readonly JsonObject[] {
  const value = spec[key];
  return Array.isArray(value) ? (value as readonly JsonObject[]) : [];
}
