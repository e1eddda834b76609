import { createHash } from "node:crypto";
import { type FileHandle, mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { message, text } from "../../catalog-store/registry/message-writer.ts";
import { type CapturedMessage, captureHead } from "../../catalog-store/registry/registry-capture.ts";
import type { ServedBundle, ServedChannel } from "../../catalog/served/served-content.ts";
import { packageOfBundle, readServedBundle, readServedPackage } from "../../catalog-store/registry/served-messages.ts";
import { RegistryCallError, type RegistryConnection } from "./registry-connection.ts";

/** What a registry serves, in a file for the index builder. */
export interface RegistryCapture {
  readonly file: string;
  /** Equal for equal content, whatever the order of its messages. */
  readonly mark: string;
}

export interface CaptureLimits {
  /** Of all messages together. */
  readonly totalBytes: number;
}

let captures = 0;

/**
 * Writes everything that a registry serves into a file below `directory`, one message in memory at a time. The caller
 * removes the file. Rejects with `RegistryCallError` when the registry fails or exceeds the limits.
 */
export async function captureRegistry(
  connection: RegistryConnection,
  directory: string,
  { totalBytes }: CaptureLimits,
  signal: AbortSignal,
): Promise<RegistryCapture> {
  await mkdir(directory, { recursive: true });
  // The name makes the collector of indexes remove what a process that died has left.
  const file = join(directory, `.building-${process.pid}-registry-${captures++}`);
  const out = await open(file, "w");
  try {
    const writer = new CaptureWriter(out, totalBytes);
    const packages = new Map<string, boolean>();
    for await (const bytes of connection.list("/api.Registry/ListBundles", signal)) {
      const name = packageOf(bytes);
      let isServed = packages.get(name);
      if (isServed === undefined) {
        const found = await packageNamed(connection, name, signal);
        isServed = found !== undefined;
        packages.set(name, isServed);
        if (found !== undefined) {
          await writer.add({ kind: "package", bytes: found });
          for (const bytes of await headsOf(connection, name, found, signal)) await writer.add({ kind: "head", bytes });
        }
      }
      if (isServed) await writer.add({ kind: "bundle", bytes });
    }
    return { file, mark: writer.mark() };
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  } finally {
    await out.close();
  }
}

function packageOf(bytes: Uint8Array): string {
  try {
    return packageOfBundle(bytes);
  } catch {
    throw new RegistryCallError("sends bundles that are not messages of the registry API", "answer");
  }
}

/** Undefined when the registry does not serve the package; OLM leaves out its bundles as well. */
function packageNamed(
  connection: RegistryConnection,
  name: string,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  return answered(connection, "/api.Registry/GetPackage", message(text(1, name)), signal);
}

/** Undefined when the registry refuses the request; rejects when it does not answer. */
async function answered(
  connection: RegistryConnection,
  path: string,
  request: Uint8Array,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  try {
    return await connection.call(path, request, signal);
  } catch (error) {
    if (error instanceof RegistryCallError && error.isAnswer) return undefined;
    throw error;
  }
}

/**
 * What PackageManifests show of the images at the heads of a package's channels: lists have no ClusterServiceVersion of
 * an image. A head that the registry does not serve is left out, as by OLM's package server.
 */
async function headsOf(
  connection: RegistryConnection,
  packageName: string,
  found: Uint8Array,
  signal: AbortSignal,
): Promise<readonly Uint8Array[]> {
  const heads = new Map<string, Uint8Array>();
  for (const { name: channel } of channelsIn(found)) {
    const asked = message(text(1, packageName), text(2, channel));
    const bytes = await answered(connection, "/api.Registry/GetBundleForChannel", asked, signal);
    const head = bytes === undefined ? undefined : bundleIn(bytes);
    if (head === undefined || head.image === "" || head.csvJson === "") continue;
    heads.set(head.name, message(text(1, head.name), text(2, packageName), text(4, head.csvJson)));
  }
  return [...heads.values()];
}

/** None in a message that cannot be read: the index builder refuses it. */
function channelsIn(bytes: Uint8Array): readonly ServedChannel[] {
  try {
    return readServedPackage(bytes).channels;
  } catch {
    return [];
  }
}

function bundleIn(bytes: Uint8Array): ServedBundle | undefined {
  try {
    return readServedBundle(bytes);
  } catch {
    return undefined;
  }
}

class CaptureWriter {
  readonly #out: FileHandle;
  readonly #limit: number;
  readonly #digests: string[] = [];
  #size = 0;

  constructor(out: FileHandle, limit: number) {
    this.#out = out;
    this.#limit = limit;
  }

  async add(captured: CapturedMessage): Promise<void> {
    const { kind, bytes } = captured;
    this.#size += bytes.length;
    if (this.#size > this.#limit)
      throw new RegistryCallError(`serves more than ${this.#limit / 2 ** 20} MiB`, "answer");
    this.#digests.push(createHash("sha256").update(kind).update(bytes).digest("base64"));
    await this.#out.writeFile(Buffer.concat([captureHead(captured), bytes]));
  }

  mark(): string {
    const all = createHash("sha256");
    for (const digest of this.#digests.sort()) all.update(digest);
    return all.digest("hex");
  }
}
