import { done, failed, type Result } from "@purser/kubernetes/result";
import type { RegistryAuth } from "../registry-auth.ts";
import { parseAuthFile } from "./auth-file.ts";

/**
 * The credentials of a Secret of type `kubernetes.io/dockerconfigjson` or `kubernetes.io/dockercfg`. The problem is the
 * second half of a sentence that begins with the Secret, and repeats nothing of its content.
 */
export function pullSecretAuths(secret: {
  /** Base64, as the API has it. */
  readonly data?: Readonly<Record<string, string>>;
}): Result<readonly RegistryAuth[], string> {
  for (const [key, isOldFormat] of [
    [".dockerconfigjson", false],
    [".dockercfg", true],
  ] as const) {
    const payload = secret.data?.[key];
    if (payload === undefined) continue;
    const file = parseAuthFile(Buffer.from(payload, "base64").toString(), isOldFormat);
    return file.ok ? done(file.value.auths) : failed(`key ${key} ${file.problem}`);
  }
  return failed("has neither .dockerconfigjson nor .dockercfg");
}
