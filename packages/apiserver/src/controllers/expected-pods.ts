import type { IntOrString, Pod } from "@purser/kubernetes/apis/core";
import type { KubeObject, OwnerReference } from "@purser/kubernetes/apis/object";
import { asJson } from "@purser/kubernetes/apis/object";
import { customResourceDefinitions, deployments, replicaSets } from "@purser/kubernetes/apis/resources";
import { groupResource } from "@purser/kubernetes/apis/resource-type";
import type { JsonObject } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { builtInKinds } from "../kinds/catalogue.ts";
import { hasMember, numberIn, objectIn, objectsIn, textIn } from "../kinds/decoding/json-parts.ts";
import { typeOfReference } from "./known-kinds.ts";
import { controllerOf } from "./ownership.ts";
import { scaled } from "./deployments/numbers.ts";
import type { Pass } from "./runtime.ts";

/** The expected number of pods, which the budget's percentages refer to. */
export interface Expectation {
  readonly expected: number;
  readonly desired: number;
  /** Some selected pods have no controller. */
  readonly unmanaged: boolean;
}

/** How many pods are expected and how many of them must be healthy; fails when a controller cannot be scaled. */
export function expectationOf(pass: Pass, spec: JsonObject, selected: readonly Pod[]): Result<Expectation, string> {
  const { minAvailable, maxUnavailable } = spec;
  if (!hasMember(spec, "maxUnavailable") && typeof minAvailable === "number")
    return done({ expected: selected.length, desired: minAvailable, unmanaged: false });
  if (!hasMember(spec, "maxUnavailable") && !hasMember(spec, "minAvailable"))
    return done({ expected: 0, desired: 0, unmanaged: false });
  const scales = new Map<string, number>();
  const seen = new Set<string>();
  for (const pod of selected) {
    const owner = controllerOf(pod);
    if (owner === undefined || seen.has(owner.uid)) continue;
    seen.add(owner.uid);
    const scale = scaleOf(pass, owner, pod);
    if (!scale.ok) return scale;
    scales.set(scale.value.uid, scale.value.replicas);
  }
  const expected = [...scales.values()].reduce((sum, replicas) => sum + replicas, 0);
  const unmanaged = selected.some((pod) => controllerOf(pod) === undefined);
  const desired = hasMember(spec, "maxUnavailable")
    ? Math.max(0, expected - scaled(maxUnavailable as IntOrString, expected, "up"))
    : scaled(minAvailable as IntOrString, expected, "up");
  return done({ expected, desired, unmanaged });
}

interface Scale {
  readonly uid: string;
  readonly replicas: number;
}

/** Scale of a pod's controller, or of the Deployment that owns it. */
function scaleOf(pass: Pass, owner: OwnerReference, pod: Pod): Result<Scale, string> {
  const { namespace = "", name = "" } = pod.metadata;
  const none = failed(`found no controllers for pod ${JSON.stringify(name)}`);
  const type = typeOfReference(pass, owner.apiVersion, owner.kind);
  const held = type === undefined ? undefined : pass.get(type, { namespace, name: owner.name });
  if (type === undefined || held?.metadata.uid !== owner.uid) return none;
  if (type.kind === replicaSets.kind && type.group === replicaSets.group) {
    const above = controllerOf(held);
    const deployment =
      above?.kind === deployments.kind ? pass.get(deployments, { namespace, name: above.name }) : undefined;
    if (above?.kind === deployments.kind && deployment?.metadata.uid !== above.uid) return none;
    return done(replicasAt(deployment ?? held, ".spec.replicas"));
  }
  const path = replicasPath(pass, type, owner);
  return path === undefined
    ? failed(`${groupResource(type)} does not implement the scale subresource`)
    : done(replicasAt(held, path));
}

function replicasAt(object: KubeObject, path: string): Scale {
  const parts = path.split(".").filter((part) => part !== "");
  const holder = parts.slice(0, -1).reduce(objectIn, asJson(object));
  return { uid: object.metadata.uid ?? "", replicas: numberIn(holder, parts.at(-1) ?? "") ?? 0 };
}

/** JSON path of a kind's replicas; undefined when it has no scale subresource. */
function replicasPath(
  pass: Pass,
  type: { readonly group: string; readonly plural: string },
  { apiVersion }: OwnerReference,
): string | undefined {
  const builtIn = builtInKinds.find((kind) => kind.type.group === type.group && kind.type.plural === type.plural);
  if (builtIn !== undefined)
    return builtIn.subresources.some(({ name }) => name === "scale") ? ".spec.replicas" : undefined;
  const definition = pass.get(customResourceDefinitions, { name: `${type.plural}.${type.group}` });
  const version = objectsIn(objectIn(definition === undefined ? {} : asJson(definition), "spec"), "versions").find(
    (held) => `${type.group}/${textIn(held, "name")}` === apiVersion,
  );
  const path = textIn(objectIn(objectIn(version ?? {}, "subresources"), "scale"), "specReplicasPath");
  return path === "" ? undefined : path;
}
