import type { Readable } from "node:stream";
import { type Digest, digestOf } from "@purser/kubernetes/digest";
import { type JsonValue, member } from "@purser/kubernetes/json";
import { all, done, failed, type Result } from "@purser/kubernetes/result";
import type { Descriptor, ImageSource, RawManifest } from "../image-source.ts";
import type { ImageProblem } from "../image-problem.ts";
import { checkedBlob } from "./checked-blob.ts";
import { descriptor, ociIndex, ociManifest, parseObject } from "./image-manifest.ts";
import { localProblem } from "./local-problem.ts";
import { readStored, type StoredFiles } from "./stored-files.ts";
import { counted } from "../../explanation/summary.ts";

export const largestManifest = 4 * 2 ** 20;
const tooLarge = `has more than ${largestManifest} bytes`;
const nameAnnotations = ["org.opencontainers.image.ref.name", "io.containerd.image.name"];

/**
 * An image of an OCI image layout. `index.json` is read once, so that all later answers belong to one state of the layout.
 *
 * @param name the image of that name (its annotation), the `@N`th of the index, or undefined for the only one
 */
export class OciLayoutSource implements ImageSource {
  readonly reference: string;
  readonly #files: StoredFiles;
  readonly #name: string | undefined;
  #chosen: Promise<Result<Descriptor, ImageProblem>> | undefined;

  constructor(reference: string, files: StoredFiles, name: string | undefined) {
    this.reference = reference;
    this.#files = files;
    this.#name = name;
  }

  async resolve(): Promise<Result<Digest, ImageProblem>> {
    this.#chosen ??= this.#choose();
    const chosen = await this.#chosen;
    return chosen.ok ? done(chosen.value.digest) : chosen;
  }

  async manifest(digest: Digest): Promise<Result<RawManifest, ImageProblem>> {
    const bytes = await readStored(this.#files, blobPath(digest), largestManifest);
    if (bytes === "missing") return failed(this.#problem("notFound", `manifest ${digest} is not in the layout`));
    if (bytes === "tooLarge") return failed(this.#problem("limit", `manifest ${digest} ${tooLarge}`));
    if (digestOf(bytes) !== digest)
      return failed(this.#problem("invalid", `manifest ${digest} has the content of ${digestOf(bytes)}`));
    const document = parseObject(bytes);
    const named = document === undefined ? undefined : member(document, "mediaType");
    const guessed = document !== undefined && Object.hasOwn(document, "manifests") ? ociIndex : ociManifest;
    return done({ digest, mediaType: typeof named === "string" ? named : guessed, bytes });
  }

  async blob(wanted: Descriptor): Promise<Result<Readable, ImageProblem>> {
    const path = blobPath(wanted.digest);
    const size = await this.#files.size(path);
    if (size === undefined) return failed(this.#problem("notFound", `blob ${wanted.digest} is not in the layout`));
    return done(checkedBlob(await this.#files.stream(path), wanted, (cause) => this.#problem("invalid", cause)));
  }

  /** Another image of the same layout, where signatures lie. Its `close` leaves the files open. */
  sibling(tag: string): ImageSource {
    const files: StoredFiles = {
      size: (path) => this.#files.size(path),
      stream: (path) => this.#files.stream(path),
      close: () => Promise.resolve(),
    };
    const [, place = this.reference] = /^([^:]*:[^:]*)/.exec(this.reference) ?? [];
    return new OciLayoutSource(`${place}:${tag}`, files, tag);
  }

  close(): Promise<void> {
    return this.#files.close();
  }

  async #choose(): Promise<Result<Descriptor, ImageProblem>> {
    const layout = await readStored(this.#files, "index.json", largestManifest);
    if (layout === "tooLarge") return failed(this.#problem("limit", `index.json ${tooLarge}`));
    if (layout === "missing")
      return failed(this.#problem("notFound", "it has no index.json, which an OCI image layout requires"));
    const document = parseObject(layout);
    const listed: JsonValue | undefined = document === undefined ? undefined : member(document, "manifests");
    if (!Array.isArray(listed)) return failed(this.#problem("invalid", "index.json is not an OCI image index"));
    const entries = all(listed.map((item: JsonValue) => descriptor(item)));
    if (!entries.ok) return failed(this.#problem("invalid", `index.json: ${entries.problem}`));
    const chosen = chooseByName(entries.value, this.#name, (entry) =>
      nameAnnotations.flatMap((key) => entry.annotations?.[key] ?? []),
    );
    return chosen.ok ? chosen : failed(localProblem(this.reference, "notFound", chosen.problem, nameRemedy));
  }

  #problem(kind: ImageProblem["kind"], cause: string): ImageProblem {
    return localProblem(this.reference, kind, cause, "Write the image again, e.g. with skopeo copy.");
  }
}

/** @internal of this room; the remedy of `chooseByName`. */
export const nameRemedy =
  "Name one of them behind a colon: oci:DIR:NAME, docker-archive:FILE:REFERENCE, or @N for the Nth.";

/** The image with the name, the `@N`th, or the only one. The problem lists the names there are. */
export function chooseByName<Image>(
  images: readonly Image[],
  name: string | undefined,
  namesOf: (image: Image) => readonly string[],
): Result<Image, string> {
  const index = name === undefined ? undefined : /^@(\d{1,6})$/.exec(name)?.[1];
  const fitting =
    name === undefined
      ? images
      : index === undefined
        ? images.filter((image) => namesOf(image).includes(name))
        : images.slice(Number(index), Number(index) + 1);
  const [first, second] = fitting;
  if (first !== undefined && second === undefined) return done(first);
  const names = images.flatMap(namesOf).slice(0, 20).join(", ");
  const held = `it holds ${counted(images.length, "image")}${names === "" ? "" : `: ${names}`}`;
  if (first === undefined)
    return failed(name === undefined ? "it holds no image" : `no image is named ${name}; ${held}`);
  return failed(name === undefined ? held : `several images are named ${name}; ${held}`);
}

function blobPath(digest: Digest): string {
  return digest.replace(":", "/").replace(/^/, "blobs/");
}
