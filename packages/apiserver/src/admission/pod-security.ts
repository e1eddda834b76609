import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asJson } from "@purser/kubernetes/apis/object";
import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import { pods } from "@purser/kubernetes/apis/resources";
import type { JsonObject } from "@purser/kubernetes/json";
import { formatFieldErrors } from "@purser/kubernetes/object/field-error";
import { detailsIn, reasonsIn, violationsOf } from "@purser/kubernetes/object/pod-security/evaluate";
import type { LevelVersion } from "@purser/kubernetes/object/pod-security/policy-labels";
import { compareLevels, formatLevel, policyOf } from "@purser/kubernetes/object/pod-security/policy-labels";
import type { SecuredContainer, SecuredPod, SecuredSpec } from "@purser/kubernetes/object/pod-security/secured-pod";
import type { Result } from "@purser/kubernetes/result";
import { done } from "@purser/kubernetes/result";
import { hasMember, objectAt, objectIn } from "../kinds/decoding/json-parts.ts";
import { tableOf } from "../registry/served-kind.ts";
import { forbidden, invalid } from "../request/refusal.ts";
import type { Storage } from "../storage/storage.ts";
import type { AdmissionRequest } from "./admission.ts";

/** Path of the pod template in each kind of workload. */
const templates: ReadonlyMap<string, readonly string[]> = new Map([
  ["podtemplates", ["template"]],
  ["replicationcontrollers", ["spec", "template"]],
  ["replicasets.apps", ["spec", "template"]],
  ["deployments.apps", ["spec", "template"]],
  ["statefulsets.apps", ["spec", "template"]],
  ["daemonsets.apps", ["spec", "template"]],
  ["jobs.batch", ["spec", "template"]],
  ["cronjobs.batch", ["spec", "jobTemplate", "spec", "template"]],
]);

/** Pod subresources that cannot change security-relevant fields. */
const ignoredSubresources: ReadonlySet<string> = new Set([
  "exec",
  "attach",
  "binding",
  "eviction",
  "log",
  "portforward",
  "proxy",
  "status",
]);

/** Limit of pods that are evaluated when the level of a namespace is raised. */
const podsLookedAt = 3000;

/**
 * PodSecurity: the Pod Security Standards set by namespace labels. Pods are refused, workloads with violating templates
 * get warnings, and raising the level of a namespace warns about existing pods that violate it.
 */
export function podSecurity(
  storage: Storage,
  request: AdmissionRequest,
  object: KubeObject | undefined,
  old: KubeObject | undefined,
): Result<undefined, ApiStatus> {
  const { kind, operation, subresource } = request;
  if (object === undefined || (operation !== "CREATE" && operation !== "UPDATE")) return done(undefined);
  if (kind.table === "namespaces")
    return subresource === "" ? checkNamespace(storage, request, object, old) : done(undefined);
  if (kind.table === "pods")
    return ignoredSubresources.has(subresource) || (old !== undefined && !changesImages(object, old))
      ? done(undefined)
      : checkPod(storage, request, securedPod(asJson(object)), true);
  const path = templates.get(kind.table);
  if (path === undefined || subresource !== "") return done(undefined);
  const template = objectAt(asJson(object), ...path);
  return hasMember(template, "spec") ? checkPod(storage, request, securedPod(template), false) : done(undefined);
}

function securedPod(json: JsonObject): SecuredPod {
  const annotations = objectAt(json, "metadata", "annotations") as Readonly<Record<string, string>>;
  return { annotations, spec: objectIn(json, "spec") as SecuredSpec };
}

function checkPod(
  storage: Storage,
  { kind, call, namespace = "", name }: AdmissionRequest,
  pod: SecuredPod,
  enforced: boolean,
): Result<undefined, ApiStatus> {
  const { enforce, warn } = policyOf(storage.get("namespaces", namespace)?.metadata.labels);
  const violations = enforced ? violationsOf(enforce, pod) : [];
  if (violations.length > 0)
    return forbidden(kind.type, name, `violates PodSecurity "${formatLevel(enforce)}": ${detailsIn(violations)}`);
  const warned = violationsOf(warn, pod);
  if (warned.length > 0) call.warnings.add(`would violate PodSecurity "${formatLevel(warn)}": ${detailsIn(warned)}`);
  return done(undefined);
}

