import type { Readable } from "node:stream";
import type { Digest } from "@purser/kubernetes/digest";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { placeName, type PullPlace } from "../configuration/pull-place.ts";
import type { ImageProblem } from "../image-problem.ts";
import type { Descriptor, RawManifest } from "../image-source.ts";
import type { Answer } from "./answer.ts";
import { discard } from "./bounded-body.ts";
import { type ClientParts, RegistryClient, type RepositoryRequest } from "./registry-client.ts";
import { invalidAnswer, type RegistryFailure } from "./registry-failure.ts";
import { readManifest } from "./repository-content.ts";
import { sourceProblem } from "./source-problem.ts";

/** Writes blobs and manifests to one repository. */
export class RegistryWriter {
  readonly reference: string;
  readonly #name: string;
  readonly #parts: Omit<ClientParts, "actions">;
  readonly #client: RegistryClient;

  constructor(reference: string, place: PullPlace, parts: Omit<ClientParts, "actions">) {
    this.reference = reference;
    this.#name = placeName(place);
    this.#parts = parts;
    const { registry, repository } = place.reference;
    this.#client = new RegistryClient(
      { registry, repository, isInsecure: place.isInsecure },
      { ...parts, actions: "pull,push" },
    );
  }

  /** The manifest that a tag or digest names; undefined when there is none. */
  async manifest(wanted: string, signal: AbortSignal): Promise<Result<RawManifest | undefined, ImageProblem>> {
    const manifest = await readManifest(this.#client, wanted, this.#parts, signal);
    return manifest.ok ? manifest : this.#unless404(manifest.problem, undefined);
  }

  /** Whether the repository has the blob. */
  async hasBlob(digest: Digest, signal: AbortSignal): Promise<Result<boolean, ImageProblem>> {
    const found = await this.#send({ method: "HEAD", path: `blobs/${digest}` }, signal);
    return found.ok ? done(true) : this.#unless404(found.problem, false);
  }

  /**
   * Writes a blob in one piece, unless the repository has it or can take it from `mountFrom`, a repository of the same
   * registry. `open` gives its content from the beginning, once per try.
   */
  async putBlob(
    { digest, size }: Descriptor,
    open: () => Readable,
    signal: AbortSignal,
    mountFrom?: string,
  ): Promise<Result<"present" | "mounted" | "written", ImageProblem>> {
    const found = await this.hasBlob(digest, signal);
    if (!found.ok || found.value) return found.ok ? done("present") : found;
    const query =
      mountFrom === undefined ? "" : `?${new URLSearchParams({ mount: digest, from: mountFrom }).toString()}`;
    const scopes = mountFrom === undefined ? [] : [`repository:${mountFrom}:pull`];
    const begun = await this.#send(
      { method: "POST", path: `blobs/uploads/${query}`, headers: { "content-length": "0" }, scopes },
      signal,
    );
    if (!begun.ok) return failed(this.#problem(begun.problem));
    if (begun.value.status === 201) return done("mounted");
    const target = URL.parse(begun.value.header("location") ?? "", begun.value.url.href);
    if (target === null || (begun.value.url.protocol === "https:" && target.protocol === "http:"))
      return failed(
        this.#problem(invalidAnswer(`${begun.value.host} names no usable place for an upload`, begun.value.host)),
      );
    target.searchParams.set("digest", digest);
    const headers = { "content-type": "application/octet-stream", "content-length": String(size) };
    const written = await this.#send({ method: "PUT", path: target, headers, openBody: open }, signal);
    return written.ok ? done("written") : failed(this.#problem(written.problem));
  }

  /** Writes a manifest under a tag or its digest. */
  async putManifest(name: string, manifest: RawManifest, signal: AbortSignal): Promise<Result<void, ImageProblem>> {
    const headers = { "content-type": manifest.mediaType };
    const written = await this.#send(
      { method: "PUT", path: `manifests/${name}`, headers, body: manifest.bytes },
      signal,
    );
    if (!written.ok) return failed(this.#problem(written.problem));
    const digest = written.value.header("docker-content-digest");
    if (digest === undefined || digest === manifest.digest) return done(undefined);
    const { host } = written.value;
    return failed(this.#problem(invalidAnswer(`${host} stored manifest ${manifest.digest} as ${digest}`, host)));
  }

  #send(request: RepositoryRequest, signal: AbortSignal): Promise<Result<Answer, RegistryFailure>> {
    const read = async (answer: Answer): Promise<Result<Answer, RegistryFailure>> => {
      await discard(answer, this.#parts, signal);
      return done(answer);
    };
    return this.#client.send(request, read, signal);
  }

  #unless404<Value>(failure: RegistryFailure, missing: Value): Result<Value, ImageProblem> {
    return failure.httpStatus === 404 ? done(missing) : failed(this.#problem(failure));
  }

  #problem(failure: RegistryFailure): ImageProblem {
    return sourceProblem(this.reference, [{ name: this.#name, isMirror: false, failure }], "written");
  }
}
