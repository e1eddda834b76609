import type { CustomResourceDefinition, CustomResourceDefinitionVersion } from "@purser/kubernetes/apis/apiextensions";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { groupResource } from "@purser/kubernetes/apis/resource-type";
import type { StructuralSchema } from "@purser/kubernetes/object/schema/structural-schema";
import type { BuiltInKind } from "../kinds/built-in-kind.ts";
import type { TableName } from "../storage/storage.ts";

/** One version of a custom resource and what else its definition says. */
export interface CustomVersion {
  readonly definition: CustomResourceDefinition;
  readonly version: CustomResourceDefinitionVersion;
  readonly schema: StructuralSchema;
  readonly storageVersion: string;
  /** The definition is being deleted: nothing may be created. */
  readonly terminating: boolean;
  /** Versions whose managed fields are kept. */
  readonly servedVersions: readonly string[];
  /** Aborts when the definition changes or goes: watches end then. */
  readonly retired: AbortSignal;
}

/** One kind in one version, as a path leads to it. */
export interface ServedKind extends BuiltInKind {
  readonly table: TableName;
  readonly custom?: CustomVersion;
}

/** Where the objects of a type are kept. */
export function tableOf(type: ResourceType): TableName {
  return groupResource(type);
}

/** The kind as messages about refused fields name it: `Deployment.apps`. */
export function hasStatus(kind: ServedKind): boolean {
  return kind.subresources.some(({ name }) => name === "status");
}
