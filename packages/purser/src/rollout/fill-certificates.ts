import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asJson } from "@purser/kubernetes/apis/object";
import { secrets } from "@purser/kubernetes/apis/resources";
import { caInjectionAnnotation, certificateHostsAnnotation } from "../bundle/render/certificate-need.ts";
import { readCertificate } from "@purser/kubernetes/certificate/read-certificate";
import {
  issueServiceCertificate,
  needsRotation,
  rotateBeforeEndMs,
} from "@purser/kubernetes/certificate/service-certificate";
import type { Clock } from "@purser/kubernetes/clock";
import type { Entropy } from "@purser/kubernetes/entropy";
import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import type { ObjectReader } from "@purser/kubernetes/kube/object-reader";
import { done, failed, type Result } from "@purser/kubernetes/result";

interface Ports {
  readonly reader: ObjectReader;
  readonly clock: Clock;
  readonly entropy: Entropy;
}

export interface Filled {
  readonly object: JsonObject;
  /** Epoch milliseconds from which the certificate inside is due for replacement. */
  readonly rotateAt?: number;
}

/**
 * Sets the certificates that rendering leaves empty: a serving certificate in its Secret (kept while it is valid), its
 * authority in webhook configurations and CRDs. Returns other objects unchanged.
 */
export async function fillCertificates(object: JsonObject, ports: Ports): Promise<Result<Filled, string>> {
  const { metadata } = object as unknown as KubeObject;
  const hosts = metadata?.annotations?.[certificateHostsAnnotation];
  if (object["kind"] === "Secret" && hosts !== undefined)
    return done(await servingSecret(object, hosts.split(","), ports));
  const source = metadata?.annotations?.[caInjectionAnnotation];
  return source === undefined ? done({ object }) : injectAuthority(object, source, ports);
}

async function servingSecret(
  object: JsonObject,
  hosts: readonly string[],
  { reader, clock, entropy }: Ports,
): Promise<Filled> {
  const { metadata } = object as unknown as KubeObject;
  const key = { namespace: metadata.namespace ?? "", name: metadata.name ?? "" };
  const held = (await reader.get(secrets, key))?.data;
  const now = clock.now();
  const pem = (name: string) =>
    held?.[name] === undefined ? undefined : Buffer.from(held[name], "base64").toString("utf8");
  const stored = { authorityPem: pem("ca.crt"), certificatePem: pem("tls.crt") };
  if (held !== undefined && held["tls.key"] !== undefined && !needsRotation({ ...stored, hosts, now })) {
    const facts = readCertificate(stored.certificatePem ?? "");
    const rotateAt = facts.ok ? facts.value.notAfter - rotateBeforeEndMs : now;
    const kept = Object.fromEntries(["ca.crt", "tls.crt", "tls.key"].map((name) => [name, held[name] ?? ""]));
    return { object: { ...object, data: kept }, rotateAt };
  }
  const issued = await issueServiceCertificate({ hosts, now, entropy });
  const data = {
    "ca.crt": btoa(issued.authorityPem),
    "tls.crt": btoa(issued.certificatePem),
    "tls.key": btoa(issued.privateKeyPem),
  };
  return { object: { ...object, data }, rotateAt: issued.rotateAt };
}

async function injectAuthority(object: JsonObject, source: string, { reader }: Ports): Promise<Result<Filled, string>> {
  const [namespace = "", name = ""] = source.split("/");
  const caBundle = (await reader.get(secrets, { namespace, name }))?.data?.["ca.crt"];
  if (caBundle === undefined) return failed(`secret "${source}" holds no authority (ca.crt) yet`);
  const injected = (holder: JsonValue | undefined): JsonObject => {
    const entry = isJsonObject(holder) ? holder : {};
    const config = member(entry, "clientConfig");
    return { ...entry, clientConfig: { ...(isJsonObject(config) ? config : {}), caBundle } };
  };
  const webhooks = member(object, "webhooks");
  if (Array.isArray(webhooks)) return done({ object: { ...object, webhooks: webhooks.map(injected) } });
  const spec = asJson(object as unknown as KubeObject)["spec"];
  const conversion = isJsonObject(spec) ? member(spec, "conversion") : undefined;
  if (!isJsonObject(spec) || !isJsonObject(conversion)) return done({ object });
  return done({
    object: {
      ...object,
      spec: { ...spec, conversion: { ...conversion, webhook: injected(member(conversion, "webhook")) } },
    },
  });
}
