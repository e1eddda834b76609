import type { KubeObject } from "@purser/kubernetes/apis/object";
import { ownerKindLabel, ownerLabel, ownerNamespaceLabel } from "../../apis/v0/labels.ts";
import { ownerNameLabel } from "../../apis/v1/labels.ts";
import type { DeletingRemedy, Explanation, Remedy } from "../../explanation/explanation.ts";
import { listOf, shellWord } from "../../explanation/summary.ts";

export interface Collision {
  readonly live: KubeObject;
  /** Field managers other than ours. */
  readonly managers: readonly string[];
}

export function collisionOf(live: KubeObject, ourManager: string): Collision {
  const managers = (live.metadata.managedFields ?? [])
    .filter(({ manager, subresource }) => manager !== undefined && manager !== ourManager && subresource === undefined)
    .map(({ manager }) => manager ?? "");
  return { live, managers: [...new Set(managers)].toSorted() };
}

/** `Kind.apiVersion namespace/name`, as upstream names objects in conditions. */
export function describeObject({ apiVersion, kind, metadata }: KubeObject): string {
  const { namespace, name = "" } = metadata;
  return `${kind}.${apiVersion} ${namespace === undefined ? name : `${namespace}/${name}`}`;
}

/** The owner of an object by its owner references, owner labels or installed-alongside annotation; undefined when there is none. */
function ownerOfObject({ metadata }: KubeObject): string | undefined {
  const references = metadata.ownerReferences ?? [];
  const reference = references.find(({ controller }) => controller === true) ?? references[0];
  if (reference !== undefined) return `${reference.kind} "${reference.name}"`;
  const { labels } = metadata;
  const name = labels?.[ownerLabel];
  if (name === undefined) {
    const alongside = Object.entries(metadata.annotations ?? {}).find(([key]) =>
      key.startsWith("operatorframework.io/installed-alongside-"),
    );
    return alongside === undefined ? undefined : `ClusterServiceVersion "${alongside[1]}"`;
  }
  const namespace = labels?.[ownerNamespaceLabel];
  return `${labels?.[ownerKindLabel] ?? "object"} "${namespace === undefined ? name : `${namespace}/${name}`}"`;
}

/** Whether an installation or another controller owns the object; Helm is no controller: it changes objects only when a user runs it. */
export const isOwned = (object: KubeObject): boolean =>
  ownerOfObject(object) !== undefined || object.metadata.labels?.[ownerNameLabel] !== undefined;

/** As {@link ownerOfObject}; for an object of a revision the ClusterExtension that users know, for one of a Helm release that. */
function installationOf(live: KubeObject): string | undefined {
  const { "meta.helm.sh/release-name": release, "meta.helm.sh/release-namespace": place } =
    live.metadata.annotations ?? {};
  const extension = live.metadata.labels?.[ownerNameLabel];
  const controller = (live.metadata.ownerReferences ?? []).find((reference) => reference.controller === true);
  return controller?.kind === "ClusterObjectSet" && extension !== undefined
    ? `ClusterExtension "${extension}"`
    : (ownerOfObject(live) ??
        (release === undefined || place === undefined ? undefined : `Helm release "${place}/${release}"`));
}

/** One paragraph per object, for the condition. */
export function collisionReport(phase: number, collisions: readonly Collision[]): string {
  const paragraphs = collisions.map(({ live, managers }) => {
    const owner = ownerOfObject(live);
    return [
      `Object ${describeObject(live)}`,
      `Action: "Collision"`,
      ...(owner === undefined ? [] : [`Owner: ${owner}`]),
      ...(managers.length === 0 ? [] : [`Field managers: ${managers.join(", ")}`]),
    ].join("\n");
  });
  return `revision object collisions in phase ${phase}\n${paragraphs.join("\n\n")}`;
}

/** The ClusterExtension whose revision meets an object of another owner. */
export interface Colliding {
  /** Undefined for a revision that belongs to no ClusterExtension. */
  readonly extension: string | undefined;
  /** Version of its installed revision, which goes on; undefined when none is installed. */
  readonly installed: string | undefined;
}

