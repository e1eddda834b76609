import { ageOf } from "@purser/kubernetes/age";
import type { ObjectMeta } from "@purser/kubernetes/apis/object";
import { matchesSelector } from "@purser/kubernetes/apis/selector";
import { type PackageManifest, packagesGroup, packagesVersion } from "../apis/v0/package-manifest.ts";
import { manifestMetadata, type OfferedPackage, packageManifest, primaryHead } from "./package-manifest.ts";
import type { AnswerForm, PackageRequest } from "./package-request.ts";

type ListRequest = Extract<PackageRequest, { readonly kind: "list" }>;

/** JSON before, between and behind the items of a list. */
export interface ListFrame {
  readonly head: string;
  readonly tail: string;
}

const apiVersion = `${packagesGroup}/${packagesVersion}`;
const partial = { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1" } as const;

const columns = [
  {
    name: "Name",
    type: "string",
    format: "name",
    description: "Name of the package, as a Subscription names it.",
    priority: 0,
  },
  { name: "Catalog", type: "string", format: "", description: "The source catalog for this package", priority: 0 },
  { name: "Age", type: "string", format: "", description: "Age of the source catalog.", priority: 0 },
];

/** The list without its items. */
export function listFrame({ kind }: AnswerForm): ListFrame {
  if (kind === "table") {
    const table = { kind: "Table", apiVersion: "meta.k8s.io/v1", metadata: {}, columnDefinitions: columns };
    return { head: `${JSON.stringify(table).slice(0, -1)},"rows":[`, tail: "]}\n" };
  }
  const list =
    kind === "metadata"
      ? { ...partial, kind: "PartialObjectMetadataList" }
      : { kind: "PackageManifestList", apiVersion };
  return { head: `${JSON.stringify({ ...list, metadata: {} }).slice(0, -1)},"items":[`, tail: "]}\n" };
}

/**
 * JSON of one item of a list; undefined when the selector leaves the package out, or no channel of it can be read.
 * Lists have no icons.
 */
export function listItem(offered: OfferedPackage, request: ListRequest, now: number): string | undefined {
  const written = writtenManifest(offered, request, request.form, now);
  return written === undefined ? undefined : JSON.stringify(written);
}

/** JSON of one PackageManifest without its icons; undefined when no channel of it can be read. */
export function singleManifest(
  offered: OfferedPackage,
  { namespace, form }: Extract<PackageRequest, { readonly kind: "get" }>,
  now: number,
): string | undefined {
  const written = writtenManifest(offered, { namespace, labels: [] }, form, now);
  if (written === undefined) return undefined;
  if (form.kind !== "table") return `${JSON.stringify(written)}\n`;
  const { head, tail } = listFrame(form);
  return head + JSON.stringify(written) + tail;
}

function writtenManifest(
  offered: OfferedPackage,
  { namespace, labels }: Pick<ListRequest, "namespace" | "labels">,
  form: AnswerForm,
  now: number,
): object | undefined {
  const primary = primaryHead(offered);
  if (primary === undefined) return undefined;
  const own = manifestMetadata(offered, primary);
  if (!matchesSelector(labels, own.labels)) return undefined;
  // A namespaced read shows the packages of the global namespace as if they were in the namespace.
  const metadata: ObjectMeta = namespace === undefined ? own : { ...own, namespace };
  const whole = (): PackageManifest => withoutIcons({ ...packageManifest(offered, primary), metadata });
  if (form.kind === "objects") return whole();
  if (form.kind === "metadata") return { ...partial, metadata };
  const { displayName = "" } = offered.source.spec;
  return {
    cells: [metadata.name, displayName, ageOf(metadata.creationTimestamp ?? "", now)],
    ...(form.include === "None" ? {} : { object: form.include === "Object" ? whole() : { ...partial, metadata } }),
  };
}

function withoutIcons(manifest: PackageManifest): PackageManifest {
  const channels = manifest.status.channels.map((channel) => {
    const { icon: _icon, ...currentCSVDesc } = channel.currentCSVDesc;
    return { ...channel, currentCSVDesc };
  });
  return { ...manifest, status: { ...manifest.status, channels } };
}
