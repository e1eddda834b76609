import { secrets, serviceAccounts } from "@purser/kubernetes/apis/resources";
import { isJsonObject, type JsonValue } from "@purser/kubernetes/json";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import type { PullSecret } from "../catalog/content.ts";
import type { ReadPullSecrets, SecretCredentials } from "../content/pull-secrets.ts";
import { pullSecretAuths } from "../image/configuration/pull-secret.ts";

export interface PullSecretOptions {
  readonly client: KubeClient;
  /** Used for every pull, after the Secrets that the request names. */
  readonly global?: PullSecret;
}

/**
 * Reads pull secrets from the cluster: those that a request names, then those of the ServiceAccount that this process runs as,
 * then the global one; for OLM v1 too, those of the ServiceAccount count more than the global one. The API server is asked for each pull: pulls are rare, and kept Secrets would be one more
 * place to lose them from.
 */
export function pullSecretReader({ client, global }: PullSecretOptions): ReadPullSecrets {
  let self: Promise<PullSecret | undefined> | undefined;

  async function read(key: PullSecret): Promise<SecretCredentials> {
    const name = `${key.namespace}/${key.name}`;
    try {
      const secret = await client.get(secrets, key);
      if (secret === undefined) return { auths: [], complaints: [`the pull secret ${name} does not exist`] };
      const parsed = pullSecretAuths(secret);
      const source = `pull secret ${name}`;
      return parsed.ok
        ? { auths: parsed.value.map((auth) => ({ ...auth, source })), complaints: [] }
        : { auths: [], complaints: [`the pull secret ${name} ${parsed.problem}`] };
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return { auths: [], complaints: [`the pull secret ${name} cannot be read: ${why}`] };
    }
  }

  async function ofOwnServiceAccount(signal: AbortSignal): Promise<readonly PullSecret[]> {
    self ??= ownServiceAccount(client, signal);
    try {
      const account = await self;
      if (account === undefined) return [];
      const { imagePullSecrets = [] } = (await client.get(serviceAccounts, account)) ?? {};
      return imagePullSecrets.flatMap(({ name = "" }) => (name === "" ? [] : [{ namespace: account.namespace, name }]));
    } catch {
      // Asked again at the next pull; without an answer the pull has the other credentials.
      self = undefined;
      return [];
    }
  }

  return async (named, signal) => {
    const { chosen, isAll } = firstSecrets(named);
    const wanted = [...chosen, ...(await ofOwnServiceAccount(signal)), ...(global === undefined ? [] : [global])];
    const found = await Promise.all(wanted.map(read));
    return {
      auths: found.flatMap(({ auths }) => auths),
      complaints: [
        ...found.flatMap(({ complaints }) => complaints),
        ...(isAll ? [] : [`only the first ${mostSecrets} pull secrets are read`]),
      ],
    };
  };
}

/** Whoever may create a CatalogSource decides how many Secrets it names, and each is read from the API server. */
const mostSecrets = 100;

/** The first so many different ones, and whether these are all. */
function firstSecrets(named: readonly PullSecret[]): {
  readonly chosen: readonly PullSecret[];
  readonly isAll: boolean;
} {
  const chosen = new Map<string, PullSecret>();
  for (const key of named) {
    const name = `${key.namespace}/${key.name}`;
    if (chosen.has(name)) continue;
    if (chosen.size === mostSecrets) return { chosen: [...chosen.values()], isAll: false };
    chosen.set(name, key);
  }
  return { chosen: [...chosen.values()], isAll: true };
}

/** The ServiceAccount that the client is, by what the API server says. */
async function ownServiceAccount(client: KubeClient, signal: AbortSignal): Promise<PullSecret | undefined> {
  const kind = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
  const answer = await client.requestJson(
    {
      method: "POST",
      path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
      body: { kind: "object", value: kind },
    },
    signal,
  );
  const username = member(member(member(answer, "status"), "userInfo"), "username");
  const [, namespace, name] =
    typeof username === "string" ? (/^system:serviceaccount:([^:]+):([^:]+)$/.exec(username) ?? []) : [];
  return namespace === undefined || name === undefined ? undefined : { namespace, name };
}

function member(value: JsonValue | undefined, key: string): JsonValue | undefined {
  return isJsonObject(value) ? value[key] : undefined;
}
