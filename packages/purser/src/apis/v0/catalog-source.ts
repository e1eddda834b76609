import type { Condition } from "@purser/kubernetes/apis/condition";
import type { Affinity, IntOrString, Toleration } from "@purser/kubernetes/apis/core";
import type { KubeObject } from "@purser/kubernetes/apis/object";

export interface Icon {
  readonly base64data: string;
  readonly mediatype: string;
}

export interface GrpcPodConfig {
  /** Replaces the default selector `kubernetes.io/os: linux`. */
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly tolerations?: readonly Toleration[];
  readonly affinity?: Affinity;
  readonly priorityClassName?: string;
  readonly securityContextConfig?: "legacy" | "restricted";
  readonly memoryTarget?: IntOrString;
  readonly extractContent?: { readonly catalogDir: string; readonly cacheDir?: string };
}

export interface CatalogSourceSpec {
  /** `grpc`, `configmap` or `internal`; any other text is refused by the controller, not by the API server. */
  readonly sourceType: string;
  readonly priority?: number;
  readonly image?: string;
  readonly address?: string;
  readonly configMap?: string;
  readonly secrets?: readonly string[];
  readonly displayName?: string;
  readonly description?: string;
  readonly publisher?: string;
  readonly icon?: Icon;
  /** The interval is a Go duration; an unparsable one means 15m. */
  readonly updateStrategy?: { readonly registryPoll?: { readonly interval?: string } };
  readonly grpcPodConfig?: GrpcPodConfig;
}

export type CatalogSourceReason =
  | "SpecInvalidError"
  | "ConfigMapError"
  | "RegistryServerError"
  | "InvalidIntervalError"
  | "";

/** State of the gRPC channel to the registry. */
export type ConnectionState = "IDLE" | "CONNECTING" | "READY" | "TRANSIENT_FAILURE" | "SHUTDOWN" | "";

export interface CatalogSourceStatus {
  readonly message?: string;
  readonly reason?: CatalogSourceReason;
  readonly latestImageRegistryPoll?: string;
  readonly configMapReference?: {
    readonly name: string;
    readonly namespace: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly lastUpdateTime?: string;
  };
  readonly registryService?: {
    readonly protocol?: string;
    readonly serviceName?: string;
    readonly serviceNamespace?: string;
    readonly port?: string;
    readonly createdAt?: string;
  };
  readonly connectionState?: {
    readonly address?: string;
    readonly lastObservedState: ConnectionState;
    readonly lastConnect?: string;
  };
  readonly conditions?: readonly Condition[];
}

export interface CatalogSource extends KubeObject {
  readonly spec: CatalogSourceSpec;
  readonly status?: CatalogSourceStatus;
}
