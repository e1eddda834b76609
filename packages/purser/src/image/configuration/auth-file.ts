import { withoutEnding } from "@purser/kubernetes/without-ending";
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
  const fields = isObject(entry) ? textsOf(entry) : undefined;
  if (fields === undefined) return failed(`has an entry for ${JSON.stringify(key)} that is not valid`);
  const { auth, username, password, identitytoken, registrytoken } = fields;
  const decoded = Buffer.from(auth, "base64").toString();
  const colon = decoded.indexOf(":");
  if (auth !== "" && colon < 0) return failed(`has an entry for ${JSON.stringify(key)} that is not valid`);
  // Some versions of docker padded passwords with zeros.
  const [name, secret] =
    auth === "" ? [username, password] : [decoded.slice(0, colon), withoutEnding(decoded.slice(colon + 1), "\0")];
  if (name === "" && secret === "" && identitytoken === "" && registrytoken === "") return done(undefined);
  return done({
    path: registryPath(key),
    username: name,
    password: secret,
    ...(identitytoken !== "" && { identityToken: identitytoken }),
    ...(registrytoken !== "" && { registryToken: registrytoken }),
  });
}

const fieldNames = ["auth", "username", "password", "identitytoken", "registrytoken"] as const;
type Fields = Readonly<Record<(typeof fieldNames)[number], string>>;

/** The fields of an entry, "" for those that are missing; undefined when one is no text. */
function textsOf(entry: JsonObject): Fields | undefined {
  const fields = fieldNames.map((name) => [name, entry[name] ?? ""] as const);
  return fields.every(([, value]) => typeof value === "string") ? (Object.fromEntries(fields) as Fields) : undefined;
}

/** The key of an entry as `host[:port][/path]`: docker wrote URLs of its API, and Docker Hub under another name. */
function registryPath(key: string): string {
  const path = withoutEnding(key.replace(/^https?:\/\//, ""), "/").replace(/\/v[12]$/, "");
  return path.replace(/^(index|registry-1)\.docker\.io(?=\/|$)/, "docker.io");
}

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
