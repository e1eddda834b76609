import { type Digest, digestOf as pureDigest } from "@purser/kubernetes/digest";
import type { JsonObject } from "@purser/kubernetes/json";
import { goJson } from "@purser/kubernetes/text/documents";
import { type CrdChange, crdChanges, type StoredObjects } from "./crd-changes.ts";
import { downtimeHints } from "./downtime-hints.ts";
import { type ImageChange, imageChanges } from "./image-changes.ts";
import { type ObjectChange, objectChanges, referenceOf, referenceText, withoutServerFields } from "./object-changes.ts";
import { type PermissionChange, permissionChanges } from "./permission-changes.ts";
import { type WebhookChange, webhookChanges, webhookDeployments } from "./webhook-changes.ts";

/** One version of an operator as objects. */
export interface ReviewedBundle {
  readonly name: string;
  readonly version: string;
  /** Of the bundle's files; undefined when its objects do not come from a bundle. */
  readonly digest?: Digest;
  readonly csv: JsonObject;
  /** What is on the cluster while this version is installed, with the namespaces in place. */
  readonly objects: readonly JsonObject[];
  /** The roles and bindings that say what its ServiceAccounts may do. */
  readonly granted: readonly JsonObject[];
  /** Which of `objects` stay when a version without them is installed. */
  readonly stays: (object: JsonObject) => boolean;
  /** Deprecation messages of the catalog on the package, the channel and the bundle. */
  readonly deprecations: readonly string[];
}

/** What a change does, between two versions. */
export interface Changes {
  readonly objects: readonly ObjectChange[];
  readonly crds: readonly CrdChange[];
  readonly permissions: readonly PermissionChange[];
  readonly images: readonly ImageChange[];
  readonly webhooks: readonly WebhookChange[];
  /** Sentences on what pauses meanwhile. */
  readonly downtime: readonly string[];
}

export interface PlannedHop {
  /** Absent for an installation. */
  readonly from?: string;
  readonly to: string;
  readonly changes: Changes;
}

export interface Dependency {
  readonly bundle: string;
  /** The bundles that need it, each with what it needs. */
  readonly askedBy: readonly { readonly bundle: string; readonly requirement: string }[];
}

/** What an installation or upgrade changes. */
export interface ChangePlan {
  readonly digest: Digest;
  /** What the plan was made from: digests by name; two plans with equal inputs are equal. */
  readonly inputs: Readonly<Record<string, Digest>>;
  readonly installation: string;
  /** Absent for an installation. */
  readonly from?: { readonly name: string; readonly version: string };
  readonly to: { readonly name: string; readonly version: string };
  readonly hops: readonly PlannedHop[];
  readonly total: Changes;
  readonly dependencies: readonly Dependency[];
  readonly deprecations: readonly string[];
}

export interface ReviewInput {
  /** As people name it: `sub/NAMESPACE/NAME`, `ext/NAME`, `package NAME`. */
  readonly installation: string;
  /** What else the objects depend on, such as the namespace and the configuration. */
  readonly options: JsonObject;
  readonly from?: ReviewedBundle;
  /** At least one: the versions of the path in order, without `from`. */
  readonly path: readonly [ReviewedBundle, ...ReviewedBundle[]];
  /** Live objects by `referenceText`; undefined without a cluster. */
  readonly live?: ReadonlyMap<string, JsonObject>;
  /** Stored custom resources by the name of the CRD; undefined without a cluster. */
  readonly stored?: ReadonlyMap<string, StoredObjects>;
  readonly dependencies: readonly Dependency[];
  /** Faster than the pure one, with the same result: the texts have megabytes. */
  readonly digestOf?: (text: string) => Digest;
}

