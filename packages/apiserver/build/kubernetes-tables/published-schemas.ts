import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { JsonValue } from "@purser/kubernetes/json";

/** What a kube-apiserver of this version serves at `/openapi/v3`: all schemas, without descriptions. */
export const inputFile = join(import.meta.dirname, "openapi-v1.36.3.json.gz");

/** A property of a schema; what the tables need of it. */
export interface Property {
  readonly type?: string;
  readonly format?: string;
  readonly default?: JsonValue;
  readonly enum?: readonly string[];
  readonly $ref?: string;
  /** Around a reference that has something beside it. */
  readonly allOf?: readonly [{ readonly $ref: string }];
  readonly items?: Property;
  readonly additionalProperties?: Property;
  readonly "x-kubernetes-list-type"?: string;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: string;
  readonly "x-kubernetes-patch-strategy"?: string;
  readonly "x-kubernetes-patch-merge-key"?: string;
}

export interface PublishedSchema {
  readonly properties?: Readonly<Record<string, Property>>;
  readonly required?: readonly string[];
  readonly "x-kubernetes-map-type"?: string;
  readonly "x-kubernetes-group-version-kind"?: readonly {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
  }[];
}

/** The pinned schemas by their component names, sorted. */
export function publishedSchemas(): ReadonlyMap<string, PublishedSchema> {
  const text = gunzipSync(readFileSync(inputFile)).toString();
  return new Map(Object.entries(JSON.parse(text) as Readonly<Record<string, PublishedSchema>>));
}

/** Component name that a property refers to; undefined for one that has a type of its own. */
export function referenceOf({ $ref, allOf }: Property): string | undefined {
  return ($ref ?? allOf?.[0].$ref)?.replace("#/components/schemas/", "");
}

/** `core.v1` of `io.k8s.api.core.v1.Pod`. */
export function packageOf(component: string): string {
  return component.split(".").slice(-3, -1).join(".");
}

/** `Pod` of `io.k8s.api.core.v1.Pod`. */
export const shortName = (component: string): string => component.slice(component.lastIndexOf(".") + 1);
