/** Fixed names of what lets one deployment serve webhooks and APIs. */
export interface ServingNames {
  readonly service: string;
  /** Of the Secret, and of the Role and RoleBinding that let the operator read it. */
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
