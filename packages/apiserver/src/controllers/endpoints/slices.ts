import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asJson, keyOf } from "@purser/kubernetes/apis/object";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import { endpointSlices } from "../../kinds/resource-types.ts";
import type { Lookup } from "../lookup.ts";
import { controllerReference } from "../ownership.ts";
import type { Pass, Watch } from "../runtime.ts";
import { RefusedError, type Refusal } from "../writer.ts";
import type { SliceContent } from "./service-endpoints.ts";

const serviceLabel = "kubernetes.io/service-name";
const managedBy = "endpointslice.kubernetes.io/managed-by";

const byService: Lookup<KubeObject> = {
  type: endpointSlices,
  valuesOf: ({ metadata: { namespace = "", labels } }) => [`${namespace}/${labels?.[serviceLabel] ?? ""}`],
};

/** Maps a slice to the Service in its label. */
export const sliceWatch: Watch = {
  table: "endpointslices.discovery.k8s.io",
  keys: ({ before, after }) =>
    [before, after].flatMap((slice) => {
      const name = slice?.metadata.labels?.[serviceLabel];
      return name === undefined ? [] : [`${slice?.metadata.namespace ?? ""}/${name}`];
    }),
};

/** The slices of the Service `namespace/name` that the manager maintains. */
export function slicesOfManager(pass: Pass, key: string, manager: string): readonly KubeObject[] {
  const name = key.slice(key.indexOf("/") + 1);
  return pass
    .find(byService, [key])
    .filter(({ metadata: { labels } }) => labels?.[serviceLabel] === name && labels[managedBy] === manager);
}

export async function removeSlices(pass: Pass, slices: readonly KubeObject[]): Promise<void> {
  for (const slice of slices) await pass.writer.remove(endpointSlices, keyOf(slice), { uid: slice.metadata.uid ?? "" });
}

/** Ignores refusals in a terminating namespace. */
export function tolerate({ code, message }: Refusal): void {
  if (message.includes("being terminated") || code === 404) return;
  throw new RefusedError("create endpoints", code, message);
}

/** What all slices of one owner have in common. */
export interface SliceFrame {
  readonly owner: KubeObject;
  readonly manager: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Annotations to write, given the existing slice. */
  readonly annotationsOf: (held: KubeObject | undefined) => { readonly annotations?: Readonly<Record<string, string>> };
  /** Whether a difference in annotations alone causes a write. */
  readonly comparesAnnotations: boolean;
}

/** Assigns wanted slices to existing ones: the one with the same ports if any, then any that is left. */
function matched(
  held: readonly KubeObject[],
  wanted: readonly SliceContent[],
): {
  readonly pairs: readonly (readonly [KubeObject | undefined, SliceContent])[];
  readonly surplus: readonly KubeObject[];
} {
  const left = [...held];
  const take = (fits: (slice: KubeObject) => boolean): KubeObject | undefined => {
    const at = left.findIndex(fits);
    return at < 0 ? undefined : left.splice(at, 1)[0];
  };
  const first = wanted.map((content) =>
    take((slice) => {
      const json = asJson(slice);
      return json["addressType"] === content.addressType && deepEqual(json["ports"] ?? [], content.ports);
    }),
  );
  const pairs = wanted.map(
    (content, index) =>
      [first[index] ?? take((slice) => asJson(slice)["addressType"] === content.addressType), content] as const,
  );
  return { pairs, surplus: left };
}

/** Writes the wanted slices over the existing ones, creates missing and deletes surplus ones. */
export async function writeSlices(
  pass: Pass,
  frame: SliceFrame,
  held: readonly KubeObject[],
  wanted: readonly SliceContent[],
): Promise<void> {
  const { pairs, surplus } = matched(held, wanted);
  const { namespace = "", name = "" } = frame.owner.metadata;
  const labels = { ...frame.labels, [managedBy]: frame.manager, [serviceLabel]: name };
  await removeSlices(pass, surplus);
  for (const [slice, content] of pairs) {
    if (slice === undefined) {
      const metadata = {
        generateName: `${name}-`,
        namespace,
        labels,
        ...frame.annotationsOf(undefined),
        ownerReferences: [controllerReference(frame.owner)],
      };
      const body = { kind: "EndpointSlice", apiVersion: "discovery.k8s.io/v1", metadata, ...content };
      const created = await pass.writer.tryCreate(endpointSlices, body as JsonObject, namespace);
      if (!created.ok) tolerate(created.problem);
      continue;
    }
    const { annotations = {}, ...metadata } = slice.metadata;
    const next = frame.annotationsOf(slice);
    const json = asJson(slice);
    const same =
      deepEqual(json["endpoints"] ?? [], content.endpoints as JsonValue) &&
      deepEqual(json["ports"] ?? [], content.ports as JsonValue) &&
      deepEqual((metadata.labels ?? {}) as JsonObject, labels) &&
      (!frame.comparesAnnotations || deepEqual(annotations, next.annotations ?? {}));
    if (same) continue;
    await pass.writer.replace(endpointSlices, { ...slice, metadata: { ...metadata, labels, ...next }, ...content });
  }
}
