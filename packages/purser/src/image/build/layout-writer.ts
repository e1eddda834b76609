import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, open, readFile, rename, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Digest, isDigest } from "@purser/kubernetes/digest";
import { isJsonObject, type JsonObject, type JsonValue, member, plainJson } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { replacedFile } from "@purser/kubernetes/system/atomic-file";
import type { ImageProblem } from "../image-problem.ts";
import type { BuiltImage } from "./built-image.ts";
import { writeArchive } from "./archive-writer.ts";
import type { ImageTarget } from "./image-target.ts";
import type { ImageBlob } from "./layer.ts";

const nameAnnotation = "org.opencontainers.image.ref.name";

/**
 * An OCI image layout in the directory `path`, which is made when it does not exist. Images that are there stay; one with the same
 * name is replaced in `index.json`, its blobs stay. A directory that holds something else is refused.
 */
export function layoutTarget(path: string, reference: string): ImageTarget {
  return {
    get: (name) =>
      reported(reference, path, async () => {
        const index = await readIndex(path);
        if (!index.ok) return failed(problemOf(reference, index.problem));
        const entry = entriesOf(index.value).find((one) => isJsonObject(one) && nameOf(one) === name);
        const digest = entry !== undefined && isJsonObject(entry) ? member(entry, "digest") : undefined;
        if (typeof digest !== "string" || !isDigest(digest)) return done(undefined);
        const bytes = await readFile(blobPath(path, digest));
        return done({ digest, mediaType: "application/vnd.oci.image.manifest.v1+json", bytes });
      }),
    put: (image, name, { signal, onProgress }) =>
      reported(reference, path, async () => {
        const index = await readIndex(path);
        if (!index.ok) return failed(problemOf(reference, index.problem));
        let written = 0;
        for (const blob of [...image.blobs, ...(image.platforms ?? []), image.manifest]) {
          signal.throwIfAborted();
          await writeBlob(path, blob);
          onProgress?.((written += blob.bytes.length));
        }
        await writeDurably(join(path, "oci-layout"), '{"imageLayoutVersion":"1.0.0"}');
        // Another process may have added an image meanwhile.
        const latest = await readIndex(path);
        if (!latest.ok) return failed(problemOf(reference, latest.problem));
        await writeDurably(join(path, "index.json"), JSON.stringify(withImage(latest.value, image, name)));
        return done(undefined);
      }),
    finish: () => Promise.resolve(done(undefined)),
    close: () => Promise.resolve(),
  };
}

/** A file that holds a layout with the images put, as `oci-archive:` of container tools; an existing file is replaced, a pipe or device written to. */
export function archiveTarget(path: string, reference: string): ImageTarget {
  let directory: string | undefined;
  return {
    get: () => Promise.resolve(done(undefined)),
    put: async (image, name, options) => {
      const made = await reported(reference, path, async () => {
        await mkdir(dirname(path), { recursive: true });
        const target = replacedFile(path);
        const scratch =
          target === undefined ? join(tmpdir(), "purser-archive-") : `${dirname(target)}/.purser-archive-`;
        return done((directory ??= await mkdtemp(scratch)));
      });
      return made.ok ? layoutTarget(made.value, reference).put(image, name, options) : made;
    },
    finish: (signal) =>
      reported(reference, path, async () => {
        if (directory === undefined) return done(undefined);
        const target = replacedFile(path);
        const draft = `${directory}.tar`;
        try {
          await writeArchive(directory, target === undefined ? path : draft, signal);
          if (target !== undefined) await rename(draft, target);
        } finally {
          await rm(draft, { force: true });
        }
        return done(undefined);
      }),
    close: async () => {
      if (directory !== undefined) await rm(directory, { recursive: true, force: true });
      directory = undefined;
    },
  };
}

/** The index of a layout with one more image: nameless or named, it replaces its namesake and comes last. */
function withImage(index: JsonObject, { manifest }: BuiltImage, name: string): JsonObject {
  const others = entriesOf(index).filter((entry) => !isJsonObject(entry) || nameOf(entry) !== name);
  const own = plainJson({
    ...manifest.descriptor,
    ...(name === "" ? {} : { annotations: { [nameAnnotation]: name } }),
  });
  return { ...index, manifests: [...others, own] };
}

function entriesOf(index: JsonObject): readonly JsonValue[] {
  const listed = member(index, "manifests");
  return Array.isArray(listed) ? (listed as readonly JsonValue[]) : [];
}

function nameOf(entry: JsonObject): string {
  const annotations = member(entry, "annotations");
  const name = isJsonObject(annotations) ? member(annotations, nameAnnotation) : undefined;
  return typeof name === "string" ? name : "";
}

const emptyIndex: JsonObject = {
  schemaVersion: 2,
  mediaType: "application/vnd.oci.image.index.v1+json",
  manifests: [],
};
const largestIndex = 4 * 2 ** 20;

/** The problem says why the directory is no layout. */
async function readIndex(path: string): Promise<Result<JsonObject, string>> {
  const file = join(path, "index.json");
  const known = await stat(file).catch(absent);
  if (known === undefined) {
    const directory = await stat(path).catch(absent);
    if (directory !== undefined && !directory.isDirectory()) return failed(`${path} is not a directory`);
    return done(emptyIndex);
  }
  if (known.size > largestIndex) return failed(`${file} has ${known.size} bytes, more than ${largestIndex}`);
  try {
    const value = JSON.parse(await readFile(file, "utf8")) as JsonValue;
    if (isJsonObject(value) && Array.isArray(member(value, "manifests") ?? [])) return done(value);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return failed(`${file} is not the index of an OCI layout`);
}

async function writeBlob(path: string, { descriptor, bytes }: ImageBlob): Promise<void> {
  const target = blobPath(path, descriptor.digest);
  const known = await stat(target).catch(absent);
  if (known?.isFile() === true && known.size === bytes.length) return;
  await writeDurably(target, bytes);
}

const blobPath = (path: string, digest: Digest): string => join(path, "blobs", ...digest.split(":"));

/** Replaces the whole file or leaves the old one, also when the machine fails. */
async function writeDurably(path: string, content: Uint8Array | string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const draft = join(dirname(path), `.${randomBytes(6).toString("hex")}`);
  try {
    const file = await open(draft, "wx", 0o644);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT" && error.code !== "ENOTDIR") throw error;
}

const problemOf = (reference: string, cause: string): ImageProblem => ({
  kind: "machine",
  reference,
  cause: `cannot write to ${reference}: ${cause}`,
  remedy: "name a new directory, or one that holds an OCI layout",
});

/** Errors of the file system as problems; everything else, an abort included, is thrown. */
async function reported<Value>(
  reference: string,
  path: string,
  work: () => Promise<Result<Value, ImageProblem>>,
): Promise<Result<Value, ImageProblem>> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error && "syscall" in error)) throw error;
    const cause = `cannot write to ${reference}: ${error.message}`;
    const isFull = "code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT");
    const repair = isFull ? `free space on the disk of ${path}` : `make ${path} writable`;
    return failed({ kind: "machine", reference, cause, remedy: `${repair}, or name another path` });
  }
}
