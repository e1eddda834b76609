import type { Secret } from "@purser/kubernetes/apis/core";
import { keyOf, parseKey } from "@purser/kubernetes/apis/object";
import { secrets, serviceAccounts } from "@purser/kubernetes/apis/resources";
import { ownKey, type BuiltInController } from "../runtime.ts";

const tokenType = "kubernetes.io/service-account-token";
const nameAnnotation = "kubernetes.io/service-account.name";
const uidAnnotation = "kubernetes.io/service-account.uid";

export interface TokenSubject {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export interface TokenIssuer {
  /** Signs a token without expiry, bound to the Secret that holds it. */
  readonly issue: (subject: TokenSubject, secretName: string) => Promise<string>;
  /** PEM. */
  readonly rootAuthority: string;
}

/** Fills Secrets of type `kubernetes.io/service-account-token`; deletes them with their service account. */
export function tokenController({ issue, rootAuthority }: TokenIssuer): BuiltInController {
  let secretsOf: ((key: string) => readonly string[]) | undefined;
  return {
    name: "tokens-controller",
    watches: [
      { table: "secrets", keys: ({ key, after }) => ((after as Secret | undefined)?.type === tokenType ? [key] : []) },
      { table: "serviceaccounts", keys: (change) => ownKey(change).flatMap((key) => secretsOf?.(key) ?? []) },
    ],
    start: (_follow, _enqueue, pass) => {
      secretsOf = (key) => {
        const { namespace = "", name } = parseKey(key);
        return pass
          .list(secrets, namespace)
          .filter(({ type, metadata }) => type === tokenType && metadata.annotations?.[nameAnnotation] === name)
          .map(({ metadata }) => `${namespace}/${metadata.name ?? ""}`);
      };
    },
    reconcile: async (key, pass) => {
      const secret = pass.get(secrets, parseKey(key));
      if (secret?.type !== tokenType || secret.metadata.deletionTimestamp !== undefined) return undefined;
      const { namespace = "", name: secretName = "", annotations = {} } = secret.metadata;
      const name = annotations[nameAnnotation] ?? "";
      const account = pass.get(serviceAccounts, { namespace, name });
      const uid = account?.metadata.uid ?? "";
      const claimed = annotations[uidAnnotation] ?? "";
      if (account === undefined || (claimed !== "" && claimed !== uid)) {
        await pass.writer.remove(secrets, keyOf(secret), { uid: secret.metadata.uid ?? "" });
        return undefined;
      }
      const { data = {} } = secret;
      const wanted = { "ca.crt": toBase64(rootAuthority), namespace: toBase64(namespace) };
      const complete = claimed === uid && (data["token"] ?? "") !== "" && data["ca.crt"] === wanted["ca.crt"];
      if (complete && data["namespace"] === wanted.namespace) return undefined;
      const token = data["token"] ?? toBase64(await issue({ namespace, name, uid }, secretName));
      const metadata = { ...secret.metadata, annotations: { ...annotations, [uidAnnotation]: uid } };
      const filled: Secret = { ...secret, metadata, data: { ...data, ...wanted, token } };
      await pass.writer.replace(secrets, filled);
      return undefined;
    },
  };
}

function toBase64(text: string): string {
  return Buffer.from(text).toString("base64");
}
