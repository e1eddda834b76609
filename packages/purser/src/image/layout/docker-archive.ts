import { createHash } from "node:crypto";
import type { Readable } from "node:stream";
import { type Digest, digestOf } from "@purser/kubernetes/digest";
import { isJsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import type { Descriptor, ImageSource, RawManifest } from "../image-source.ts";
import type { ImageProblem } from "../image-problem.ts";
import { checkedBlob } from "./checked-blob.ts";
import { dockerManifest } from "./image-manifest.ts";
import { localProblem } from "./local-problem.ts";
import { chooseByName, largestManifest, nameRemedy } from "./oci-layout.ts";
import { readStored, type StoredFiles } from "./stored-files.ts";

const configType = "application/vnd.docker.container.image.v1+json";
/** Compressed layers are recognized by their first bytes. */
const layerType = "application/vnd.docker.image.rootfs.diff.tar";

/** One image of `manifest.json`. */
interface SavedImage {
  readonly config: string;
  readonly tags: readonly string[];
  readonly layers: readonly string[];
}

interface StoredBlob {
  readonly size: number;
  readonly digest: Digest;
}

interface Converted {
  readonly manifest: RawManifest;
  readonly paths: ReadonlyMap<Digest, string>;
}

/**
 * An image of an archive of `docker save` or `podman save`. Such an archive has no manifest, so one of Docker schema 2 is
 * made of it: its digest is the same for the same image, but no registry knows it. The archive has no digests of layers but
 * `rootfs.diff_ids` of the configuration, which are checked when they are unpacked.
 *
 * @param name a tag of the archive (`host/repository:tag`, the tag may be left out when it is `latest`), `@N` or undefined
 */
export class DockerArchiveSource implements ImageSource {
  readonly reference: string;
  readonly #files: StoredFiles;
  readonly #name: string | undefined;
  #converted: Promise<Result<Converted, ImageProblem>> | undefined;

  constructor(reference: string, files: StoredFiles, name: string | undefined) {
    this.reference = reference;
    this.#files = files;
    this.#name = name;
  }

  async resolve(signal: AbortSignal): Promise<Result<Digest, ImageProblem>> {
    const converted = await this.#convertOnce(signal);
    return converted.ok ? done(converted.value.manifest.digest) : converted;
  }

  async manifest(digest: Digest, signal: AbortSignal): Promise<Result<RawManifest, ImageProblem>> {
    const converted = await this.#convertOnce(signal);
    if (!converted.ok) return converted;
    const { manifest } = converted.value;
    return manifest.digest === digest
      ? done(manifest)
      : failed(this.#broken(`manifest ${digest} is not in the archive`));
  }

  async blob(wanted: Descriptor, signal: AbortSignal): Promise<Result<Readable, ImageProblem>> {
    const converted = await this.#convertOnce(signal);
    if (!converted.ok) return converted;
    const path = converted.value.paths.get(wanted.digest);
    if (path === undefined) return failed(this.#broken(`blob ${wanted.digest} is not in the archive`));
    return done(checkedBlob(await this.#files.stream(path), wanted, (cause) => this.#broken(cause)));
  }

  close(): Promise<void> {
    return this.#files.close();
  }

  #convertOnce(signal: AbortSignal): Promise<Result<Converted, ImageProblem>> {
    this.#converted ??= this.#convert(signal).catch((error: unknown) => {
      this.#converted = undefined;
      throw error;
    });
    return this.#converted;
  }

  async #convert(signal: AbortSignal): Promise<Result<Converted, ImageProblem>> {
    const list = await readStored(this.#files, "manifest.json", largestManifest);
    if (list === "tooLarge")
      return failed(this.#broken(`manifest.json has more than ${largestManifest} bytes`, "limit"));
    if (list === "missing") return failed(this.#broken("it has no manifest.json, which docker save writes"));
    const images = decodeSavedImages(list);
    if (images === undefined) return failed(this.#broken("manifest.json is not a list of images"));
    const tagged = this.#name === undefined || /:[^/]*$|^@/.test(this.#name) ? this.#name : `${this.#name}:latest`;
    const chosen = chooseByName(images, tagged, ({ tags }) => tags);
    if (!chosen.ok) return failed(localProblem(this.reference, "notFound", chosen.problem, nameRemedy));
    const paths = new Map<Digest, string>();
    const descriptors: (StoredBlob & { readonly mediaType: string })[] = [];
    for (const path of [chosen.value.config, ...chosen.value.layers]) {
      const mediaType = descriptors.length === 0 ? configType : layerType;
      const found = await this.#describe(path, signal);
      if (found === undefined) return failed(this.#broken(`${JSON.stringify(path)} is not in the archive`));
      paths.set(found.digest, path);
      descriptors.push({ mediaType, ...found });
    }
    const [config, ...layers] = descriptors;
    const bytes = Buffer.from(
      JSON.stringify({
        schemaVersion: 2,
        mediaType: dockerManifest,
        config: config && descriptorOf(config),
        layers: layers.map(descriptorOf),
      }),
    );
    if (bytes.length > largestManifest) return failed(this.#broken("the image has too many layers"));
    return done({ manifest: { digest: digestOf(bytes), mediaType: dockerManifest, bytes }, paths });
  }

  async #describe(path: string, signal: AbortSignal): Promise<StoredBlob | undefined> {
    if ((await this.#files.size(path)) === undefined) return undefined;
    const hash = createHash("sha256");
    let size = 0;
    for await (const chunk of (await this.#files.stream(path)) as AsyncIterable<Buffer>) {
      signal.throwIfAborted();
      hash.update(chunk);
      size += chunk.length;
    }
    return { size, digest: `sha256:${hash.digest("hex")}` };
  }

  #broken(cause: string, kind: ImageProblem["kind"] = "invalid"): ImageProblem {
    return localProblem(
      this.reference,
      kind,
      cause,
      "Write the archive again with docker save, podman save or skopeo copy.",
    );
  }
}

const descriptorOf = ({ mediaType, size, digest }: StoredBlob & { readonly mediaType: string }): Descriptor => ({
  mediaType,
  size,
  digest,
});

/** Undefined for what is no list of saved images. */
function decodeSavedImages(bytes: Uint8Array): readonly SavedImage[] | undefined {
  let list: JsonValue;
  try {
    list = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) as JsonValue;
  } catch {
    return undefined;
  }
  if (!Array.isArray(list)) return undefined;
  const images = (list as readonly JsonValue[]).map((item): SavedImage | undefined => {
    if (!isJsonObject(item)) return undefined;
    const config = member(item, "Config");
    const layers = texts(member(item, "Layers"));
    return typeof config === "string" && layers !== undefined
      ? { config, layers, tags: texts(member(item, "RepoTags") ?? []) ?? [] }
      : undefined;
  });
  return images.every((image) => image !== undefined) ? images : undefined;
}

function texts(value: JsonValue | undefined): readonly string[] | undefined {
  if (value === null) return [];
  return Array.isArray(value) && value.every((item) => typeof item === "string")
    ? (value as readonly string[])
    : undefined;
}
