import type { KubeObject } from "./object.ts";
import type { LabelSelector } from "./selector.ts";
import type { JsonObject } from "../json.ts";

type Labels = Readonly<Record<string, string>>;

/** A port number or name, or a number or percentage. */
export type IntOrString = number | string;

export interface ObjectReference {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly fieldPath?: string;
}

export interface LocalObjectReference {
  readonly name?: string;
}

export interface EnvVar {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: JsonObject;
}

export interface EnvFromSource {
  readonly prefix?: string;
  readonly configMapRef?: { readonly name?: string; readonly optional?: boolean };
  readonly secretRef?: { readonly name?: string; readonly optional?: boolean };
}

export interface VolumeMount {
  readonly name: string;
  readonly mountPath: string;
  readonly readOnly?: boolean;
  readonly subPath?: string;
  readonly subPathExpr?: string;
  readonly mountPropagation?: string;
  readonly recursiveReadOnly?: string;
}

export interface KeyToPath {
  readonly key: string;
  readonly path: string;
  readonly mode?: number;
}

/** Sources that our controllers do not create are untyped. */
export interface Volume {
  readonly name: string;
  readonly secret?: {
    readonly secretName?: string;
    readonly items?: readonly KeyToPath[];
    readonly defaultMode?: number;
    readonly optional?: boolean;
  };
  readonly configMap?: {
    readonly name?: string;
    readonly items?: readonly KeyToPath[];
    readonly defaultMode?: number;
    readonly optional?: boolean;
  };
  readonly emptyDir?: JsonObject;
  readonly projected?: JsonObject;
  readonly downwardAPI?: JsonObject;
  readonly persistentVolumeClaim?: JsonObject;
  readonly hostPath?: JsonObject;
  readonly csi?: JsonObject;
  readonly ephemeral?: JsonObject;
  readonly image?: JsonObject;
}

export interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
  readonly tolerationSeconds?: number;
}

export interface Affinity {
  readonly nodeAffinity?: JsonObject;
  readonly podAffinity?: JsonObject;
  readonly podAntiAffinity?: JsonObject;
}

export interface ResourceRequirements {
  readonly limits?: Readonly<Record<string, IntOrString>>;
  readonly requests?: Readonly<Record<string, IntOrString>>;
  readonly claims?: readonly { readonly name: string; readonly request?: string }[];
}

export interface ContainerPort {
  readonly containerPort: number;
  readonly name?: string;
  readonly protocol?: string;
  readonly hostIP?: string;
  readonly hostPort?: number;
}

export interface Container {
  readonly name: string;
  readonly image?: string;
  readonly imagePullPolicy?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly workingDir?: string;
  readonly env?: readonly EnvVar[];
  readonly envFrom?: readonly EnvFromSource[];
  readonly ports?: readonly ContainerPort[];
  readonly resources?: ResourceRequirements;
  readonly volumeMounts?: readonly VolumeMount[];
  readonly volumeDevices?: readonly JsonObject[];
  readonly livenessProbe?: JsonObject;
  readonly readinessProbe?: JsonObject;
  readonly startupProbe?: JsonObject;
  readonly lifecycle?: JsonObject;
  readonly securityContext?: JsonObject;
  readonly restartPolicy?: string;
  readonly terminationMessagePath?: string;
  readonly terminationMessagePolicy?: string;
}

export interface PodSpec {
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly volumes?: readonly Volume[];
  readonly serviceAccountName?: string;
  /** Deprecated alias of `serviceAccountName`; the API server keeps both equal. */
  readonly serviceAccount?: string;
  readonly automountServiceAccountToken?: boolean;
  readonly imagePullSecrets?: readonly LocalObjectReference[];
  readonly nodeName?: string;
  readonly nodeSelector?: Labels;
  readonly tolerations?: readonly Toleration[];
  readonly affinity?: Affinity;
  readonly priorityClassName?: string;
  readonly restartPolicy?: string;
  readonly securityContext?: JsonObject;
  readonly terminationGracePeriodSeconds?: number;
  readonly activeDeadlineSeconds?: number;
  readonly dnsPolicy?: string;
  readonly hostNetwork?: boolean;
  readonly schedulerName?: string;
  readonly topologySpreadConstraints?: readonly JsonObject[];
}

export interface PodTemplateSpec {
  readonly metadata?: { readonly labels?: Labels; readonly annotations?: Labels; readonly name?: string };
  readonly spec?: PodSpec;
}