export function ownedElsewhere(collisions: readonly Collision[], colliding: Colliding): Explanation {
  const named = collisions.map(({ live }) => `${live.kind} "${live.metadata.name ?? ""}"`);
  const [first] = collisions;
  const owner = first === undefined ? undefined : installationOf(first.live);
  const shown = named.length > 2 ? `${named.slice(0, 2).join(", ")} and ${named.length - 2} more` : named.join(" and ");
  return {
    code: "ObjectOwnedElsewhere",
    summary: `${shown} ${named.length === 1 ? "exists" : "exist"} already${owner === undefined ? "" : ` and ${named.length === 1 ? "belongs" : "belong"} to ${owner}`}`,
    facts: {
      objects: collisions.map(({ live, managers }) => ({
        apiVersion: live.apiVersion,
        kind: live.kind,
        name: live.metadata.name ?? "",
        ...(live.metadata.namespace === undefined ? {} : { namespace: live.metadata.namespace }),
        ...(installationOf(live) === undefined ? {} : { owner: installationOf(live) }),
        fieldManagers: managers,
      })),
    },
    derivation: collisions.map(({ live, managers }) => ({
      relation: "elsewhere",
      subject: describeObject(live),
      text: `${describeObject(live)} is owned by ${installationOf(live) ?? "no controller"}${managers.length === 0 ? "" : `, its fields by ${managers.join(", ")}`}`,
    })),
    remedies: remediesOf(collisions, colliding),
  };
}

/**
 * An object with an owner is in use, and its owner would miss it or write it again: the way out is to have one of the two
 * installations. Only an object without owner may be deleted.
 */
function remediesOf(collisions: readonly Collision[], { extension, installed }: Colliding): readonly Remedy[] {
  const owners = [...new Set(collisions.flatMap(({ live }) => installationOf(live) ?? []))];
  if (owners.length === 0) return collisions.slice(0, 3).map(removalOf);
  const other = uninstallOf(owners);
  if (extension === undefined) return [other];
  const stay =
    installed === undefined
      ? ({
          summary: `Delete ClusterExtension "${extension}"; the objects stay with their owner`,
          command: `kubectl delete clusterextensions.olm.operatorframework.io ${shellWord(extension)}`,
          deletes: "objects",
        } as const)
      : stayAt(extension, installed);
  return [stay, other];
}

/** With `unused` the definitions are deleted that hold no custom resources, so that they are free for another owner. */
function uninstallOf(owners: readonly string[]): Remedy {
  const [owner = ""] = owners;
  const [, extension] = /^ClusterExtension "(.*)"$/.exec(owner) ?? [];
  if (extension === undefined || owners.length > 1) return { summary: `Uninstall ${listOf(owners)}` };
  return {
    summary: `Uninstall ${owner}, with those of its CustomResourceDefinitions that hold no objects`,
    command: `purser uninstall ${shellWord(`ext/${extension}`)} --mode unused`,
    deletes: "objects",
  };
}

function stayAt(extension: string, version: string): Remedy {
  const patch = { spec: { source: { catalog: { version } } } };
  return {
    summary: `Stay at version ${version}`,
    command: `kubectl patch clusterextensions.olm.operatorframework.io ${shellWord(extension)} --type merge -p ${shellWord(JSON.stringify(patch))}`,
    patch,
  };
}

/** Kinds of Kubernetes whose objects hold what nobody can write again. */
const dataKinds: ReadonlySet<string> = new Set(["ConfigMap", "Namespace", "PersistentVolumeClaim", "Secret"]);
const holds = (kind: string): DeletingRemedy["deletes"] => (dataKinds.has(kind) ? "data" : "objects");

/** The remedy for one object without owner. For a CRD it warns that deletion also deletes its custom resources. */
function removalOf({ live: { kind, metadata } }: Collision): Remedy {
  const name = metadata.name ?? "";
  const where = metadata.namespace === undefined ? "" : ` -n ${metadata.namespace}`;
  const command = `kubectl delete ${kind.toLowerCase()} ${name}${where}`;
  if (kind !== "CustomResourceDefinition")
    return { summary: `Remove ${kind} "${name}" if nothing needs it any more`, command, deletes: holds(kind) };
  return {
    summary: `Delete it with all objects that it holds; look first at what they are (kubectl get ${name} -A)`,
    command,
    deletes: "data",
  };
}
