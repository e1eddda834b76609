/** Where the RoleBinding is with which an operator reads how the API server authenticates its clients. */
export const authReaderNamespace = "kube-system";

/** Names of the objects with which one Deployment serves webhooks and APIs. */
export interface ServingNames {
  readonly service: string;
  /** Name of the Secret, and of the Role and RoleBinding that allow the operator to read it. */
  readonly secret: string;
  /** ClusterRoleBinding. */
  readonly authDelegator: string;
  /** RoleBinding in `kube-system`. */
  readonly authReader: string;
}

export function servingNames(deployment: string): ServingNames {
  const service = `${deployment}-service`;
  return {
    service,
    secret: `${service}-cert`,
    authDelegator: `${service}-system:auth-delegator`,
    authReader: `${service}-auth-reader`,
  };
}

/** Names of the same objects as older releases of OLM gave them, after the API instead of the Deployment. */
export function olderServingNames({
  version,
  group,
}: {
  readonly version: string;
  readonly group: string;
}): ServingNames {
  const api = `${version}.${group}`;
  return {
    service: api.replaceAll(".", "-"),
    secret: `${api}-cert`,
    authDelegator: `${api}-system:auth-delegator`,
    authReader: `${api}-auth-reader`,
  };
}
