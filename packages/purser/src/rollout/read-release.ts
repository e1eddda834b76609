import { gunzipSync } from "node:zlib";
import type { Secret } from "@purser/kubernetes/apis/core";
import { secrets } from "@purser/kubernetes/apis/resources";
import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import type { ObjectReader } from "@purser/kubernetes/kube/object-reader";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { readDocuments } from "@purser/kubernetes/text/documents";
import { deployedRelease, maxReleaseChunks, recordedLabels, releaseSelector } from "./plan/helm-release.ts";

/** A Helm release of OLM v1. */
export interface HeldRelease {
  /** Of its manifest, in order. */
  readonly objects: readonly JsonObject[];
  /** What it records of the bundle, by label. */
  readonly labels: Readonly<Record<string, string>>;
}

/** Decompressed; a release holds the chart and the manifest, both with every object. */
const releaseLimit = 256 * 1024 * 1024;

/**
 * The release that OLM v1 deployed for an extension, from Secrets in `namespace`; undefined when there is none. The problem says
 * what is wrong with it.
 */
export async function readRelease(
  extension: string,
  namespace: string,
  reader: ObjectReader,
): Promise<Result<HeldRelease | undefined, string>> {
  const indexes = await reader.list(secrets, { namespace, labelSelector: releaseSelector(extension) });
  const index = deployedRelease(indexes);
  if (index === undefined) return done(undefined);
  const { name = "" } = index.metadata;
  const extra = namesIn(index.data?.["extraChunks"]);
  if (extra === undefined) return failed(`index secret "${name}" missing chunks data`);
  if (1 + extra.length > maxReleaseChunks)
    return failed(
      `release too large: "${name}" consists of ${1 + extra.length} chunks, which exceeds the maximum of ${maxReleaseChunks}`,
    );
  const chunks: (Secret | undefined)[] = [index];
  for (const chunk of extra) chunks.push(await reader.get(secrets, { namespace, name: chunk }));
  const missing = chunks.findIndex((chunk) => chunk?.data?.["chunk"] === undefined);
  if (missing >= 0) return failed(`chunk ${missing + 1} secret "${extra[missing - 1] ?? name}" missing chunk data`);
  const bytes = Buffer.concat(chunks.map((chunk) => Buffer.from(chunk?.data?.["chunk"] ?? "", "base64")));
  const release = parsed(bytes);
  if (!release.ok) return failed(`failed to decode release "${name}": ${release.problem}`);
  const manifest = member(release.value, "manifest");
  const documents = readDocuments(typeof manifest === "string" ? manifest : "");
  if (!documents.ok) return failed(`failed to decode release "${name}": ${documents.problem.message}`);
  const objects = documents.value.flatMap(({ value }) => (isJsonObject(value) ? [value] : []));
  return done({ objects, labels: recordedLabels(release.value) });
}

function namesIn(data: string | undefined): readonly string[] | undefined {
  try {
    const value = JSON.parse(Buffer.from(data ?? "", "base64").toString("utf8")) as JsonValue;
    return Array.isArray(value) && value.every((name) => typeof name === "string") ? (value as string[]) : undefined;
  } catch {
    return undefined;
  }
}

function parsed(bytes: Buffer): Result<JsonObject, string> {
  try {
    const value = JSON.parse(gunzipSync(bytes, { maxOutputLength: releaseLimit }).toString("utf8")) as JsonValue;
    return isJsonObject(value) ? done(value) : failed("not an object");
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error));
  }
}
