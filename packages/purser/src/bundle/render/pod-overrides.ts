import type { Affinity, Container, PodSpec, PodTemplateSpec } from "@purser/kubernetes/apis/core";
import type { SubscriptionConfig } from "../../apis/v0/subscription.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "@purser/kubernetes/json";
import { goJson } from "@purser/kubernetes/text/go-json";

/**
 * The settings of a Subscription's `config` or an extension's `deploymentConfig` laid over a pod template: main containers
 * only. Annotations are added where their key is free.
 * @param family v0 drops the whole affinity when `podAntiAffinity` is empty (upstream's quirk), and takes the setting as it is
 *   where the pod has none; v1 drops empty parts only
 */
export function overridePodTemplate(
  template: PodTemplateSpec,
  config: SubscriptionConfig,
  family: "v0" | "v1",
): PodTemplateSpec {
  const { spec, metadata } = template;
  const annotations = { ...config.annotations, ...metadata?.annotations };
  return {
    ...template,
    ...(Object.keys(annotations).length === 0 ? {} : { metadata: { ...metadata, annotations } }),
    ...(spec === undefined ? {} : { spec: overridePod(spec, config, family) }),
  };
}

function overridePod(spec: PodSpec, config: SubscriptionConfig, family: "v0" | "v1"): PodSpec {
  const { affinity: held, ...others } = spec;
  const affinity = overrideAffinity(held, config.affinity, family);
  return {
    ...others,
    containers: spec.containers.map((container) => overrideContainer(container, config)),
    ...present("volumes", replaceByName(spec.volumes, config.volumes)),
    ...present("tolerations", appendNew(spec.tolerations, config.tolerations)),
    ...(config.nodeSelector === undefined ? {} : { nodeSelector: config.nodeSelector }),
    ...(affinity === undefined ? {} : { affinity }),
  };
}

function overrideContainer(container: Container, config: SubscriptionConfig): Container {
  return {
    ...container,
    ...present("env", replaceByName(container.env, config.env)),
    ...present("envFrom", appendNew(container.envFrom, config.envFrom)),
    ...present("volumeMounts", replaceByName(container.volumeMounts, config.volumeMounts)),
    ...(config.resources === undefined ? {} : { resources: config.resources }),
  };
}

function present<Key extends string, Value>(key: Key, value: Value | undefined): { readonly [K in Key]?: Value } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [K in Key]?: Value });
}

/** Each override replaces the first entry of its name; without one it is appended. */
export function replaceByName<Named extends { readonly name: string }>(
  held: readonly Named[] | undefined,
  overrides: readonly Named[] | undefined,
): readonly Named[] | undefined {
  if (overrides === undefined || overrides === null) return held;
  const merged = [...(held ?? [])];
  const firsts = new Map<string, number>();
  for (const [at, { name }] of merged.entries()) if (!firsts.has(name)) firsts.set(name, at);
  for (const override of overrides) {
    const at = firsts.get(override.name);
    if (at === undefined) firsts.set(override.name, merged.push(override) - 1);
    else merged[at] = override;
  }
  return merged;
}

function appendNew<Item>(
  held: readonly Item[] | undefined,
  added: readonly Item[] | undefined,
): readonly Item[] | undefined {
  if (added === undefined || added === null) return held;
  const merged = [...(held ?? [])];
  const textOf = (item: Item): string => goJson(item as unknown as JsonValue);
  const known = new Set(merged.map(textOf));
  for (const item of added) {
    const text = textOf(item);
    if (!known.has(text)) merged.push(item);
    known.add(text);
  }
  return merged;
}

const affinityParts = ["nodeAffinity", "podAffinity", "podAntiAffinity"] as const;

function overrideAffinity(
  held: Affinity | undefined,
  override: Affinity | undefined,
  family: "v0" | "v1",
): Affinity | undefined {
  if (override === undefined || override === null) return held;
  const given = affinityParts.filter((part) => override[part] !== undefined && override[part] !== null);
  if (given.length === 0) return undefined;
  if (family === "v0" && held === undefined) return override;
  if (family === "v0" && given.includes("podAntiAffinity") && isEmptyPart(override.podAntiAffinity)) return undefined;
  const merged: { -readonly [Part in keyof Affinity]: Affinity[Part] } = { ...held };
  for (const part of given) {
    const value = override[part];
    if (value === undefined || isEmptyPart(value)) delete merged[part];
    else merged[part] = value;
  }
  return affinityParts.some((part) => merged[part] !== undefined) ? merged : undefined;
}

/** `{}`, or nothing in it but empty lists. */
function isEmptyPart(part: JsonObject | undefined): boolean {
  const isEmpty = (value: JsonValue | undefined): boolean =>
    value === undefined ||
    value === null ||
    (Array.isArray(value) ? value.length === 0 : isJsonObject(value) && Object.values(value).every(isEmpty));
  return isEmpty(part);
}
