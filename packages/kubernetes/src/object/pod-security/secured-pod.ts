/** The parts of a pod that Pod Security evaluates. */
export interface SecuredPod {
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: SecuredSpec;
}

export interface SecuredSpec {
  readonly os?: { readonly name?: string };
  readonly hostNetwork?: boolean;
  readonly hostPID?: boolean;
  readonly hostIPC?: boolean;
  readonly hostUsers?: boolean;
  readonly containers?: readonly SecuredContainer[];
  readonly initContainers?: readonly SecuredContainer[];
  readonly ephemeralContainers?: readonly SecuredContainer[];
  readonly volumes?: readonly SecuredVolume[];
  readonly securityContext?: SecurityContext & {
    readonly sysctls?: readonly { readonly name?: string }[];
  };
}

/** A volume with its source under the name of its type. */
export type SecuredVolume = { readonly name: string } & Readonly<Record<string, unknown>>;

export interface SecuredContainer {
  readonly name: string;
  readonly image?: string;
  readonly ports?: readonly { readonly hostPort?: number }[];
  readonly livenessProbe?: HostHandler;
  readonly readinessProbe?: HostHandler;
  readonly startupProbe?: HostHandler;
  readonly lifecycle?: { readonly postStart?: HostHandler; readonly preStop?: HostHandler };
  readonly securityContext?: SecurityContext & {
    readonly privileged?: boolean;
    readonly allowPrivilegeEscalation?: boolean;
    readonly procMount?: string;
    readonly capabilities?: { readonly add?: readonly string[]; readonly drop?: readonly string[] };
  };
}

/** A probe or hook action with a network host. */
export interface HostHandler {
  readonly httpGet?: { readonly host?: string };
  readonly tcpSocket?: { readonly host?: string };
}

/** Security settings that exist for the pod and for each container. */
export interface SecurityContext {
  readonly runAsNonRoot?: boolean;
  readonly runAsUser?: number;
  readonly appArmorProfile?: { readonly type?: string };
  readonly seccompProfile?: { readonly type?: string };
  readonly seLinuxOptions?: { readonly type?: string; readonly user?: string; readonly role?: string };
  readonly windowsOptions?: { readonly hostProcess?: boolean };
}

/** All containers of a pod, in the order of the checks' messages. */
export function containersOf({ spec }: SecuredPod): readonly SecuredContainer[] {
  return [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])];
}
