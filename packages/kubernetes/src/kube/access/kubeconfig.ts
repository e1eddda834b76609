import { existsSync, readFileSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { isJsonObject, member, type JsonObject, type JsonValue } from "../../json.ts";
import { formatPlace, type Place } from "../../place.ts";
import { done, failed, type Result } from "../../result.ts";
import { readYaml } from "../../text/documents.ts";
import type { Bearer, ClusterAccess, ExecPlugin, PemSource } from "./cluster-access.ts";
import { inClusterAccess } from "./in-cluster.ts";

export type { Bearer, ClusterAccess, ExecPlugin, PemSource } from "./cluster-access.ts";

export type KubeconfigProblem =
  | { readonly kind: "noConfiguration"; readonly looked: readonly string[] }
  | { readonly kind: "unreadable"; readonly file: string; readonly message: string }
  | { readonly kind: "malformed"; readonly place: Place; readonly message: string }
  | { readonly kind: "noCurrentContext"; readonly contexts: readonly string[] }
  | { readonly kind: "unknownContext"; readonly context: string; readonly contexts: readonly string[] }
  | { readonly kind: "unknownCluster"; readonly context: string; readonly cluster: string }
  | { readonly kind: "unknownUser"; readonly context: string; readonly user: string }
  | { readonly kind: "unsupported"; readonly what: string };

export interface KubeconfigOptions {
  /** Use only this file; it is a problem when it does not exist. */
  readonly path?: string;
  /** `KUBECONFIG`, `HOME`, `KUBERNETES_SERVICE_HOST` and `_PORT` are read. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Context to use instead of the current one. */
  readonly context?: string;
  /** Names in the kubeconfig that replace those of the context. */
  readonly cluster?: string;
  readonly user?: string;
}

/**
 * Loads the cluster address and credentials. With `path` only that file is used; else the files of `KUBECONFIG`, merged
 * like kubectl does (the first entry of a name is used; missing files are ignored); else `~/.kube/config`; else the
 * service account of the pod. Referenced files are read when a connection is made.
 */
export function loadKubeconfig(options: KubeconfigOptions): Result<ClusterAccess, KubeconfigProblem> {
  const { path, env } = options;
  const home = env["HOME"] ?? env["USERPROFILE"];
  const listed = (env["KUBECONFIG"] ?? "").split(delimiter).filter((file) => file !== "");
  const usual = home === undefined ? [] : [join(home, ".kube", "config")];
  const candidates = path !== undefined ? [path] : listed.length > 0 ? listed : usual;
  const files = path !== undefined ? candidates : candidates.filter((file) => existsSync(file));
  if (files.length === 0) {
    const inside = listed.length > 0 ? undefined : inClusterAccess(env);
    return inside === undefined ? failed({ kind: "noConfiguration", looked: candidates }) : done(inside);
  }
  const configs: LoadedConfig[] = [];
  for (const file of files) {
    const loaded = readConfig(file);
    if (!loaded.ok) return loaded;
    configs.push(loaded.value);
  }
  return accessOf(configs, options);
}

/**
 * Parses the text of a kubeconfig; relative paths are resolved against `directory`.
 * @testOnly the product reads files
 */
export function parseKubeconfig(
  text: string,
  options: { readonly file?: string; readonly directory: string; readonly context?: string },
): Result<ClusterAccess, KubeconfigProblem> {
  const parsed = parseConfig(text, options.file ?? "kubeconfig", options.directory);
  return parsed.ok ? accessOf([parsed.value], options) : parsed;
}

/** One sentence that describes the problem for a user. */
export function describeKubeconfigProblem(problem: KubeconfigProblem): string {
  switch (problem.kind) {
    case "noConfiguration":
      return `No kubeconfig found, looked for ${problem.looked.join(", ") || "none"}`;
    case "unreadable":
      return `Cannot read the kubeconfig "${problem.file}": ${problem.message}`;
    case "malformed":
      return `${formatPlace(problem.place)}: ${problem.message}`;
    case "noCurrentContext":
      return `The kubeconfig names no current context, choose one of ${quoted(problem.contexts)}`;
    case "unknownContext":
      return `The kubeconfig has no context "${problem.context}", only ${quoted(problem.contexts)}`;
    case "unknownCluster":
      return `The context "${problem.context}" names the cluster "${problem.cluster}", which the kubeconfig lacks`;
    case "unknownUser":
      return `The context "${problem.context}" names the user "${problem.user}", which the kubeconfig lacks`;
    case "unsupported":
      return `The kubeconfig asks for ${problem.what}, which is not supported`;
  }
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(", ") || "none";
}

interface LoadedConfig {
  readonly directory: string;
  readonly file: string;
  readonly content: JsonObject;
}

function readConfig(file: string): Result<LoadedConfig, KubeconfigProblem> {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return failed({ kind: "unreadable", file, message });
  }
  return parseConfig(text, file, dirname(resolve(file)));
}

