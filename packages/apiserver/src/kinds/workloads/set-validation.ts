import type { JsonObject } from "@purser/kubernetes/json";
import type { Steps } from "@purser/kubernetes/steps";
import { forbidden, invalid, notSupported, required, type FieldError } from "@purser/kubernetes/object/field-error";
import { validateAnnotations, validateLabels } from "@purser/kubernetes/object/metadata-rules";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import { goJson } from "@purser/kubernetes/text/go-json";
import { hasMember, numberIn, objectAt, objectIn, objectsIn, textIn, without } from "../decoding/json-parts.ts";
import { amountOf, validateAtMostAll, validateIntOrPercent } from "./percent-validation.ts";
import { labelProblems } from "../names.ts";
import { notNegative } from "../pods/pod-validation.ts";
import { validateClaimSpec } from "../pods/pod-volume-validation.ts";
import { validateSelectorKept, validateWorkload } from "./workload-validation.ts";

const replaceable = [
  "replicas",
  "ordinals",
  "template",
  "updateStrategy",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
  "minReadySeconds",
];
const frozen =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

/** Validates a StatefulSet, with pauses; on updates (`old` is set) only a few fields are mutable. */
export function* validateStatefulSet(set: JsonObject, old: JsonObject | undefined): Steps<readonly FieldError[]> {
  const spec = objectIn(set, "spec");
  const policy = textIn(spec, "podManagementPolicy");
  const service = textIn(spec, "serviceName");
  const errors: FieldError[] = [
    ...(["OrderedReady", "Parallel"].includes(policy)
      ? []
      : [invalid("spec.podManagementPolicy", policy, "must be 'OrderedReady' or 'Parallel'")]),
    ...validateUpdateStrategy(objectIn(spec, "updateStrategy")),
    ...validateRetention(objectIn(spec, "persistentVolumeClaimRetentionPolicy")),
    ...(old === undefined ? validateClaimTemplates(spec) : []),
    ...((numberIn(objectIn(spec, "ordinals"), "start") ?? 0) < 0
      ? [invalid("spec.ordinals.start", objectAt(spec, "ordinals")["start"], "must be greater than or equal to 0")]
      : []),
    ...(old === undefined && service !== ""
      ? labelProblems(service).map((problem) => invalid("spec.serviceName", service, problem))
      : []),
    // A changed selector is reported below with the other immutable fields.
    ...(yield* validateWorkload({ ...set, spec: withClaimVolumes(spec) }, undefined, {
      word: "statefulset",
      unreadable: "",
    })).map(named("StatefulSet")),
    ...validateTemplateAgain(objectIn(spec, "template")),
  ];
  if (old !== undefined && !deepEqual(without(spec, ...replaceable), without(objectIn(old, "spec"), ...replaceable)))
    errors.push(forbidden("spec", frozen));
  return errors;
}

function validateClaimTemplates(spec: JsonObject): readonly FieldError[] {
  return objectsIn(spec, "volumeClaimTemplates").flatMap((claim, index) =>
    validateClaimSpec(objectIn(claim, "spec"), `spec.volumeClaimTemplates[${index}].spec`),
  );
}

/** kube-apiserver validates template labels and annotations a second time, with another path. */
function validateTemplateAgain(template: JsonObject): readonly FieldError[] {
  const metadata = objectIn(template, "metadata");
  return [
    ...validateLabels(metadata["labels"], "spec.template.labels"),
    ...validateAnnotations(metadata["annotations"], "spec.template.annotations"),
  ];
}

/** Adds the volumes that the controller creates from volumeClaimTemplates, so that containers may mount them. */
function withClaimVolumes(spec: JsonObject): JsonObject {
  const claims = objectsIn(spec, "volumeClaimTemplates").map((claim) => textIn(objectIn(claim, "metadata"), "name"));
  const template = objectIn(spec, "template");
  // The controller sets hostname and subdomain: the template's values are not validated.
  const pod = without(objectIn(template, "spec"), "subdomain", "hostname");
  const others = objectsIn(pod, "volumes").filter((volume) => !claims.includes(textIn(volume, "name")));
  const added = [...new Set(claims)].map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  return { ...spec, template: { ...template, spec: { ...pod, volumes: [...added, ...others] } } };
}

