import type { CustomResourceDefinition, CustomResourceDefinitionVersion } from "@purser/kubernetes/apis/apiextensions";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { groupResource } from "@purser/kubernetes/apis/resource-type";
import type { StructuralSchema } from "@purser/kubernetes/object/schema/structural-schema";
import type { BuiltInKind } from "../kinds/built-in-kind.ts";
import type { TableName } from "../storage/storage.ts";

/** One version of a custom resource with the settings of its definition. */
export interface CustomVersion {
  readonly definition: CustomResourceDefinition;
  readonly version: CustomResourceDefinitionVersion;
  readonly schema: StructuralSchema;
  readonly storageVersion: string;
  /** The definition is being deleted: creates are refused. */
  readonly terminating: boolean;
  /** Versions whose managedFields entries are kept. */
  readonly servedVersions: readonly string[];
  /** Aborted when the definition changes or is deleted, which ends watches. */
  readonly retired: AbortSignal;
}

/** One kind in one served version. */
export interface ServedKind extends BuiltInKind {
  readonly table: TableName;
  readonly custom?: CustomVersion;
}

/** The storage table of a type. */
export function tableOf(type: ResourceType): TableName {
  return groupResource(type);
}

/** The kind as messages about refused fields name it: `Deployment.apps`. */
export function hasStatus(kind: ServedKind): boolean {
  return kind.subresources.some(({ name }) => name === "status");
}
