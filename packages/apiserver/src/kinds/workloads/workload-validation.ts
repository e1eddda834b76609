import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { member } from "@purser/kubernetes/json";
import type { Steps } from "@purser/kubernetes/steps";
import { matchesSelector, selectorOf, type LabelSelector } from "@purser/kubernetes/apis/selector";
import { forbidden, invalid, notSupported, required, type FieldError } from "@purser/kubernetes/object/field-error";
import { validateAnnotations, validateLabels } from "@purser/kubernetes/object/metadata-rules";
import { goJson } from "@purser/kubernetes/text/go-json";
import { semanticEqual } from "@purser/kubernetes/object/semantic-equal";
import { emptiedIn } from "../emptied.ts";
import { hasMember, numberIn, objectAt, objectIn, textIn } from "../decoding/json-parts.ts";
import { amountOf, validateAtMostAll, validateIntOrPercent } from "./percent-validation.ts";
import { notNegative, validatePodTemplate } from "../pods/pod-validation.ts";
import { invalidSelector, validateLabelSelector } from "./selector-validation.ts";

/** Whether the labels (of a template, a pod) satisfy a stored label selector; an unreadable selector matches nothing. */
export function labelsMatch(selector: JsonObject, labels: JsonObject): boolean {
  const parsed = selectorOf(selector as LabelSelector);
  return parsed.ok && matchesSelector(parsed.value, labels as Readonly<Record<string, string>>);
}

export function isEmptySelector(selector: JsonObject): boolean {
  const { matchLabels, matchExpressions } = selector;
  const labels = typeof matchLabels === "object" && matchLabels !== null ? Object.keys(matchLabels).length : 0;
  return labels === 0 && !(Array.isArray(matchExpressions) && matchExpressions.length > 0);
}

/** How error messages of one kind differ from those of the others. */
export interface WorkloadWords {
  readonly word: string;
  /** Further error text for a selector that cannot be parsed; none when undefined. */
  readonly unreadable: string | undefined;
}

/** Validation shared by long-running workloads, with pauses. */
export function* validateWorkload(
  object: JsonObject,
  old: JsonObject | undefined,
  words: WorkloadWords,
): Steps<readonly FieldError[]> {
  const spec = objectIn(object, "spec");
  const errors: FieldError[] = [
    ...notNegative(spec, "replicas", "spec"),
    ...notNegative(spec, "minReadySeconds", "spec"),
  ];
  for (const error of yield* validateSelector(spec, words)) errors.push(error);
  return old === undefined ? errors : [...errors, ...validateSelectorKept(spec, objectIn(old, "spec"))];
}

/** The selector is immutable. */
export function validateSelectorKept(spec: JsonObject, old: JsonObject): readonly FieldError[] {
  return semanticEqual(spec["selector"], old["selector"])
    ? []
    : [invalidSelector("spec.selector", spec["selector"] ?? null, "field is immutable")];
}

/** The selector must match the template's labels; that is not checked when it cannot be parsed. */
function* validateSelector(spec: JsonObject, { word, unreadable }: WorkloadWords): Steps<readonly FieldError[]> {
  const mismatch = "`selector` does not match template `labels`";
  const given = objectAt(spec, "template", "metadata");
  const wrongLabels = invalid("spec.template.metadata.labels", givenLabels(given), mismatch);
  const template = yield* validateTemplate(spec);
  if (!hasMember(spec, "selector")) return [required("spec.selector"), wrongLabels, ...template];
  const selector = objectIn(spec, "selector");
  const faults = validateLabelSelector(selector, "spec.selector");
  if (faults.length > 0)
    return unreadable === undefined
      ? [...faults, ...template]
      : [...faults, invalidSelector("spec.selector", selector, unreadable)];
  if (isEmptySelector(selector))
    return [invalid("spec.selector", {}, `empty selector is invalid for ${word}`), ...template];
  return labelsMatch(selector, objectIn(given, "labels")) ? template : [wrongLabels, ...template];
}

/** Empty and absent labels differ until the object is stored. */
function givenLabels(metadata: JsonObject): JsonValue {
  return member(metadata, "labels") ?? (emptiedIn(metadata).includes("labels") ? {} : null);
}

function* validateTemplate(spec: JsonObject): Steps<readonly FieldError[]> {
  const metadata = objectAt(spec, "template", "metadata");
  const pod = objectAt(spec, "template", "spec");
  const policy = textIn(pod, "restartPolicy");
  return [
    ...validateLabels(member(metadata, "labels"), "spec.template.labels"),
    ...validateAnnotations(member(metadata, "annotations"), "spec.template.annotations"),
    ...(yield* validatePodTemplate(objectIn(spec, "template"), "spec.template")),
    ...(policy === "Always" ? [] : [notSupported("spec.template.spec.restartPolicy", policy, ["Always"])]),
    ...(hasMember(pod, "activeDeadlineSeconds")
      ? [forbidden("spec.template.spec.activeDeadlineSeconds", "activeDeadlineSeconds in ReplicaSet is not Supported")]
      : []),
  ];
}

/** Validates revisionHistoryLimit and progressDeadlineSeconds of a Deployment. */
export function validateHistory(spec: JsonObject): readonly FieldError[] {
  const deadline = numberIn(spec, "progressDeadlineSeconds");
  return [
    ...notNegative(spec, "revisionHistoryLimit", "spec"),
    ...notNegative(spec, "progressDeadlineSeconds", "spec"),
    ...(deadline !== undefined && deadline <= (numberIn(spec, "minReadySeconds") ?? 0)
      ? [invalid("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds")]
      : []),
  ];
}

/** Validates a Deployment's strategy. */
export function validateStrategy(spec: JsonObject): readonly FieldError[] {
  const strategy = objectIn(spec, "strategy");
  const type = textIn(strategy, "type");
  if (type === "Recreate") {
    return hasMember(strategy, "rollingUpdate")
      ? [forbidden("spec.strategy.rollingUpdate", "may not be specified when strategy `type` is 'Recreate'")]
      : [];
  }
  return type === "RollingUpdate" || type === ""
    ? validateRollingUpdate(objectIn(strategy, "rollingUpdate"))
    : [
        {
          ...notSupported("spec.strategy", type, ["Recreate", "RollingUpdate"]),
          // Error messages quote the internal struct.
          badText: `{"Type":${goJson(type)},"RollingUpdate":${rollingUpdateText(strategy)}}`,
        },
      ];
}

function validateRollingUpdate({ maxUnavailable = 0, maxSurge = 0 }: JsonObject): readonly FieldError[] {
  const path = "spec.strategy.rollingUpdate";
  return [
    ...validateIntOrPercent(maxUnavailable, `${path}.maxUnavailable`),
    ...validateIntOrPercent(maxSurge, `${path}.maxSurge`),
    ...(amountOf(maxUnavailable) === 0 && amountOf(maxSurge) === 0
      ? [invalid(`${path}.maxUnavailable`, maxUnavailable, "may not be 0 when `maxSurge` is 0")]
      : []),
    ...validateAtMostAll(maxUnavailable, `${path}.maxUnavailable`),
  ];
}

function rollingUpdateText(strategy: JsonObject): string {
  if (!hasMember(strategy, "rollingUpdate")) return "null";
  const { maxUnavailable = 0, maxSurge = 0 } = objectIn(strategy, "rollingUpdate");
  return `{"MaxUnavailable":${goJson(maxUnavailable)},"MaxSurge":${goJson(maxSurge)}}`;
}