function parseConfig(text: string, file: string, directory: string): Result<LoadedConfig, KubeconfigProblem> {
  const parsed = readYaml(text, file);
  if (!parsed.ok) return failed({ kind: "malformed", place: parsed.problem.place, message: parsed.problem.message });
  const content = parsed.value ?? {};
  if (!isJsonObject(content)) return failed({ kind: "malformed", place: { file }, message: "not a kubeconfig" });
  return done({ directory, file, content });
}

/** An entry of a named list with the directory for its relative paths. */
interface Entry {
  readonly directory: string;
  readonly value: JsonObject;
}

function accessOf(
  configs: readonly LoadedConfig[],
  {
    context: wanted,
    cluster: wantedCluster,
    user: wantedUser,
  }: Pick<KubeconfigOptions, "context" | "cluster" | "user">,
): Result<ClusterAccess, KubeconfigProblem> {
  const contexts = entriesOf(configs, "contexts", "context");
  const current = configs.map(({ content }) => text(content, "current-context")).find((name) => name !== undefined);
  const name = wanted ?? current;
  if (name === undefined) return failed({ kind: "noCurrentContext", contexts: [...contexts.keys()] });
  const context = contexts.get(name)?.value;
  if (context === undefined) return failed({ kind: "unknownContext", context: name, contexts: [...contexts.keys()] });
  const clusterName = wantedCluster ?? text(context, "cluster") ?? "";
  const cluster = entriesOf(configs, "clusters", "cluster").get(clusterName);
  const server = cluster === undefined ? undefined : text(cluster.value, "server");
  if (cluster === undefined || server === undefined)
    return failed({ kind: "unknownCluster", context: name, cluster: clusterName });
  const userName = wantedUser ?? text(context, "user") ?? "";
  const user = userName === "" ? { directory: "", value: {} } : entriesOf(configs, "users", "user").get(userName);
  if (user === undefined) return failed({ kind: "unknownUser", context: name, user: userName });
  if (member(user.value, "auth-provider") !== undefined)
    return failed({ kind: "unsupported", what: `the auth-provider of the user "${userName}"` });

  const authority = pem(cluster, "certificate-authority");
  const certificate = pem(user, "client-certificate");
  const key = pem(user, "client-key");
  const bearer = bearerOf(user);
  const tlsServerName = text(cluster.value, "tls-server-name");
  const proxyUrl = text(cluster.value, "proxy-url");
  if (proxyUrl !== undefined && !/^https?:/.test(proxyUrl))
    return failed({ kind: "unsupported", what: `the proxy "${proxyUrl}"` });
  const namespace = text(context, "namespace");
  const impersonated = text(user.value, "as");
  const extensions = extensionsOf(cluster);
  return done({
    server: server.replace(/\/+$/, ""),
    context: name,
    ...(authority === undefined ? {} : { authority }),
    ...(member(cluster.value, "insecure-skip-tls-verify") === true ? { insecureSkipTlsVerify: true } : {}),
    ...(tlsServerName === undefined ? {} : { tlsServerName }),
    ...(proxyUrl === undefined ? {} : { proxyUrl }),
    ...(certificate === undefined || key === undefined ? {} : { clientCertificate: { certificate, key } }),
    ...(bearer === undefined ? {} : { bearer }),
    ...(impersonated === undefined ? {} : { impersonate: impersonationOf(impersonated, user.value) }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(Object.keys(extensions).length === 0 ? {} : { extensions }),
  });
}

function extensionsOf({ value }: Entry): Readonly<Record<string, JsonObject>> {
  const named = arrayOf(member(value, "extensions")).flatMap((item) => {
    const [name, extension] = isJsonObject(item) ? [text(item, "name"), member(item, "extension")] : [];
    return name === undefined || !isJsonObject(extension) ? [] : [[name, extension] as const];
  });
  return Object.fromEntries(named);
}

/** The entries of one list over all files by name; the first of a name is used. */
function entriesOf(configs: readonly LoadedConfig[], list: string, inner: string): ReadonlyMap<string, Entry> {
  const entries = new Map<string, Entry>();
  for (const { content, directory } of configs) {
    for (const item of arrayOf(member(content, list))) {
      if (!isJsonObject(item)) continue;
      const name = text(item, "name");
      const value = member(item, inner);
      if (name !== undefined && isJsonObject(value) && !entries.has(name)) entries.set(name, { directory, value });
    }
  }
  return entries;
}

/** Inline data takes precedence over a file, as in client-go. */
function pem({ directory, value }: Entry, name: string): PemSource | undefined {
  const data = text(value, `${name}-data`);
  if (data !== undefined) return { kind: "inline", pem: Buffer.from(data, "base64").toString("utf8") };
  const path = text(value, name);
  return path === undefined ? undefined : { kind: "file", path: resolve(directory, path) };
}

function bearerOf({ directory, value }: Entry): Bearer | undefined {
  // A file takes precedence over a token, because its content is refreshed.
  const path = text(value, "tokenFile");
  if (path !== undefined) return { kind: "file", path: resolve(directory, path) };
  const token = text(value, "token");
  if (token !== undefined) return { kind: "token", token };
  const exec = member(value, "exec");
  if (isJsonObject(exec)) return { kind: "exec", plugin: execPlugin(exec, directory) };
  const username = text(value, "username");
  if (username !== undefined) return { kind: "basic", username, password: text(value, "password") ?? "" };
  return undefined;
}

function execPlugin(exec: JsonObject, directory: string): ExecPlugin {
  const command = text(exec, "command") ?? "";
  const mode = text(exec, "interactiveMode");
  const installHint = text(exec, "installHint");
  const env = arrayOf(member(exec, "env")).flatMap((item) => {
    const name = isJsonObject(item) ? text(item, "name") : undefined;
    return isJsonObject(item) && name !== undefined ? [[name, text(item, "value") ?? ""] as const] : [];
  });
  return {
    // A bare name is looked up on the PATH; a relative path is resolved against the file's directory.
    command: command.includes("/") ? resolve(directory, command) : command,
    args: arrayOf(member(exec, "args")).filter((item) => typeof item === "string"),
    env: Object.fromEntries(env),
    apiVersion: text(exec, "apiVersion") ?? "client.authentication.k8s.io/v1",
    provideClusterInfo: member(exec, "provideClusterInfo") === true,
    interactiveMode: mode === "Never" || mode === "Always" ? mode : "IfAvailable",
    ...(installHint === undefined ? {} : { installHint }),
  };
}

function impersonationOf(name: string, user: JsonObject): NonNullable<ClusterAccess["impersonate"]> {
  const uid = text(user, "as-uid");
  const extra = member(user, "as-user-extra");
  const values = isJsonObject(extra) ? Object.entries(extra) : [];
  return {
    name,
    ...(uid === undefined ? {} : { uid }),
    groups: arrayOf(member(user, "as-groups")).filter((item) => typeof item === "string"),
    extra: Object.fromEntries(
      values.map(([key, held]) => [key, arrayOf(held).filter((item) => typeof item === "string")]),
    ),
  };
}

function arrayOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}

function text(object: JsonObject, name: string): string | undefined {
  const value = member(object, name);
  return typeof value === "string" && value !== "" ? value : undefined;
}
