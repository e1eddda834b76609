import type { JsonObject } from "@purser/kubernetes/json";
import { type Steps, Strides } from "@purser/kubernetes/steps";
import { goJson } from "@purser/kubernetes/text/go-json";
import { hasMember, numberIn, objectAt, objectIn, objectsIn, textIn } from "../decoding/json-parts.ts";
import { labelProblems } from "../names.ts";
import { overlapWarnings } from "./pod-path-warnings.ts";
import { portWarnings } from "./pod-port-warnings.ts";
import { isWholeQuantity } from "../quantity-text.ts";

const oldLabels: Readonly<Record<string, string>> = {
  "beta.kubernetes.io/arch": 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  "beta.kubernetes.io/os": 'deprecated since v1.14; use "kubernetes.io/os" instead',
  "failure-domain.beta.kubernetes.io/region": 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  "failure-domain.beta.kubernetes.io/zone": 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  "beta.kubernetes.io/instance-type": 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  "app.kubernetes.io/created-by": "deprecated since v1.9",
  "scheduler.alpha.kubernetes.io/preferAvoidPods": "deprecated since v1.22; use Taints and Tolerations instead",
  "node-role.kubernetes.io/master": 'use "node-role.kubernetes.io/control-plane" instead',
};
const oldAnnotations: Readonly<Record<string, string>> = {
  "scheduler.alpha.kubernetes.io/critical-pod": 'non-functional in v1.16+; use the "priorityClassName" field instead',
  "security.alpha.kubernetes.io/sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
  "security.alpha.kubernetes.io/unsafe-sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
};
const oldVolumes: readonly (readonly [string, string])[] = [
  ["photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"],
  ["gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"],
  ["scaleIO", "deprecated in v1.16, non-functional in v1.22+"],
  ["flocker", "deprecated in v1.22, non-functional in v1.25+"],
  ["storageos", "deprecated in v1.22, non-functional in v1.25+"],
  ["quobyte", "deprecated in v1.22, non-functional in v1.25+"],
  ["glusterfs", "deprecated in v1.25, non-functional in v1.26+"],
  ["cephfs", "deprecated in v1.28, non-functional in v1.31+"],
  ["rbd", "deprecated in v1.28, non-functional in v1.31+"],
];

/** Warnings about the name of a pod or workload, which becomes part of host names. */
export function nameWarnings(object: JsonObject, use: string): readonly string[] {
  const problems = labelProblems(textIn(objectIn(object, "metadata"), "name"));
  return problems.length === 0
    ? []
    : [
        `metadata.name: this is used in ${use}, which can result in surprising behavior; a DNS label is recommended: [${problems.join(" ")}]`,
      ];
}

/** Warnings about a pod or template, with pauses; `path` leads to it, empty for a pod. */
export function* podWarnings(pod: JsonObject, path: string): Steps<readonly string[]> {
  const at = path === "" ? "" : `${path}.`;
  const spec = objectIn(pod, "spec");
  const overlaps = yield* overlapWarnings(spec);
  const ofContainers: string[] = [];
  const strides = new Strides();
  for (const list of ["initContainers", "containers"])
    for (const [index, container] of objectsIn(spec, list).entries()) {
      if (strides.isDue(workOfContainer + objectsIn(container, "env").length)) yield;
      for (const text of containerWarnings(container, `${at}spec.${list}[${index}]`)) ofContainers.push(text);
    }
  const ofPorts = yield* portWarnings(spec, `${at}spec`);
  return [
    ...placementWarnings(spec, `${at}spec`),
    ...Object.entries(oldAnnotations)
      .filter(([key]) => hasMember(objectAt(pod, "metadata", "annotations"), key))
      .map(([key, text]) => `${at}metadata.annotations[${key}]: ${text}`),
    ...objectsIn(spec, "volumes").flatMap((volume, index) =>
      oldVolumes
        .filter(([key]) => hasMember(volume, key))
        .map(([key, text]) => `${at}spec.volumes[${index}].${key === "storageos" ? "storageOS" : key}: ${text}`),
    ),
    ...overlaps,
    ...repeated(spec, "hostAliases", "ip", `${at}spec`, "duplicate ip"),
    ...repeated(spec, "imagePullSecrets", "name", `${at}spec`, "duplicate name"),
    ...objectsIn(spec, "imagePullSecrets").flatMap((secret, index) =>
      textIn(secret, "name") === "" ? [`${at}spec.imagePullSecrets[${index}].name: invalid empty name ""`] : [],
    ),
    ...ofContainers,
    ...ofPorts,
    ...((numberIn(spec, "terminationGracePeriodSeconds") ?? 0) < 0
      ? [`${at}spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`]
      : []),
    ...["podAffinity", "podAntiAffinity"].flatMap((kind) =>
      affinityWarnings(objectAt(spec, "affinity", kind), `${at}spec.affinity.${kind}`),
    ),
  ];
}