/** Condition of older kinds: without observedGeneration, with further timestamps. */
export interface WorkloadCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
  readonly lastUpdateTime?: string;
  readonly lastProbeTime?: string;
}

export interface ContainerStatus {
  readonly name: string;
  readonly ready: boolean;
  readonly restartCount: number;
  readonly image: string;
  readonly imageID: string;
  readonly started?: boolean;
  readonly state?: {
    readonly waiting?: { readonly reason?: string; readonly message?: string };
    readonly running?: { readonly startedAt?: string };
    readonly terminated?: { readonly exitCode: number; readonly reason?: string; readonly message?: string };
  };
}

export interface Pod extends KubeObject {
  readonly spec?: PodSpec;
  readonly status?: {
    readonly phase?: string;
    readonly reason?: string;
    readonly message?: string;
    readonly podIP?: string;
    readonly startTime?: string;
    readonly conditions?: readonly WorkloadCondition[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
    readonly containerStatuses?: readonly ContainerStatus[];
  };
}

export interface ServicePort {
  readonly port: number;
  readonly name?: string;
  readonly protocol?: string;
  readonly targetPort?: IntOrString;
  readonly appProtocol?: string;
  readonly nodePort?: number;
}

export interface Service extends KubeObject {
  readonly spec?: {
    readonly type?: string;
    readonly selector?: Labels;
    readonly ports?: readonly ServicePort[];
    readonly clusterIP?: string;
    readonly externalName?: string;
    readonly publishNotReadyAddresses?: boolean;
  };
  readonly status?: JsonObject;
}

export interface ServiceAccount extends KubeObject {
  readonly secrets?: readonly ObjectReference[];
  readonly imagePullSecrets?: readonly LocalObjectReference[];
  readonly automountServiceAccountToken?: boolean;
}

export interface Secret extends KubeObject {
  readonly type?: string;
  readonly immutable?: boolean;
  /** Base64. */
  readonly data?: Readonly<Record<string, string>>;
  /** Write-only: the API server merges it into `data`. */
  readonly stringData?: Readonly<Record<string, string>>;
}

export interface ConfigMap extends KubeObject {
  readonly immutable?: boolean;
  readonly data?: Readonly<Record<string, string>>;
  /** Base64. */
  readonly binaryData?: Readonly<Record<string, string>>;
}

export interface Namespace extends KubeObject {
  readonly spec?: { readonly finalizers?: readonly string[] };
  readonly status?: { readonly phase?: string; readonly conditions?: readonly WorkloadCondition[] };
}

export interface Node extends KubeObject {
  readonly spec?: { readonly unschedulable?: boolean; readonly taints?: readonly JsonObject[] };
  readonly status?: { readonly conditions?: readonly WorkloadCondition[]; readonly addresses?: readonly JsonObject[] };
}

/** Core `v1` event, which is what controllers record. */
export interface Event extends KubeObject {
  readonly involvedObject: ObjectReference;
  readonly reason?: string;
  readonly message?: string;
  readonly type?: string;
  readonly count?: number;
  readonly firstTimestamp?: string;
  readonly lastTimestamp?: string;
  readonly eventTime?: string | null;
  readonly action?: string;
  readonly source?: { readonly component?: string; readonly host?: string };
  readonly reportingComponent?: string;
  readonly reportingInstance?: string;
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string };
}

/** `events.k8s.io/v1`: the same stored object under newer field names. */
export interface EventV1 extends KubeObject {
  readonly regarding?: ObjectReference;
  readonly eventTime: string | null;
  readonly reason?: string;
  readonly note?: string;
  readonly type?: string;
  readonly action?: string;
  readonly reportingController?: string;
  readonly reportingInstance?: string;
}

export interface Endpoints extends KubeObject {
  readonly subsets?: readonly {
    readonly addresses?: readonly { readonly ip: string; readonly targetRef?: ObjectReference }[];
    readonly notReadyAddresses?: readonly { readonly ip: string; readonly targetRef?: ObjectReference }[];
    readonly ports?: readonly { readonly port: number; readonly name?: string; readonly protocol?: string }[];
  }[];
}

/** `networking.k8s.io/v1`. */
export interface NetworkPolicy extends KubeObject {
  readonly spec?: {
    readonly podSelector?: LabelSelector;
    readonly policyTypes?: readonly string[];
    readonly ingress?: readonly JsonObject[];
    readonly egress?: readonly JsonObject[];
  };
}
