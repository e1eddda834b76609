import type { Affinity, Container, EnvVar, PodSpec, PodTemplateSpec } from "@purser/kubernetes/apis/core";
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
    containers: mapped(spec.containers, (container) => overrideContainer(container, config, family)),
    ...present("volumes", replaceByName(spec.volumes, config.volumes, family)),
    ...present("tolerations", appendNew(spec.tolerations, config.tolerations, family)),
    ...(config.nodeSelector === undefined ? {} : { nodeSelector: config.nodeSelector }),
    ...(affinity === undefined ? {} : { affinity }),
  };
}

/** A list that Go reads as nil stays one: bundles may hold `containers: null`. */
export function mapped<Item>(list: readonly Item[], map: (item: Item) => Item): readonly Item[] {
  return (list as readonly Item[] | null | undefined)?.map(map) ?? list;
}

function overrideContainer(container: Container, config: SubscriptionConfig, family: "v0" | "v1"): Container {
  const env =
    family === "v0" ? withVariables(container.env, config.env) : replaceByName(container.env, config.env, "v1");
  return {
    ...container,
    ...present("env", env),
    ...present("envFrom", appendNew(container.envFrom, config.envFrom, family)),
    ...present("volumeMounts", replaceByName(container.volumeMounts, config.volumeMounts, family)),
    ...(config.resources === undefined ? {} : { resources: config.resources }),
  };
}

function present<Key extends string, Value>(key: Key, value: Value | undefined): { readonly [K in Key]?: Value } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [K in Key]?: Value });
}

/**
 * v0: the last override of a name stands in every entry of that name, and is appended where there is none, once for each
 * override (upstream's quirk).
 */
export function withVariables(
  held: readonly EnvVar[] | undefined,
  overrides: readonly EnvVar[] | undefined,
): readonly EnvVar[] | undefined {
  if (overrides === undefined || overrides === null) return held;
  const last = new Map(overrides.map((override) => [override.name, override]));
  const names = new Set(held?.map(({ name }) => name));
  const value = (variable: EnvVar): EnvVar => last.get(variable.name) ?? variable;
  return [...(held ?? []).map(value), ...overrides.filter(({ name }) => !names.has(name)).map(value)];
}

/**
 * Each override replaces an entry of its name, of several the first (v0) or the last (v1); without one it is appended,
 * also beside another override of that name.
 */
export function replaceByName<Named extends { readonly name: string }>(
  held: readonly Named[] | undefined,
  overrides: readonly Named[] | undefined,
  family: "v0" | "v1",
): readonly Named[] | undefined {
  if (overrides === undefined || overrides === null) return held;
  const merged = [...(held ?? [])];
  const places = new Map<string, number>();
  for (const [at, { name }] of merged.entries()) if (family === "v1" || !places.has(name)) places.set(name, at);
  for (const override of overrides) {
    const at = places.get(override.name);
    if (at === undefined) merged.push(override);
    else merged[at] = override;
  }
  return merged;
}

/** Appends what is not held yet; v0 appends equal additions each, v1 the first of them. */
function appendNew<Item>(
  held: readonly Item[] | undefined,
  added: readonly Item[] | undefined,
  family: "v0" | "v1",
): readonly Item[] | undefined {
  if (added === undefined || added === null) return held;
  const merged = [...(held ?? [])];
  const textOf = (item: Item): string => goJson(item as unknown as JsonValue);
  const known = new Set(merged.map(textOf));
  for (const item of added) {
    const text = textOf(item);
    if (!known.has(text)) merged.push(item);
    if (family === "v1") known.add(text);
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
