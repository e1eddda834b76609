import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asJson } from "@purser/kubernetes/apis/object";
import type { Clock } from "@purser/kubernetes/clock";
import type { Entropy } from "@purser/kubernetes/entropy";
import { isJsonObject, member } from "@purser/kubernetes/json";
import type { Storage } from "../storage/storage.ts";

export interface PemPair {
  readonly certificatePem: string;
  readonly privateKeyPem: string;
}

/** The server's certificate authority, serving certificate and the administrator's client certificate. */
export interface ServerIdentity {
  readonly authority: PemPair;
  readonly serving: PemPair;
  readonly admin: PemPair;
}

/** Storage table of the server's internal data, which no API serves. */
const ownTable = "server.purser.dev";
const identityName = "identity";
const tenYearsMs = 10 * 365 * 86_400_000;
const oneHourMs = 3_600_000;

export const adminName = "purser-admin";

const hosts = [
  "127.0.0.1",
  "::1",
  "localhost",
  "kubernetes",
  "kubernetes.default",
  "kubernetes.default.svc",
  "kubernetes.default.svc.cluster.local",
  "10.96.0.1",
];

/** The stored identity; created on the first start. */
export async function serverIdentity(storage: Storage, clock: Clock, entropy: Entropy): Promise<ServerIdentity> {
  const stored = readIdentity(storage.get(ownTable, identityName));
  if (stored !== undefined) return stored;
  // Imported only when needed: loading the certificate library takes longer than the rest of this function.
  const { issueAuthority, issueClient, issueServing } = await import("@purser/kubernetes/certificate/certificate");
  const issuing = { now: clock.now() - oneHourMs, validityMs: tenYearsMs, entropy };
  const authority = await issueAuthority({ ...issuing, commonName: "purser-cluster-authority" });
  const [serving, admin] = await Promise.all([
    issueServing({ ...issuing, authority, hosts }),
    issueClient({ ...issuing, authority, commonName: adminName, organizations: ["system:masters"] }),
  ]);
  const identity = { authority, serving, admin };
  storage.put(ownTable, identityName, {
    kind: "Identity",
    apiVersion: "server.purser.dev/v1",
    metadata: { name: identityName },
    ...identity,
  } as KubeObject);
  await storage.durable();
  return identity;
}

/** Deletes keys, certificates and the objects that publish them, so that the next start creates new ones. */
export function forgetIdentity(storage: Storage): void {
  const own = storage.list(ownTable);
  for (const { metadata } of own.ok ? own.value : []) storage.remove(ownTable, metadata.name ?? "");
  storage.remove("configmaps", "kube-system/extension-apiserver-authentication");
}

function readIdentity(object: KubeObject | undefined): ServerIdentity | undefined {
  if (object === undefined) return undefined;
  const pair = (name: string): PemPair | undefined => {
    const held = member(asJson(object), name);
    if (!isJsonObject(held)) return undefined;
    const { certificatePem, privateKeyPem } = held;
    return typeof certificatePem === "string" && typeof privateKeyPem === "string"
      ? { certificatePem, privateKeyPem }
      : undefined;
  };
  const [authority, serving, admin] = [pair("authority"), pair("serving"), pair("admin")];
  return authority === undefined || serving === undefined || admin === undefined
    ? undefined
    : { authority, serving, admin };
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

/**
 * A kubeconfig with the one context `purser`. Where the host of `url` is not in the server's certificate, clients are told
 * to look for `localhost` in it.
 */
export function adminKubeconfig({ authority, admin }: ServerIdentity, url: string): string {
  const { hostname } = new URL(url);
  const serverName = hosts.includes(hostname.replace(/^\[|\]$/g, "")) ? "" : "\n    tls-server-name: localhost";
  return `apiVersion: v1
kind: Config
clusters:
- name: purser
  cluster:
    server: ${url}
    certificate-authority-data: ${base64(authority.certificatePem)}${serverName}
users:
- name: purser-admin
  user:
    client-certificate-data: ${base64(admin.certificatePem)}
    client-key-data: ${base64(admin.privateKeyPem)}
contexts:
- name: purser
  context:
    cluster: purser
    user: purser-admin
current-context: purser
`;
}
