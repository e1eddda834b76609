import type { Container, PodSpec, Volume, VolumeMount } from "@purser/kubernetes/apis/core";
import type { WebhookDescription } from "../../apis/v0/cluster-service-version.ts";
import { joinName } from "../generated-name.ts";
import { mapped } from "./pod-overrides.ts";

/** Names of the Service and the certificate for the webhooks of one deployment in OLM v1. */
export function servingNames(deployment: string): { readonly service: string; readonly certificate: string } {
  const service = joinName(deployment.replaceAll(".", "-"), "service");
  return { service, certificate: joinName(service, "cert") };
}

/** DNS names under which the API server reaches a Service. */
export function servingHosts(service: string, namespace: string): readonly string[] {
  const host = `${service}.${namespace}`;
  return [host, `${host}.svc`, `${host}.svc.cluster.local`];
}

export function webhooksOf(
  webhooks: readonly WebhookDescription[] | undefined,
  deployment: string,
): readonly WebhookDescription[] {
  return (webhooks ?? []).filter(({ deploymentName }) => deploymentName === deployment);
}

interface CertificateMount {
  readonly name: string;
  readonly mountPath: string;
  readonly items: readonly { readonly key: string; readonly path: string }[];
}

/** How operators expect to find their serving certificate, as API servers and as webhook servers. */
export const certificateMounts: readonly [CertificateMount, CertificateMount] = [
  {
    name: "apiservice-cert",
    mountPath: "/apiserver.local.config/certificates",
    items: [
      { key: "tls.crt", path: "apiserver.crt" },
      { key: "tls.key", path: "apiserver.key" },
    ],
  },
  {
    name: "webhook-cert",
    mountPath: "/tmp/k8s-webhook-server/serving-certs",
    items: [
      { key: "tls.crt", path: "tls.crt" },
      { key: "tls.key", path: "tls.key" },
    ],
  },
];

export function certificateVolume({ name, items }: CertificateMount, secretName: string): Volume {
  return { name, secret: { secretName, items } };
}

/**
 * v1: the certificate's Secret in every main container; volumes of those names and other mounts at those paths are removed.
 */
export function mountCertificates(spec: PodSpec, secretName: string): PodSpec {
  const [apiService, webhook] = certificateMounts;
  const order = [webhook, apiService];
  const paths = order.map(({ mountPath }) => mountPath);
  const removed = new Set(order.map(({ name }) => name));
  for (const container of (spec.containers as readonly Container[] | null | undefined) ?? []) {
    for (const { name, mountPath } of container.volumeMounts ?? []) if (paths.includes(mountPath)) removed.add(name);
  }
  const mounts: readonly VolumeMount[] = order.map(({ name, mountPath }) => ({ name, mountPath }));
  const mounted = (container: Container): Container => ({
    ...container,
    volumeMounts: [...(container.volumeMounts ?? []).filter(({ name }) => !removed.has(name)), ...mounts],
  });
  return {
    ...spec,
    volumes: [
      ...(spec.volumes ?? []).filter(({ name }) => !removed.has(name)),
      ...order.map((mount) => certificateVolume(mount, secretName)),
    ],
    containers: mapped(spec.containers, mounted),
  };
}