/** What a container costs beside its variables, in {@link Strides}. */
const workOfContainer = 8;

const needed = "requiredDuringSchedulingIgnoredDuringExecution";
const preferred = "preferredDuringSchedulingIgnoredDuringExecution";
const matchesNone = "a null labelSelector results in matching no pod";

function oldLabel(key: string): string | undefined {
  return Object.hasOwn(oldLabels, key) ? oldLabels[key] : undefined;
}

function placementWarnings(spec: JsonObject, path: string): readonly string[] {
  const affinity = objectAt(spec, "affinity", "nodeAffinity");
  const at = `${path}.affinity.nodeAffinity`;
  const term = (held: JsonObject, field: string): readonly string[] =>
    objectsIn(held, "matchExpressions").flatMap((requirement, index) => {
      const text = oldLabel(textIn(requirement, "key"));
      return text === undefined
        ? []
        : [`${field}.matchExpressions[${index}].key: ${textIn(requirement, "key")} is ${text}`];
    });
  return [
    ...Object.keys(objectIn(spec, "nodeSelector")).flatMap((key) => {
      const text = oldLabel(key);
      return text === undefined ? [] : [`${path}.nodeSelector[${key}]: ${text}`];
    }),
    ...objectsIn(objectIn(affinity, needed), "nodeSelectorTerms").flatMap((held, index) =>
      term(held, `${at}.${needed}.nodeSelectorTerms[${index}]`),
    ),
    ...objectsIn(affinity, preferred).flatMap((held, index) =>
      term(objectIn(held, "preference"), `${at}.${preferred}[${index}].preference`),
    ),
    ...objectsIn(spec, "topologySpreadConstraints").flatMap((constraint, index) => {
      const field = `${path}.topologySpreadConstraints[${index}]`;
      const key = textIn(constraint, "topologyKey");
      const text = oldLabel(key);
      return [
        ...(text === undefined ? [] : [`${field}.topologyKey: ${key} is ${text}`]),
        ...(hasMember(constraint, "labelSelector") ? [] : [`${field}.labelSelector: ${matchesNone}`]),
      ];
    }),
  ];
}

function affinityWarnings(affinity: JsonObject, path: string): readonly string[] {
  return [
    ...objectsIn(affinity, needed).flatMap((term, index) =>
      hasMember(term, "labelSelector") ? [] : [`${path}.${needed}[${index}].labelSelector: ${matchesNone}`],
    ),
    ...objectsIn(affinity, preferred).flatMap((held, index) =>
      hasMember(objectIn(held, "podAffinityTerm"), "labelSelector")
        ? []
        : [`${path}.${preferred}[${index}].podAffinityTerm.labelSelector: ${matchesNone}`],
    ),
  ];
}

function repeated(spec: JsonObject, list: string, key: string, path: string, text: string): readonly string[] {
  const seen = new Set<string>();
  return objectsIn(spec, list).flatMap((item, index) => {
    const value = textIn(item, key);
    if (seen.has(value)) return [`${path}.${list}[${index}].${key}: ${text} ${goJson(value)}`];
    seen.add(value);
    return [];
  });
}

function containerWarnings(container: JsonObject, path: string): readonly string[] {
  const bytes = ["memory", "ephemeral-storage"].flatMap((name) =>
    ["limits", "requests"].flatMap((part) => {
      const amount = textIn(objectAt(container, "resources", part), name);
      return amount === "" || isWholeQuantity(amount)
        ? []
        : [
            `${path}.resources.${part}[${name}]: fractional byte value ${goJson(amount)} is invalid, must be an integer`,
          ];
    }),
  );
  const seen = new Set<string>();
  const hidden = objectsIn(container, "env").flatMap((variable, index) => {
    const [name, value] = [textIn(variable, "name"), textIn(variable, "value")];
    const itself = `$(${name})`;
    const isFirst = !seen.has(name);
    seen.add(name);
    // A value that extends the earlier one by reference does not override it.
    const builds = !hasMember(variable, "valueFrom") && value !== itself && value.includes(itself);
    return isFirst || builds
      ? []
      : [`${path}.env[${index}]: hides previous definition of ${goJson(name)}, which may be dropped when using apply`];
  });
  return [...bytes, ...hidden];
}

/** Warnings for the pod template at `path`, when the object is new or its generation has changed. With pauses. */
export function* templateWarnings(
  object: JsonObject,
  old: JsonObject | undefined,
  path: readonly string[],
): Steps<readonly string[]> {
  const generationOf = (held: JsonObject): number | undefined => numberIn(objectIn(held, "metadata"), "generation");
  if (old !== undefined && generationOf(old) === generationOf(object)) return [];
  return yield* podWarnings(path.reduce(objectIn, object), path.join("."));
}
