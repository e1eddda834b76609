import type { JsonObject } from "@purser/kubernetes/json";
import { asJson, type KubeObject } from "@purser/kubernetes/apis/object";
import { groupResource, type ResourceType } from "@purser/kubernetes/apis/resource-type";
import { knownKeys } from "@purser/kubernetes/known-keys";
import { parseQuantity, type Quantity } from "@purser/kubernetes/object/quantity";
import type { AdmissionRefusal, ObjectView, UnreadObject } from "../built-in-kind.ts";
import { hasMember, numberIn, objectAt, objectIn, objectsIn, pickMembers, textIn } from "../decoding/json-parts.ts";
import type { Amounts } from "../pods/pod-resources.ts";
import { added, amountsIn, isMore, podTotal } from "../pods/pod-resources.ts";
import { formatQuantity } from "../quantity-text.ts";
import { podInScope, podTraits, type PodTraits, scopesOf } from "./quota-scopes.ts";
import { resourceQuotas } from "../resource-types.ts";

/** Compute resources of pods. Names under `kubernetes.io` are not extended resources, except device classes. */
const computed =
  /^((requests|limits)\.)?(cpu|memory|ephemeral-storage)$|^(requests\.)?hugepages-|^requests\.((?!.*kubernetes\.io\/)[^/]+|deviceclass\.resource\.kubernetes\.io)\//;
const claimed =
  /^(persistentvolumeclaims|requests\.storage)$|.\.storageclass\.storage\.k8s\.io\/(persistentvolumeclaims|requests\.storage)$/;
/** Counted as zero: the kind is not served here. */
const unserved = "replicationcontrollers";
/** Resources that every container must set when a quota limits them. */
const needed = /^((requests|limits)\.)?(cpu|memory)$/;

