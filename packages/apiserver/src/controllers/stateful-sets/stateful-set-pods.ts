import type { Pod } from "@purser/kubernetes/apis/core";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asJson } from "@purser/kubernetes/apis/object";
import type { JsonObject } from "@purser/kubernetes/json";
import { numberIn, objectAt, objectIn, objectsIn, textIn } from "../../kinds/decoding/json-parts.ts";
import { Excerpts } from "../lookup.ts";
import { controllerReference } from "../ownership.ts";
import { podFrom } from "../pod-control.ts";

const podNameLabel = "statefulset.kubernetes.io/pod-name";
const indexLabel = "apps.kubernetes.io/pod-index";
export const revisionLabel = "controller-revision-hash";

const numbered = /^(.*)-([0-9]+)$/;

/** The ordinal in the pod's name; undefined when the pod does not belong to the set. */
export function ordinalOf(set: KubeObject, pod: Pod): number | undefined {
  const [, parent, digits = ""] = numbered.exec(pod.metadata.name ?? "") ?? [];
  const ordinal = Number(digits);
  return parent === (set.metadata.name ?? "") && digits !== "" && ordinal <= 0x7fffffff ? ordinal : undefined;
}

/**
 * The parts of pods that every pass reads, without containers; starting n pods one by one takes at least n passes over
 * all of them.
 */
export const memberExcerpts = new Excerpts<Pod>(({ kind, apiVersion, metadata, spec, status }) => {
  const { managedFields: _managed, annotations: _annotations, ...named } = metadata;
  const { phase, conditions } = status ?? {};
  return {
    kind,
    apiVersion,
    metadata: named,
    ...(spec?.volumes === undefined ? {} : { spec: { containers: [], volumes: spec.volumes } }),
    status: { ...(phase === undefined ? {} : { phase }), ...(conditions === undefined ? {} : { conditions }) },
  };
});

/** The wanted ordinals: `count` of them from `start` on. */
export interface Ordinals {
  readonly start: number;
  readonly count: number;
}

export function ordinalsOf(set: KubeObject): Ordinals {
  const spec = objectIn(asJson(set), "spec");
  return { start: numberIn(objectIn(spec, "ordinals"), "start") ?? 0, count: numberIn(spec, "replicas") ?? 1 };
}

export function isWanted({ start, count }: Ordinals, ordinal: number): boolean {
  return ordinal >= start && ordinal < start + count;
}

export function claimTemplates(set: KubeObject): readonly JsonObject[] {
  return objectsIn(objectIn(asJson(set), "spec"), "volumeClaimTemplates");
}

/** Name of the claim of one template for that ordinal. */
export function claimName(set: KubeObject, template: JsonObject, ordinal: number): string {
  return `${textIn(objectIn(template, "metadata"), "name")}-${set.metadata.name ?? ""}-${ordinal}`;
}

function identity(set: KubeObject, ordinal: number): Readonly<Record<string, string>> {
  return { [podNameLabel]: `${set.metadata.name ?? ""}-${ordinal}`, [indexLabel]: String(ordinal) };
}

/** The template's volumes, preceded by those of the claims. */
function volumesWith(set: KubeObject, volumes: readonly JsonObject[], ordinal: number): readonly JsonObject[] {
  const claims = claimTemplates(set).map((template) => ({
    name: textIn(objectIn(template, "metadata"), "name"),
    persistentVolumeClaim: { claimName: claimName(set, template, ordinal) },
  }));
  const claimed = new Set<unknown>(claims.map(({ name }) => name));
  return [...claims, ...volumes.filter((volume) => !claimed.has(volume["name"]))];
}

/** The pod with that ordinal from the template of one revision. */
export function statefulPod(set: KubeObject, template: JsonObject, revision: string, ordinal: number): JsonObject {
  const name = `${set.metadata.name ?? ""}-${ordinal}`;
  const pod = podFrom(set, template, { ownerReferences: [controllerReference(set)] });
  const metadata = objectIn(pod, "metadata");
  const spec = objectIn(pod, "spec");
  const volumes = volumesWith(set, objectsIn(spec, "volumes"), ordinal);
  const service = textIn(objectIn(asJson(set), "spec"), "serviceName");
  return {
    ...pod,
    metadata: {
      ...metadata,
      name,
      labels: { ...objectIn(metadata, "labels"), ...identity(set, ordinal), [revisionLabel]: revision },
    },
    spec: {
      ...spec,
      hostname: name,
      ...(service === "" ? {} : { subdomain: service }),
      ...(volumes.length === 0 ? {} : { volumes }),
    },
  };
}

/** The pod with the labels and volumes of its ordinal; undefined when they are correct. */
export function repairedPod(set: KubeObject, pod: Pod, ordinal: number): Pod | undefined {
  const labelled = pod.metadata.labels?.[podNameLabel] === pod.metadata.name;
  const held = objectsIn(objectIn(asJson(pod), "spec"), "volumes");
  const stored = claimTemplates(set).every((template) => {
    const volume = held.find(({ name }) => name === objectIn(template, "metadata")["name"]) ?? {};
    return objectAt(volume, "persistentVolumeClaim")["claimName"] === claimName(set, template, ordinal);
  });
  if (labelled && stored) return undefined;
  const labels = { ...pod.metadata.labels, ...identity(set, ordinal) };
  const spec = stored ? pod.spec : { ...pod.spec, volumes: volumesWith(set, held, ordinal) };
  return { ...pod, metadata: { ...pod.metadata, labels }, ...(spec === undefined ? {} : { spec }) } as Pod;
}
