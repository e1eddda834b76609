import type { WorkloadCondition } from "./core.ts";
import type { KubeObject } from "./object.ts";

export interface APIService extends KubeObject {
  readonly spec?: {
    readonly group?: string;
    readonly version?: string;
    readonly groupPriorityMinimum: number;
    readonly versionPriority: number;
    readonly service?: { readonly namespace?: string; readonly name?: string; readonly port?: number };
    /** Base64 of PEM. */
    readonly caBundle?: string;
    readonly insecureSkipTLSVerify?: boolean;
  };
  readonly status?: { readonly conditions?: readonly WorkloadCondition[] };
}