/** Usage of one container or a whole pod, under the resource names of quotas. */
function computeUsage(requests: Amounts, limits: Amounts): Amounts {
  const usage = new Map<string, string>();
  for (const [name, amount] of requests) {
    if (/^(cpu|memory|ephemeral-storage)$|^hugepages-/.test(name)) usage.set(name, amount);
    if (/^(cpu|memory|ephemeral-storage)$|^hugepages-|\//.test(name)) usage.set(`requests.${name}`, amount);
  }
  for (const [name, amount] of limits)
    if (/^(cpu|memory|ephemeral-storage)$/.test(name)) usage.set(`limits.${name}`, amount);
  return usage;
}

function isPod({ group, plural }: ResourceType): boolean {
  return group === "" && plural === "pods";
}

function counterOf(type: ResourceType): string {
  return `count/${groupResource(type)}`;
}

/** Usage of each tracked resource by one object of the type; `nowMs` is the Unix time in milliseconds. */
function usageOf(type: ResourceType, object: JsonObject, nowMs: number): Amounts {
  return isPod(type) && nowMs > endOf(object) ? new Map([[counterOf(type), "1"]]) : usageUntilEnd(type, object);
}

/** The same of an object that still uses what it asks for. */
function usageUntilEnd(type: ResourceType, object: JsonObject): Amounts {
  const usage = new Map<string, string>([[counterOf(type), "1"]]);
  if (type.group !== "") return usage;
  const spec = objectIn(object, "spec");
  switch (type.plural) {
    case "pods":
      return new Map([...usage, ["pods", "1"], ...computeUsage(podTotal(spec, "requests"), podTotal(spec, "limits"))]);
    case "services":
      return new Map([...usage, ...serviceUsage(spec)]);
    case "persistentvolumeclaims":
      return new Map([...usage, ...claimUsage(object)]);
    default:
      return usage.set(type.plural, "1");
  }
}

/** A pod that has terminated, or whose grace period has expired, uses nothing: from when on, in Unix milliseconds. */
function endOf(pod: JsonObject): number {
  const phase = textIn(objectIn(pod, "status"), "phase");
  if (phase === "Succeeded" || phase === "Failed") return -Infinity;
  const metadata = objectIn(pod, "metadata");
  const grace = numberIn(metadata, "deletionGracePeriodSeconds");
  const deleted = textIn(metadata, "deletionTimestamp");
  return deleted === "" || grace === undefined ? Infinity : Date.parse(deleted) + grace * 1000;
}

/** What quotas have to know about a stored object. */
interface Measured {
  readonly usage: ReadonlyMap<string, Quantity>;
  readonly endMs: number;
  readonly traits: PodTraits | undefined;
}

/** By stored state: a quota over thousands of pods does not read them all for each one that is created. */
const measured = new WeakMap<UnreadObject, Measured>();

/** Whether the object must be read to know what it uses; of all others each counts as one. */
export function needsMeasure({ group, plural }: ResourceType): boolean {
  return group === "" && ["pods", "services", "persistentvolumeclaims"].includes(plural);
}

export function isMeasured(object: UnreadObject): boolean {
  return measured.has(object);
}

/** Reads what the object uses, unless that is known. */
export function measure(type: ResourceType, object: UnreadObject): Measured {
  const known = measured.get(object);
  if (known !== undefined) return known;
  const json = asJson(object.passing);
  const usage = new Map<string, Quantity>();
  for (const [name, amount] of usageUntilEnd(type, json)) {
    const read = parseQuantity(amount);
    if (read.ok) usage.set(name, read.value);
  }
  const found: Measured = {
    usage,
    endMs: isPod(type) ? endOf(json) : Infinity,
    traits: isPod(type) ? podTraits(json) : undefined,
  };
  measured.set(object, found);
  return found;
}

function serviceUsage(spec: JsonObject): Amounts {
  const ports = objectsIn(spec, "ports");
  const isBalanced = textIn(spec, "type") === "LoadBalancer";
  const named = ports.filter((port) => (numberIn(port, "nodePort") ?? 0) !== 0);
  const isFrugal = isBalanced && spec["allocateLoadBalancerNodePorts"] === false;
  const nodePorts = isBalanced || textIn(spec, "type") === "NodePort" ? (isFrugal ? named : ports).length : 0;
  return new Map([
    ["services", "1"],
    ["services.loadbalancers", isBalanced ? "1" : "0"],
    ["services.nodeports", String(nodePorts)],
  ]);
}

function claimUsage(claim: JsonObject): Amounts {
  const annotated = textIn(objectAt(claim, "metadata", "annotations"), "volume.beta.kubernetes.io/storage-class");
  const storageClass = annotated === "" ? textIn(objectIn(claim, "spec"), "storageClassName") : annotated;
  const storage = textIn(objectAt(claim, "spec", "resources", "requests"), "storage");
  const usage: (readonly [string, string])[] = [
    ["persistentvolumeclaims", "1"],
    ...(storage === "" ? [] : [["requests.storage", storage] as const]),
  ];
  const prefix = `${storageClass}.storageclass.storage.k8s.io/`;
  return new Map([
    ...usage,
    ...(storageClass === "" ? [] : usage.map(([name, amount]) => [prefix + name, amount] as const)),
  ]);
}

/** The limited resources that objects of the type can use. */
function concerned(type: ResourceType, hard: JsonObject): readonly string[] {
  const counter = counterOf(type);
  if (type.group !== "") return Object.hasOwn(hard, counter) ? [counter] : [];
  return knownKeys(hard).filter((name) => (name.startsWith("count/") ? name === counter : isOfCore(type, name)));
}

function isOfCore({ plural }: ResourceType, name: string): boolean {
  switch (plural) {
    case "pods":
      return name === "pods" || computed.test(name);
    case "services":
      return /^services(\.loadbalancers|\.nodeports)?$/.test(name);
    case "persistentvolumeclaims":
      return claimed.test(name);
    default:
      return name === plural;
  }
}

/** Whether the object is in the quota's scopes. Scopes apply to pods only. */
function counts(type: ResourceType, quotaSpec: JsonObject, object: JsonObject): boolean {
  return scopesOf(quotaSpec).every((scope) => isPod(type) && podInScope(podTraits(object), scope));
}

/** Adds in the form of the first quantity that is not 0. */
function add(total: Map<string, Quantity>, name: string, amount: Quantity): void {
  const sum = total.get(name);
  if (sum === undefined) return;
  total.set(name, sum.nanos === 0n ? amount : { ...sum, nanos: sum.nanos + amount.nanos });
}

const nothing: Quantity = { nanos: 0n, format: "DecimalSI", whole: true };
const nano = 1_000_000_000n;

/**
 * Total usage of all objects of the types, of the resources that the quota limits; resources that no type uses are left
 * out.
 */
export function usedIn(
  view: ObjectView,
  types: readonly ResourceType[],
  namespace: string,
  quotaSpec: JsonObject,
  nowMs: number,
): Readonly<Record<string, string>> {
  const hard = objectIn(quotaSpec, "hard");
  const scopes = scopesOf(quotaSpec);
  const used = new Map<string, Quantity>(Object.hasOwn(hard, unserved) ? [[unserved, nothing]] : []);
  for (const type of types) {
    const names = concerned(type, hard);
    if (names.length === 0) continue;
    for (const name of names) if (!used.has(name)) used.set(name, nothing);
    const objects = view.unread(type, namespace);
    if (!needsMeasure(type)) {
      const all = { ...nothing, nanos: BigInt(objects.length) * nano };
      for (const name of scopes.length === 0 ? names : []) add(used, name, all);
      continue;
    }
    const counter = counterOf(type);
    for (const object of objects) {
      const { usage, endMs, traits } = measure(type, object);
      if (!scopes.every((scope) => traits !== undefined && podInScope(traits, scope))) continue;
      if (nowMs > endMs) add(used, counter, usage.get(counter) ?? nothing);
      else for (const [name, amount] of usage) add(used, name, amount);
    }
  }
  const texts: Record<string, string> = {};
  for (const [name, amount] of used) texts[name] = formatQuantity(amount);
  return texts;
}

/** `a` minus `b`, at least zero. */
function without(a: Amounts, b: Amounts): Amounts {
  return new Map(
    [...a].map(([name, amount]) => {
      const [whole, part] = [parseQuantity(amount), parseQuantity(b.get(name) ?? "0")];
      if (!whole.ok || !part.ok) return [name, amount];
      const nanos = whole.value.nanos - part.value.nanos;
      return [name, formatQuantity({ ...whole.value, nanos: nanos < 0n ? 0n : nanos })];
    }),
  );
}

/** Refuses a new or changed object that exceeds a quota of its namespace. */
export function checkQuota(
  type: ResourceType,
  object: KubeObject,
  old: KubeObject | undefined,
  namespace: string,
  view: ObjectView,
  nowMs: number,
): AdmissionRefusal | undefined {
  const json = asJson(object);
  const usage = usageOf(type, json, nowMs);
  const quotas = [...view.list(resourceQuotas, namespace)].filter((quota) => {
    const spec = objectIn(asJson(quota), "spec");
    return counts(type, spec, json) && concerned(type, objectIn(spec, "hard")).length > 0;
  });
  for (const quota of quotas) {
    const hard = objectIn(objectIn(asJson(quota), "spec"), "hard");
    const missing = isPod(type) ? unspecified(json, concerned(type, hard)) : "";
    if (missing !== "")
      return { code: 403, message: `failed quota: ${quota.metadata.name ?? ""}: must specify ${missing}` };
  }
  for (const quota of quotas) {
    const spec = objectIn(asJson(quota), "spec");
    const isCounted = old !== undefined && counts(type, spec, asJson(old));
    const wanted = isCounted ? without(usage, usageOf(type, asJson(old), nowMs)) : usage;
    const refusal = exceeded(quota, wanted, (hard) => usedIn(view, [type], namespace, { ...spec, hard }, nowMs));
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

function exceeded(
  quota: KubeObject,
  wanted: Amounts,
  /** Of the resources in `hard`. */
  usedNow: (hard: JsonObject) => Readonly<Record<string, string>>,
): AdmissionRefusal | undefined {
  const hard = objectIn(objectIn(asJson(quota), "spec"), "hard");
  const names = [...wanted.keys()].filter((name) => Object.hasOwn(hard, name) && isMore(wanted.get(name) ?? "0", "0"));
  if (names.length === 0) return undefined;
  const used = usedNow(pickMembers(hard, ...names));
  const over = names.toSorted().filter((name) => {
    const sum =
      added(new Map([[name, used[name] ?? "0"]]), new Map([[name, wanted.get(name) ?? "0"]])).get(name) ?? "0";
    return isMore(sum, textIn(hard, name));
  });
  if (over.length === 0) return undefined;
  const list = (amounts: (name: string) => string): string => over.map((name) => `${name}=${amounts(name)}`).join(",");
  const requested = list((name) => wanted.get(name) ?? "0");
  const limited = list((name) => textIn(hard, name));
  return {
    code: 403,
    message: `exceeded quota: ${quota.metadata.name ?? ""}, requested: ${requested}, used: ${list((name) => used[name] ?? "0")}, limited: ${limited}`,
  };
}

/** Limited resources that the containers do not set; empty when all are set, or set at pod level. */
function unspecified(pod: JsonObject, names: readonly string[]): string {
  const spec = objectIn(pod, "spec");
  if (["requests", "limits"].some((part) => hasMember(objectIn(spec, "resources"), part))) return "";
  const containers = [...objectsIn(spec, "containers"), ...objectsIn(spec, "initContainers")];
  const lacking = names
    .filter((name) => needed.test(name))
    .toSorted()
    .flatMap((name) => {
      const without = containers.filter(
        (container) => !computeUsage(amountsIn(container, "requests"), amountsIn(container, "limits")).has(name),
      );
      const named = [...new Set(without.map((container) => textIn(container, "name")))].toSorted();
      return named.length === 0 ? [] : [`${name} for: ${named.join(",")}`];
    });
  return lacking.join("; ");
}