function validateUpdateStrategy(strategy: JsonObject): readonly FieldError[] {
  const type = textIn(strategy, "type");
  const field = "spec.updateStrategy";
  const rolling = objectIn(strategy, "rollingUpdate");
  switch (type) {
    case "":
      return [required(field)];
    case "OnDelete":
      return hasMember(strategy, "rollingUpdate")
        ? [
            {
              ...invalid(`${field}.rollingUpdate`, null, "only allowed for updateStrategy 'RollingUpdate'"),
              badText: statefulRollingText(strategy),
            },
          ]
        : [];
    case "RollingUpdate":
      return notNegative(rolling, "partition", `${field}.rollingUpdate`);
    default:
      return [
        {
          ...invalid(field, type, "must be 'RollingUpdate' or 'OnDelete'"),
          // Error messages quote the internal struct.
          badText: `{"Type":${goJson(type)},"RollingUpdate":${statefulRollingText(strategy)}}`,
        },
      ];
  }
}

function statefulRollingText(strategy: JsonObject): string {
  if (!hasMember(strategy, "rollingUpdate")) return "null";
  const { partition = 0, maxUnavailable = null } = objectIn(strategy, "rollingUpdate");
  return `{"Partition":${goJson(partition)},"MaxUnavailable":${goJson(maxUnavailable)}}`;
}

function validateRetention(policy: JsonObject): readonly FieldError[] {
  return ["whenDeleted", "whenScaled"].flatMap((key) => {
    const value = textIn(policy, key);
    return !hasMember(policy, key) || ["Retain", "Delete"].includes(value)
      ? []
      : [notSupported(`spec.persistentVolumeClaimRetentionPolicy.${key}`, value, ["Retain", "Delete"])];
  });
}

/** Validates a DaemonSet, with pauses. */
export function* validateDaemonSet(set: JsonObject, old: JsonObject | undefined): Steps<readonly FieldError[]> {
  const spec = objectIn(set, "spec");
  return [
    ...(old === undefined ? [] : validateSelectorKept(spec, objectIn(old, "spec"))),
    // kube-apiserver does not report a missing selector for DaemonSets.
    ...(yield* validateWorkload(set, undefined, { word: "daemonset", unreadable: undefined }))
      .filter(({ type, field }) => type !== "FieldValueRequired" || field !== "spec.selector")
      .map(named("DaemonSet")),
    ...validateDaemonStrategy(objectIn(spec, "updateStrategy")),
    ...notNegative(spec, "revisionHistoryLimit", "spec"),
  ];
}

function validateDaemonStrategy(strategy: JsonObject): readonly FieldError[] {
  const type = textIn(strategy, "type");
  const field = "spec.updateStrategy";
  if (type === "OnDelete") return [];
  if (type !== "RollingUpdate") {
    const text = `{"Type":${goJson(type)},"RollingUpdate":${daemonRollingText(strategy)}}`;
    return [{ ...notSupported(field, type, ["RollingUpdate", "OnDelete"]), badText: text }];
  }
  const rolling = objectIn(strategy, "rollingUpdate");
  const { maxUnavailable = 1, maxSurge = 0 } = rolling;
  const at = `${field}.rollingUpdate`;
  return [
    ...validateIntOrPercent(maxUnavailable, `${at}.maxUnavailable`),
    ...validateIntOrPercent(maxSurge, `${at}.maxSurge`),
    ...validateAtMostAll(maxUnavailable, `${at}.maxUnavailable`),
    ...validateAtMostAll(maxSurge, `${at}.maxSurge`),
    ...(amountOf(maxUnavailable) !== 0 && amountOf(maxSurge) !== 0
      ? [invalid(`${at}.maxSurge`, maxSurge, "may not be set when maxUnavailable is non-zero")]
      : []),
    ...(amountOf(maxUnavailable) === 0 && amountOf(maxSurge) === 0
      ? [required(`${at}.maxUnavailable`, "cannot be 0 when maxSurge is 0")]
      : []),
  ];
}

function daemonRollingText(strategy: JsonObject): string {
  if (!hasMember(strategy, "rollingUpdate")) return "null";
  const { maxUnavailable = 0, maxSurge = 0 } = objectIn(strategy, "rollingUpdate");
  return `{"MaxUnavailable":${goJson(maxUnavailable)},"MaxSurge":${goJson(maxSurge)}}`;
}

/** Replaces the kind in the one shared message that names it. */
function named(kind: string): (error: FieldError) => FieldError {
  return (error) =>
    error.detail.startsWith("activeDeadlineSeconds in ")
      ? { ...error, detail: `activeDeadlineSeconds in ${kind} is not Supported` }
      : error;
}
