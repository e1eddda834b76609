import { spawn } from "node:child_process";
import { isJsonObject, member, type JsonObject, type JsonValue } from "../../json.ts";
import type { ExecPlugin } from "./cluster-access.ts";

/** Output of an exec plugin; times are wall time in ms. */
export interface ExecCredential {
  readonly token?: string;
  readonly certificatePem?: string;
  readonly keyPem?: string;
  readonly expiresAt?: number;
}

/** The plugin could not be run, failed, or had invalid output. */
class ExecPluginError extends Error {
  override readonly name = "ExecPluginError";
}

/**
 * Runs a credential plugin (`client.authentication.k8s.io`) once. It inherits standard error, so that a user sees its
 * prompts, and standard input when it may be interactive and there is a terminal. No timeout, as in client-go: it may
 * wait for a login.
 */
export async function runExecPlugin(
  plugin: ExecPlugin,
  cluster: JsonObject | undefined,
  env: Readonly<Record<string, string | undefined>>,
  hasTerminal: boolean,
): Promise<ExecCredential> {
  const interactive = plugin.interactiveMode !== "Never" && hasTerminal;
  if (plugin.interactiveMode === "Always" && !interactive)
    throw new ExecPluginError(`The credential plugin "${plugin.command}" needs a terminal`);
  const info: JsonObject = {
    kind: "ExecCredential",
    apiVersion: plugin.apiVersion,
    spec: { interactive, ...(plugin.provideClusterInfo && cluster !== undefined ? { cluster } : {}) },
  };
  const child = spawn(plugin.command, [...plugin.args], {
    env: { ...env, ...plugin.env, KUBERNETES_EXEC_INFO: JSON.stringify(info) },
    stdio: [interactive ? "inherit" : "ignore", "pipe", "inherit"],
  });
  const chunks: Buffer[] = [];
  child.stdout?.on("data", (chunk: Buffer) => chunks.push(chunk));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on("error", (cause: NodeJS.ErrnoException) => {
      const hint = cause.code === "ENOENT" && plugin.installHint !== undefined ? `. ${plugin.installHint}` : "";
      reject(new ExecPluginError(`Cannot run the credential plugin "${plugin.command}"${hint}`, { cause }));
    });
    child.on("close", resolve);
  });
  if (code !== 0) throw new ExecPluginError(`The credential plugin "${plugin.command}" ended with code ${code}`);
  return credentialIn(Buffer.concat(chunks).toString("utf8"), plugin);
}

function credentialIn(text: string, plugin: ExecPlugin): ExecCredential {
  let answer: JsonValue;
  try {
    answer = JSON.parse(text) as JsonValue;
  } catch (cause) {
    throw new ExecPluginError(`The credential plugin "${plugin.command}" printed no JSON`, { cause });
  }
  const status = isJsonObject(answer) ? member(answer, "status") : undefined;
  const word = (name: string): string | undefined => {
    const value = isJsonObject(status) ? member(status, name) : undefined;
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const token = word("token");
  const certificatePem = word("clientCertificateData");
  const keyPem = word("clientKeyData");
  const expires = Date.parse(word("expirationTimestamp") ?? "");
  if (token === undefined && (certificatePem === undefined || keyPem === undefined))
    throw new ExecPluginError(`The credential plugin "${plugin.command}" gave neither token nor certificate`);
  return {
    ...(token === undefined ? {} : { token }),
    ...(certificatePem === undefined ? {} : { certificatePem }),
    ...(keyPem === undefined ? {} : { keyPem }),
    ...(Number.isNaN(expires) ? {} : { expiresAt: expires }),
  };
}
