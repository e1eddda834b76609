import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ClusterAccess } from "./cluster-access.ts";

const mounted = "/var/run/secrets/kubernetes.io/serviceaccount";

/** The API server of the cluster this pod runs in, as the pod's service account; undefined outside a pod. */
export function inClusterAccess(
  env: Readonly<Record<string, string | undefined>>,
  directory = mounted,
): ClusterAccess | undefined {
  const host = env["KUBERNETES_SERVICE_HOST"];
  const port = env["KUBERNETES_SERVICE_PORT"];
  const token = join(directory, "token");
  if (host === undefined || host === "" || port === undefined || !existsSync(token)) return undefined;
  const namespace = join(directory, "namespace");
  const authority = join(directory, "ca.crt");
  return {
    server: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
    bearer: { kind: "file", path: token },
    ...(existsSync(authority) ? { authority: { kind: "file" as const, path: authority } } : {}),
    ...(existsSync(namespace) ? { namespace: readFileSync(namespace, "utf8").trim() } : {}),
  };
}
