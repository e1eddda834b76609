import { type JsonObject, type JsonValue } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import type { RegistryAuth } from "../registry-auth.ts";

/** What a file or Secret with credentials holds. */
export interface AuthFile {
  readonly auths: readonly RegistryAuth[];
  /** Names of helper programs by registry. */
  readonly helpers: Readonly<Record<string, string>>;
  /** The helper for registries without one of their own. */
  readonly store?: string;
}

/**
 * Reads docker's config.json, containers' auth.json or `.dockerconfigjson`; with `isOldFormat` `.dockercfg`, whose entries
 * stand at the top. The problem is the second half of a sentence and repeats nothing of the content.
 */
export function parseAuthFile(text: string, isOldFormat: boolean): Result<AuthFile, string> {
  let content: JsonValue;
  try {
    content = JSON.parse(text) as JsonValue;
  } catch (error) {
    const line = /\(line (\d+) column/.exec(error instanceof Error ? error.message : "")?.[1];
    return failed(`is not valid JSON${line === undefined ? "" : ` (line ${line})`}`);
  }
  if (!isObject(content)) return failed("is not a JSON object");
  const { auths: entries = {}, credHelpers = {}, credsStore = "" } = isOldFormat ? { auths: content } : content;
  if (!isObject(entries)) return failed('has "auths" that are not an object');
  if (!isObject(credHelpers)) return failed('has "credHelpers" that are not an object');
  const auths: RegistryAuth[] = [];
  for (const [key, entry] of Object.entries(entries)) {
    const auth = parseEntry(key, entry);
    if (!auth.ok) return auth;
    if (auth.value !== undefined) auths.push(auth.value);
  }
  const helpers = Object.entries(credHelpers).flatMap(([key, name]) =>
    typeof name === "string" && name !== "" ? [[registryPath(key), name] as const] : [],
  );
  return done({
    auths,
    helpers: Object.fromEntries(helpers),
    ...(typeof credsStore === "string" && credsStore !== "" && { store: credsStore }),
  });
}

/** Undefined for an entry without credentials, as docker writes it for a registry whose credentials lie in a store. */
function parseEntry(key: string, entry: JsonValue | undefined): Result<RegistryAuth | undefined, string> {
  const broken = failed(`has an entry for ${JSON.stringify(key)} that is not valid`);
  if (!isObject(entry)) return broken;
  const { auth = "", username = "", password = "", identitytoken = "", registrytoken = "" } = entry;
  const texts = [auth, username, password, identitytoken, registrytoken];
  if (texts.some((text) => typeof text !== "string")) return broken;
  const decoded = Buffer.from(String(auth), "base64").toString();
  const colon = decoded.indexOf(":");
  if (auth !== "" && colon < 0) return broken;
  // Some versions of docker padded passwords with zeros.
  const [name, secret] =
    auth === ""
      ? [String(username), String(password)]
      : [decoded.slice(0, colon), decoded.slice(colon + 1).replace(/\0+$/, "")];
  if (name === "" && secret === "" && identitytoken === "" && registrytoken === "") return done(undefined);
  return done({
    path: registryPath(key),
    username: name,
    password: secret,
    ...(identitytoken !== "" && { identityToken: String(identitytoken) }),
    ...(registrytoken !== "" && { registryToken: String(registrytoken) }),
  });
}

/** The key of an entry as `host[:port][/path]`: docker wrote URLs of its API, and Docker Hub under another name. */
export function registryPath(key: string): string {
  const path = key
    .replace(/^https?:\/\//, "")
    .replace(/\/+$/, "")
    .replace(/\/v[12]$/, "");
  return path.replace(/^(index|registry-1)\.docker\.io(?=\/|$)/, "docker.io");
}

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
