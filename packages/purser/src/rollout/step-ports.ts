import type { Compat } from "../compat.ts";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { GroupVersionKind, ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { Step, StepStatus } from "../apis/v0/install-plan.ts";
import type { JsonObject } from "@purser/kubernetes/json";
import type { KindLookup } from "@purser/kubernetes/kube/discovery";
import type { ObjectReader } from "@purser/kubernetes/kube/object-reader";
import type { ObjectWriter } from "@purser/kubernetes/kube/object-writer";
import type { Result } from "@purser/kubernetes/result";
import type { CsvKey } from "./plan/installed-alongside.ts";
import type { InTurn } from "../turns-by-name.ts";

export interface StepPorts {
  /** Live reads with the engine's own rights. */
  readonly reader: ObjectReader;
  /** Reads CRDs that wait to be served, of which only the conditions count; by default `reader`. */
  readonly waiting?: ObjectReader;
  /** Whether a CSV exists, or a plan is about to create it, as far as a cache shows it; one that it does not show is read. */
  readonly isInstalled?: (csv: CsvKey) => boolean;
  /** Puts updates of one CRD in a row; by default they meet in conflicts. */
  readonly inTurn?: InTurn;
  /** The engine's own identity: marks of CRDs; with `--compat=tenant-grants` CRDs. */
  readonly own: ObjectWriter;
  /** Default: no compatibility switch is set. */
  readonly compat?: Compat;
  /** The OperatorGroup's ServiceAccount when the plan is attenuated, else the engine. */
  readonly scoped: ObjectWriter;
  lookUp(kind: GroupVersionKind): Promise<KindLookup>;
  /** Whether the cluster serves any kind of a group and version; by default it does. */
  serves?(apiVersion: string): Promise<boolean>;
  /** The manifest text of a step that carries a reference instead; by default the step's own text. */
  manifestOf?(step: Step): Promise<Result<string, string>>;
  /** What a new object is created with: by default its manifest alone. */
  readonly createdWith?: (step: Step, type: ResourceType, object: KubeObject) => KubeObject;
  /** Why an object must not be written; by default every object may be. */
  refusalOf?(manifest: JsonObject): string | undefined;
  /** The namespace of global catalogs, which `Secret` steps copy from. */
  readonly globalNamespace: string;
  /** Whether a `Secret` step may copy the Secret of this name; by default every one. */
  mayCopySecret?(name: string): Promise<boolean>;
}

export interface ExecutingPlan {
  readonly name: string;
  readonly namespace: string;
  readonly csvNames: readonly string[];
  readonly steps: readonly Step[];
  /** CSVs whose steps are passed over; by default none. */
  readonly leftOut?: ReadonlySet<string>;
}

/** The uids of CSVs that this pass over the steps created or looked up, by name. */
export type KnownOwners = Map<string, string>;

export interface StepDone {
  readonly status: StepStatus;
  readonly warnings: readonly string[];
  readonly doubt?: string;
}
