import { asJson, parseKey } from "@purser/kubernetes/apis/object";
import { configMaps, namespaces, serviceAccounts } from "@purser/kubernetes/apis/resources";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import { objectIn } from "../../kinds/decoding/json-parts.ts";
import { defaultServiceAccount, rootAuthorityConfigMap } from "../../kinds/namespace-kind.ts";
import type { StoredChange } from "../../storage/storage.ts";
import { ownKey, type BuiltInController, type Pass } from "../runtime.ts";
import { RefusedError, type Refusal } from "../writer.ts";

/** Maps changes of objects with this name to the key of their namespace. */
function namespaceWhen(name: string): (change: StoredChange) => readonly string[] {
  return ({ key }) => {
    const parsed = parseKey(key);
    return parsed.name === name && parsed.namespace !== undefined ? [parsed.namespace] : [];
  };
}

function isActive(pass: Pass, name: string): boolean {
  const namespace = pass.get(namespaces, { name });
  return namespace !== undefined && namespace.metadata.deletionTimestamp === undefined;
}

function mustExist(what: string, refusal: Refusal): void {
  if (refusal.code === 404 || refusal.reason === "AlreadyExists" || refusal.message.includes("being terminated"))
    return;
  throw new RefusedError(`create ${what}`, refusal.code, refusal.message);
}

/** Ensures the service account `default` in every active namespace. */
export const serviceAccountController: BuiltInController = {
  name: "service-account-controller",
  watches: [
    { table: "namespaces", keys: ownKey },
    { table: "serviceaccounts", keys: namespaceWhen("default") },
  ],
  reconcile: async (name, pass) => {
    if (!isActive(pass, name) || pass.get(serviceAccounts, { namespace: name, name: "default" }) !== undefined)
      return undefined;
    const created = await pass.writer.tryCreate(serviceAccounts, defaultServiceAccount(name), name);
    if (!created.ok) mustExist("service account", created.problem);
    return undefined;
  },
};

/** Ensures `kube-root-ca.crt` with the server's certificate authority in every active namespace. */
export function rootAuthorityPublisher(rootAuthority: string): BuiltInController {
  return {
    name: "root-ca-cert-publisher",
    watches: [
      { table: "namespaces", keys: ownKey },
      { table: "configmaps", keys: namespaceWhen("kube-root-ca.crt") },
    ],
    reconcile: async (name, pass) => {
      if (!isActive(pass, name)) return undefined;
      const wanted = rootAuthorityConfigMap(name, rootAuthority);
      const held = pass.get(configMaps, { namespace: name, name: "kube-root-ca.crt" });
      if (held === undefined) {
        const created = await pass.writer.tryCreate(configMaps, wanted, name);
        if (!created.ok) mustExist("config map", created.problem);
        return undefined;
      }
      const annotations = objectIn(objectIn(wanted, "metadata"), "annotations");
      const kept = { ...held.metadata.annotations, ...(annotations as Readonly<Record<string, string>>) };
      if (
        deepEqual(objectIn(asJson(held), "data"), objectIn(wanted, "data")) &&
        deepEqual(held.metadata.annotations, kept)
      ) {
        return undefined;
      }
      const data = objectIn(wanted, "data") as Readonly<Record<string, string>>;
      const { binaryData: _binary, ...rest } = held;
      await pass.writer.replace(configMaps, {
        ...rest,
        metadata: { ...held.metadata, annotations: kept },
        data,
      } as typeof held);
      return undefined;
    },
  };
}
