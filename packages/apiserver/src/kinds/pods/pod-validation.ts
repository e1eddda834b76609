import type { JsonObject } from "@purser/kubernetes/json";
import type { Steps } from "@purser/kubernetes/steps";
import { forbidden, invalid, notFound, required, type FieldError } from "@purser/kubernetes/object/field-error";
import { hasMember, objectAt, objectIn, objectsIn, textIn } from "../decoding/json-parts.ts";
import { labelProblems, subdomainProblems } from "../names.ts";
import { validateContainers, validateImageText } from "./pod-container-validation.ts";
import {
  validateHostAliases,
  validateHostNetwork,
  validateHostname,
  validateResolving,
} from "./pod-network-validation.ts";
import { validatePodResources, validateResources } from "./pod-resource-validation.ts";
import { between, each, oneOf, texts } from "../field-rules.ts";
import {
  validateGatesAndSpread,
  validateNodeSelector,
  validatePlacement,
  validateToleration,
} from "./pod-scheduling-validation.ts";
import { validateOwnUsers, validatePodSecurity, validateSystem } from "./pod-security-validation.ts";
import { validateHostProcesses } from "./pod-windows-validation.ts";
import { validateVolumes } from "./pod-volume-validation.ts";

export { notNegative } from "../field-rules.ts";

const restartPolicies = ["Always", "OnFailure", "Never"];
const resolvers = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
const longest = 2 ** 31 - 1;

/** Validates a pod's spec at `path`, with pauses. Some rules apply to pods only, not to templates. */
export function* validatePodSpec(spec: JsonObject, path: string, isPod = false): Steps<readonly FieldError[]> {
  const { volumes, errors } = validateVolumes(spec, `${path}`, isPod);
  const claims = objectsIn(spec, "resourceClaims")
    .map((claim) => textIn(claim, "name"))
    .filter((name) => name !== "");
  yield;
  const ofClaims = validateClaims(spec, path);
  yield;
  const ofContainers = yield* validateContainers({ spec, volumes, claims }, path);
  yield;
  const ofFileKeys = validateFileKeys(spec, path);
  yield;
  return [
    ...errors,
    ...ofClaims,
    ...ofContainers,
    ...validatePodResources(spec, path, claims),
    ...validateHostNetwork(spec, path, isPod),
    ...oneOf(spec, "restartPolicy", restartPolicies, path),
    ...oneOf(spec, "dnsPolicy", resolvers, path),
    ...validateNodeSelector(spec, path),
    ...validatePodSecurity(spec, path),
    ...validatePlacement(spec, path),
    ...validateResolving(spec, path),
    ...validateGatesAndSpread(spec, path),
    ...validateHostProcesses(spec, path),
    ...validateOwnUsers(spec, path),
    ...validateHostname(spec, path),
    ...names.slice(0, 2).flatMap((name) => validateName(spec, path, name)),
    ...between(spec, "activeDeadlineSeconds", [1, longest], path),
    ...names.slice(2, 4).flatMap((name) => validateName(spec, path, name)),
    ...each(spec, "tolerations", path, validateToleration),
    ...validateHostAliases(spec, path),
    ...names.slice(4).flatMap((name) => validateName(spec, path, name)),
    ...(hasMember(spec, "preemptionPolicy")
      ? oneOf(spec, "preemptionPolicy", ["PreemptLowerPriority", "Never"], path)
      : []),
    ...validateResources({ limits: objectIn(spec, "overhead") }, `${path}.overhead`, []),
    ...validateSystem(spec, path),
    ...ofFileKeys,
  ];
}

const names = [
  ["serviceAccountName", subdomainProblems],
  ["nodeName", subdomainProblems],
  ["hostname", labelProblems],
  ["subdomain", labelProblems],
  ["priorityClassName", subdomainProblems],
  ["runtimeClassName", subdomainProblems],
] as const;

function validateName(spec: JsonObject, path: string, [key, problems]: (typeof names)[number]): readonly FieldError[] {
  const name = textIn(spec, key);
  const isGiven = key === "runtimeClassName" ? hasMember(spec, key) : name !== "";
  return isGiven ? texts(name, `${path}.${key}`, problems) : [];
}