/** The change plan of one installation. With live objects the first hop and the total start at what the cluster has. */
export function changePlan(input: ReviewInput): ChangePlan {
  const { installation, from, path, dependencies } = input;
  const to = path.at(-1) ?? path[0];
  const hops = path.map((bundle, index): PlannedHop => {
    const previous = index === 0 ? from : path[index - 1];
    const stored = index === path.length - 1 ? input.stored : withoutRefused(input.stored);
    const live = index === 0 ? { live: input.live, stored } : { stored };
    return {
      ...(previous === undefined ? {} : { from: previous.name }),
      to: bundle.name,
      changes: changesBetween(previous, bundle, live),
    };
  });
  const [only] = hops;
  const inputs = inputsOf(input);
  return {
    // Of the inputs, whatever their order.
    digest: pureDigest(goJson(inputs)),
    inputs,
    installation,
    ...(from === undefined ? {} : { from: { name: from.name, version: from.version } }),
    to: { name: to.name, version: to.version },
    hops,
    total: only !== undefined && hops.length === 1 ? only.changes : changesBetween(from, to, input),
    dependencies,
    deprecations: to.deprecations,
  };
}

/** Which objects are refused is known of the last version only. */
function withoutRefused(stored: ReviewInput["stored"]): ReviewInput["stored"] {
  return stored && new Map([...stored].map(([crd, found]) => [crd, { ...found, refused: [] }]));
}

function changesBetween(
  from: ReviewedBundle | undefined,
  to: ReviewedBundle,
  {
    live,
    stored,
  }: { readonly live?: ReviewInput["live"] | undefined; readonly stored?: ReviewInput["stored"] | undefined },
): Changes {
  const [before, after] = [from?.objects ?? [], to.objects];
  // An installation that takes over objects starts at what they grant and run.
  const existing = from === undefined ? [...(live?.values() ?? [])] : before;
  const objects = objectChanges({
    before,
    after,
    stays: from?.stays ?? (() => false),
    ...(live === undefined ? {} : { live }),
  });
  return {
    objects,
    crds: crdChanges(objects, { before, after, live, stored }),
    permissions: permissionChanges(from?.granted ?? existing, to.granted),
    images: imageChanges(existing, after),
    webhooks: webhookChanges(from?.csv, to.csv),
    downtime: downtimeHints(objects, before, after, webhookDeployments(to.csv)),
  };
}

/** A version, an option or a live object that matters, each under its name. */
function inputsOf({
  installation,
  options,
  from,
  path,
  live,
  stored,
  digestOf = pureDigest,
}: ReviewInput): ChangePlan["inputs"] {
  const bundles = from === undefined ? path : [from, ...path];
  const entries = bundles.map(({ name, digest, objects }): readonly [string, Digest] => [
    `bundle ${name}`,
    digestOf(goJson([digest ?? null, ...objects])),
  ]);
  const texts = new Set(bundles.flatMap(({ objects }) => objects.map((object) => referenceText(referenceOf(object)))));
  const objects = [...texts].toSorted().flatMap((text): readonly (readonly [string, Digest])[] => {
    const object = live?.get(text);
    return object === undefined ? [] : [[`live ${text}`, digestOf(goJson(withoutServerFields(object)))]];
  });
  // The numbers change all the time; whether there are some decides on what is lost.
  const counts = [...(stored ?? [])].flatMap(([crd, { count, versions, refused }]) => [
    [`stored ${crd}`, digestOf(String(count > 0))] as const,
    [`stored versions of ${crd}`, digestOf(goJson(versions))] as const,
    ...(refused.length === 0 ? [] : [[`refused ${crd}`, digestOf("true")] as const]),
  ]);
  return Object.fromEntries([
    ["installation", digestOf(installation)],
    ["options", digestOf(goJson(options))],
    ...entries,
    ...objects,
    ...counts,
  ]);
}

/** The inputs in which two plans differ, sorted; empty: the older plan still holds. */
export function changedInputs(older: ChangePlan["inputs"], newer: ChangePlan["inputs"]): readonly string[] {
  const names = [...new Set([...Object.keys(older), ...Object.keys(newer)])].toSorted();
  return names.filter((name) => older[name] !== newer[name]);
}
