import { readFile, stat } from "node:fs/promises";
import type { Clock } from "../../clock.ts";
import type { JsonObject } from "../../json.ts";
import type { Bearer, ClusterAccess, PemSource } from "./cluster-access.ts";
import { runExecPlugin, type ExecCredential } from "./exec-credential.ts";

/** TLS parameters of a connection. Connections can be shared when the texts are equal. */
export interface TlsMaterial {
  readonly authorityPem?: string;
  readonly certificatePem?: string;
  readonly keyPem?: string;
}

export interface CurrentCredentials {
  readonly tls: TlsMaterial;
  /** Value of the `Authorization` header. */
  readonly authorization?: string;
}

export interface CredentialSource {
  current(): Promise<CurrentCredentials>;
  /**
   * The server refused the credentials.
   * @returns whether new ones may be available
   */
  refused(): boolean;
}

/**
 * The current certificates and tokens of `access`: files are read again when they have been replaced, exec plugins are
 * run again when their credentials have expired or were refused. Without a clock only refusal counts.
 */
export function credentialSource(
  access: ClusterAccess,
  env: Readonly<Record<string, string | undefined>>,
  clock: Clock | undefined,
): CredentialSource {
  const files = new Map<string, FileContent>();
  let given: Promise<ExecCredential> | undefined;

  async function content(path: string): Promise<string> {
    const { mtimeMs, ino, size } = await stat(path);
    const version = `${mtimeMs} ${ino} ${size}`;
    let held = files.get(path);
    if (held?.version !== version) {
      held = { version, text: await readFile(path, "utf8") };
      files.set(path, held);
    }
    return held.text;
  }

  const textOf = (source: PemSource | undefined): Promise<string | undefined> =>
    source === undefined
      ? Promise.resolve(undefined)
      : source.kind === "inline"
        ? Promise.resolve(source.pem)
        : content(source.path);

  async function fromPlugin(plugin: Extract<Bearer, { kind: "exec" }>["plugin"]): Promise<ExecCredential> {
    const held = await given?.catch(() => undefined);
    const ended = clock !== undefined && held?.expiresAt !== undefined && clock.now() >= held.expiresAt;
    if (held !== undefined && !ended) return held;
    const authorityPem = await textOf(access.authority);
    // Node leaves `isTTY` out where standard input is no terminal.
    given = runExecPlugin(plugin, clusterInfo(access, authorityPem), env, Boolean(process.stdin.isTTY));
    return given;
  }

  async function current(): Promise<CurrentCredentials> {
    const { bearer, clientCertificate } = access;
    const plugin = bearer?.kind === "exec" ? await fromPlugin(bearer.plugin) : undefined;
    const authorityPem = await textOf(access.authority);
    const certificatePem = plugin?.certificatePem ?? (await textOf(clientCertificate?.certificate));
    const keyPem = plugin?.keyPem ?? (await textOf(clientCertificate?.key));
    const authorization = await authorizationOf(bearer, plugin?.token, content);
    return {
      tls: {
        ...(authorityPem === undefined ? {} : { authorityPem }),
        ...(certificatePem === undefined ? {} : { certificatePem }),
        ...(keyPem === undefined ? {} : { keyPem }),
      },
      ...(authorization === undefined ? {} : { authorization }),
    };
  }

  return {
    current,
    refused() {
      given = undefined;
      files.clear();
      return access.bearer?.kind === "exec" || access.bearer?.kind === "file";
    },
  };
}

interface FileContent {
  readonly version: string;
  readonly text: string;
}

async function authorizationOf(
  bearer: Bearer | undefined,
  pluginToken: string | undefined,
  content: (path: string) => Promise<string>,
): Promise<string | undefined> {
  if (bearer === undefined) return undefined;
  switch (bearer.kind) {
    case "token":
      return `Bearer ${bearer.token}`;
    case "file":
      return `Bearer ${(await content(bearer.path)).trim()}`;
    case "provider":
      return `Bearer ${await bearer.token()}`;
    case "exec":
      return pluginToken === undefined ? undefined : `Bearer ${pluginToken}`;
    case "basic":
      return `Basic ${Buffer.from(`${bearer.username}:${bearer.password}`).toString("base64")}`;
  }
}

/** `spec.cluster` of an ExecCredential, for plugins with provideClusterInfo. */
function clusterInfo(access: ClusterAccess, authorityPem: string | undefined): JsonObject {
  return {
    server: access.server,
    ...(access.tlsServerName === undefined ? {} : { "tls-server-name": access.tlsServerName }),
    ...(access.insecureSkipTlsVerify === true ? { "insecure-skip-tls-verify": true } : {}),
    ...(access.proxyUrl === undefined ? {} : { "proxy-url": access.proxyUrl }),
    ...(authorityPem === undefined
      ? {}
      : { "certificate-authority-data": Buffer.from(authorityPem).toString("base64") }),
  };
}