/** Validates resourceClaims: each has a resourceClaimName or a resourceClaimTemplateName. */
function validateClaims(spec: JsonObject, path: string): readonly FieldError[] {
  const seen = new Set<string>();
  return each(spec, "resourceClaims", path, (claim, at) => {
    const name = textIn(claim, "name");
    const keys = ["resourceClaimName", "resourceClaimTemplateName"].filter((key) => hasMember(claim, key));
    const text = JSON.stringify({
      Name: name,
      ResourceClaimName: claim["resourceClaimName"] ?? null,
      ResourceClaimTemplateName: claim["resourceClaimTemplateName"] ?? null,
    });
    const wrong = (detail: string): FieldError => ({ ...invalid(at, null, detail), badText: text });
    const errors: FieldError[] =
      name === ""
        ? [required(`${at}.name`)]
        : seen.has(name)
          ? [{ type: "FieldValueDuplicate", field: `${at}.name`, detail: "", badValue: name }]
          : [...texts(name, `${at}.name`, labelProblems)];
    seen.add(name);
    if (keys.length > 1)
      errors.push(wrong("at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"));
    if (keys.length === 0) errors.push(wrong("must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"));
    return [...errors, ...keys.flatMap((key) => texts(textIn(claim, key), `${at}.${key}`, subdomainProblems))];
  });
}

/** A fileKeyRef must refer to an emptyDir volume of the pod. */
function validateFileKeys(spec: JsonObject, path: string): readonly FieldError[] {
  const volumes = new Map(objectsIn(spec, "volumes").map((volume) => [textIn(volume, "name"), volume]));
  return ["initContainers", "containers", "ephemeralContainers"].flatMap((list) =>
    each(spec, list, path, (container, at) =>
      each(container, "env", at, (variable, field) => {
        if (!hasMember(objectIn(variable, "valueFrom"), "fileKeyRef")) return [];
        const name = textIn(objectAt(variable, "valueFrom", "fileKeyRef"), "volumeName");
        const volume = volumes.get(name);
        const place = `${field}.valueFrom.fileKeyRef.volumeName`;
        if (volume === undefined) return [notFound(place, name)];
        return hasMember(volume, "emptyDir")
          ? []
          : [invalid(place, name, "referenced volume must be of type emptyDir")];
      }),
    ),
  );
}

/** Rules for new pods beyond those of the spec. */
export function validateNewPod(spec: JsonObject): readonly FieldError[] {
  return [
    ...(objectsIn(spec, "ephemeralContainers").length > 0
      ? [forbidden("spec.ephemeralContainers", "cannot be set on create")]
      : []),
    ...(textIn(spec, "nodeName") !== "" && objectsIn(spec, "schedulingGates").length > 0
      ? [forbidden("spec.nodeName", "cannot be set until all schedulingGates have been cleared")]
      : []),
  ];
}

/** Rules for pods that do not apply to templates. */
export function validatePodAlone(spec: JsonObject): readonly FieldError[] {
  return ["containers", "initContainers"].flatMap((list) => each(spec, list, "spec", validateImageText));
}

const deletionCost = "controller.kubernetes.io/pod-deletion-cost";
const mirror = "kubernetes.io/config.mirror";
const seccomp = "seccomp.security.alpha.kubernetes.io/pod";
const containerSeccomp = "container.seccomp.security.alpha.kubernetes.io/";
const lowestCost = -(2 ** 31);

/** Validates annotations with a meaning to Kubernetes. */
export function validatePodAnnotations(metadata: JsonObject, spec: JsonObject, path: string): readonly FieldError[] {
  const at = `${path}.annotations`;
  return Object.entries(objectIn(metadata, "annotations")).flatMap(([key, value]) => {
    if (typeof value !== "string") return [];
    if (key === mirror && textIn(spec, "nodeName") === "")
      return [invalid(`${at}[${key}]`, value, "must set spec.nodeName if mirror pod annotation is set")];
    const isCost = /^(0|-?[1-9][0-9]*)$/u.test(value) && Number(value) >= lowestCost && Number(value) <= longest;
    if (key === deletionCost && !isCost) return [invalid(`${at}[${key}]`, value, "must be a 32bit integer")];
    return (key === seccomp || key.startsWith(containerSeccomp)) && !isProfile(value)
      ? [invalid(`${at}.${key}`, value, "must be a valid seccomp profile")]
      : [];
  });
}

function isProfile(value: string): boolean {
  return ["runtime/default", "docker/default", "unconfined"].includes(value) || value.startsWith("localhost/");
}

/** Validates the pod template at `path`, with pauses. */
export function* validatePodTemplate(template: JsonObject, path: string): Steps<readonly FieldError[]> {
  const spec = objectIn(template, "spec");
  return [
    ...validatePodAnnotations(objectIn(template, "metadata"), spec, path),
    ...(yield* validatePodSpec(spec, `${path}.spec`)),
    ...(objectsIn(spec, "ephemeralContainers").length > 0
      ? [forbidden(`${path}.spec.ephemeralContainers`, "ephemeral containers not allowed in pod template")]
      : []),
  ];
}
