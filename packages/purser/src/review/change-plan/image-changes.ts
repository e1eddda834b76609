import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";

export interface ImageChange {
  readonly image: string;
  /** Of the reference; undefined for an image that is named by tag. */
  readonly digest?: string;
  readonly change: "added" | "removed" | "kept";
  /** Compressed bytes of an added image; null when its registry did not say, absent when it was not asked. */
  readonly size?: number | null;
}

/** The changes with the sizes of the images that were added. */
export function withImageSizes(
  images: readonly ImageChange[],
  sizes: ReadonlyMap<string, number>,
): readonly ImageChange[] {
  return images.map((one) => (one.change === "added" ? { ...one, size: sizes.get(one.image) ?? null } : one));
}

/** The images of the containers in the objects and of the related images of CSVs, sorted. */
export function imageChanges(before: readonly JsonObject[], after: readonly JsonObject[]): readonly ImageChange[] {
  const [old, next] = [imagesIn(before), imagesIn(after)];
  return [...new Set([...old, ...next])].toSorted().map((image) => {
    const digest = /@(sha256:[0-9a-f]{64})$/.exec(image)?.[1];
    const change = !old.has(image) ? "added" : next.has(image) ? "kept" : "removed";
    return { image, ...(digest === undefined ? {} : { digest }), change };
  });
}

function imagesIn(objects: readonly JsonObject[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const object of objects) {
    if (object["kind"] !== "CustomResourceDefinition") collect(object["spec"], found);
  }
  return found;
}

/** Lists of containers and of related images, wherever they stand: pod templates differ in depth by kind. */
function collect(value: JsonValue | undefined, found: Set<string>): void {
  if (Array.isArray(value)) for (const item of value as readonly JsonValue[]) collect(item, found);
  else if (isJsonObject(value))
    for (const [name, inner] of Object.entries(value)) {
      if (Array.isArray(inner) && ["containers", "initContainers", "relatedImages"].includes(name))
        for (const item of inner as readonly JsonValue[]) {
          const image = isJsonObject(item) ? member(item, "image") : undefined;
          if (typeof image === "string" && image !== "") found.add(image);
        }
      collect(inner, found);
    }
}
