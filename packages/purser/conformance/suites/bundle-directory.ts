import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { BundleFile, BundleFiles } from "../../src/bundle/bundle-files.ts";
import { digestOf } from "@purser/kubernetes/digest";
import { digitsOf, isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { canonicalJson } from "@purser/kubernetes/text/documents";
import type { SuiteData } from "../suite.ts";

const noDigest = digestOf("");

/** A bundle's files as a case gives them: path to text, or to an object whose JSON is the content. */
export function filesOf(files: JsonObject): BundleFiles {
  const encoder = new TextEncoder();
  const read = Object.keys(files).map((path): BundleFile => {
    const content = member(files, path) ?? "";
    return { path, bytes: encoder.encode(typeof content === "string" ? content : spacedJson(content)) };
  });
  return { digest: noDigest, files: read };
}

/** With a blank after `:` and `,`, as the generator of the cases writes files; minus zero stays what it is. */
function spacedJson(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map((item: JsonValue) => spacedJson(item)).join(", ")}]`;
  if (!isJsonObject(value) || digitsOf(value) !== undefined)
    return Object.is(value, -0) ? "-0.0" : JSON.stringify(value);
  const members = Object.keys(value).map((key) => `${JSON.stringify(key)}: ${spacedJson(member(value, key) ?? null)}`);
  return `{${members.join(", ")}}`;
}

/** A bundle directory of the data directory; undefined when it is absent. */
export function bundleAt(data: SuiteData, path: string): BundleFiles | undefined {
  const root = data.bundle(path);
  if (root === undefined) return undefined;
  const files = readdirSync(root, { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => /^(manifests|metadata)\//.test(name) && statSync(join(root, name)).isFile())
    .map((name): BundleFile => ({ path: name, bytes: new Uint8Array(readFileSync(join(root, name))) }));
  return { digest: noDigest, files };
}

/** Hex SHA-256 of a text. */
export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Hex SHA-256 of canonical JSON. */
export function contentHash(value: JsonValue): string {
  return sha256(canonicalJson(value));
}

export function textAt(object: JsonObject, name: string): string {
  const value = member(object, name);
  return typeof value === "string" ? value : "";
}

export function objectAt(object: JsonObject, name: string): JsonObject {
  const value = member(object, name);
  return isJsonObject(value) ? value : {};
}

export function listAt(object: JsonObject, name: string): readonly JsonValue[] {
  const value = member(object, name);
  return Array.isArray(value) ? value : [];
}