/** The only security-relevant changes of an existing pod are images and added (ephemeral) containers. */
function changesImages(object: KubeObject, old: KubeObject): boolean {
  const [next, before] = [securedPod(asJson(object)).spec, securedPod(asJson(old)).spec];
  const differ = (after: readonly SecuredContainer[] = [], earlier: readonly SecuredContainer[] = []): boolean =>
    after.length !== earlier.length || after.some(({ image }, index) => image !== earlier[index]?.image);
  return (
    differ(next.containers, before.containers) ||
    differ(next.initContainers, before.initContainers) ||
    (next.ephemeralContainers ?? []).some(({ name, image }) => {
      const earlier = before.ephemeralContainers?.find((held) => held.name === name);
      return earlier === undefined || earlier.image !== image;
    })
  );
}

function checkNamespace(
  storage: Storage,
  { kind, operation, name, call }: AdmissionRequest,
  object: KubeObject,
  old: KubeObject | undefined,
): Result<undefined, ApiStatus> {
  const { enforce, errors } = policyOf(object.metadata.labels);
  const before = policyOf(operation === "UPDATE" ? old?.metadata.labels : undefined);
  if (errors.length > 0 && formatFieldErrors(errors) !== formatFieldErrors(before.errors))
    return invalid(kind.type, name, errors);
  if (operation === "CREATE" || !isStricter(enforce, before.enforce)) return done(undefined);
  for (const warning of warningsAbout(storage, name, enforce)) call.warnings.add(warning);
  return done(undefined);
}

/** Whether pods that were allowed before might violate the new level. */
function isStricter(next: LevelVersion, before: LevelVersion): boolean {
  if (next.level === "privileged") return false;
  return next.version !== before.version || compareLevels(next.level, before.level) > 0;
}

/** Warnings about pods of a namespace that violate the level, grouped by violation. */
function warningsAbout(storage: Storage, namespace: string, enforce: LevelVersion): readonly string[] {
  const held = storage.list(tableOf(pods), { namespace });
  const all = controllersFirst(held.ok ? held.value : []);
  const looked = all.slice(0, podsLookedAt);
  const byReason = new Map<string, string[]>();
  for (const pod of looked) {
    const violations = violationsOf(enforce, securedPod(asJson(pod)));
    if (violations.length === 0) continue;
    const reason = reasonsIn(violations);
    byReason.set(reason, [...(byReason.get(reason) ?? []), pod.metadata.name ?? ""]);
  }
  const lines = [...byReason]
    .map(([reason, names]) => {
      const [first = ""] = names.toSorted();
      const others = names.length - 1;
      const more = others === 0 ? "" : ` (and ${others} other pod${others === 1 ? "" : "s"})`;
      return `${first}${more}: ${reason}`;
    })
    .toSorted();
  return [
    ...(looked.length < all.length
      ? [`new PodSecurity enforce level only checked against the first ${looked.length} of ${all.length} existing pods`]
      : []),
    ...(lines.length === 0
      ? []
      : [
          `existing pods in namespace "${namespace}" violate the new PodSecurity enforce level "${formatLevel(enforce)}"`,
        ]),
    ...lines,
  ];
}

/** One pod of each controller first, because pods of one controller are alike. */
function controllersFirst(held: readonly KubeObject[]): readonly KubeObject[] {
  const seen = new Set<string>();
  const [first, others]: [KubeObject[], KubeObject[]] = [[], []];
  for (const pod of held) {
    const uid = pod.metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid;
    if (uid !== undefined && seen.has(uid)) others.push(pod);
    else first.push(pod);
    if (uid !== undefined) seen.add(uid);
  }
  return [...first, ...others];
}
