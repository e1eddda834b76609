import type { JsonObject } from "@purser/kubernetes/json";
import { invalid, required, type FieldError } from "@purser/kubernetes/object/field-error";
import { hasMember, objectIn, textIn, without } from "../decoding/json-parts.ts";
import { labelProblems, subdomainProblems } from "../names.ts";

/** Sources that `dataSource` supports; others need `dataSourceRef`. */
function isClaimOrSnapshot(source: JsonObject): boolean {
  const [group, kind] = [textIn(source, "apiGroup"), textIn(source, "kind")];
  return group === "snapshot.storage.k8s.io"
    ? kind === "VolumeSnapshot"
    : group === "" && kind === "PersistentVolumeClaim";
}

function sourceNamespace(spec: JsonObject): string {
  return textIn(objectIn(spec, "dataSourceRef"), "namespace");
}

/**
 * Keeps the aliases dataSource and dataSourceRef in step. A source that dataSource does not support is dropped from it
 * unless it was set before; sources in other namespaces are behind a feature gate that is off by default.
 */
export function withSources(spec: JsonObject, old: JsonObject | undefined): JsonObject {
  const wasThere = old !== undefined && (hasMember(old, "dataSource") || hasMember(old, "dataSourceRef"));
  const near = wasThere || sourceNamespace(spec) === "" ? spec : without(spec, "dataSourceRef");
  const kept =
    wasThere || !hasMember(near, "dataSource") || isClaimOrSnapshot(objectIn(near, "dataSource"))
      ? near
      : without(near, "dataSource");
  if (hasMember(kept, "dataSource") === hasMember(kept, "dataSourceRef") || sourceNamespace(kept) !== "") return kept;
  const {
    apiGroup = null,
    kind = "",
    name = "",
  } = objectIn(kept, hasMember(kept, "dataSource") ? "dataSource" : "dataSourceRef");
  const source = { apiGroup, kind, name };
  return hasMember(kept, "dataSource") ? { ...kept, dataSourceRef: source } : { ...kept, dataSource: source };
}

function validateSource(source: JsonObject, path: string): readonly FieldError[] {
  const [name, kind, group] = [textIn(source, "name"), textIn(source, "kind"), textIn(source, "apiGroup")];
  return [
    ...(name === "" ? [required(`${path}.name`)] : []),
    ...(kind === "" ? [required(`${path}.kind`)] : []),
    ...(group === "" && kind !== "PersistentVolumeClaim"
      ? [invalid(path, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup")]
      : []),
    ...(group === "" ? [] : subdomainProblems(group).map((problem) => invalid(`${path}.apiGroup`, group, problem))),
  ];
}

/** Validates dataSource and dataSourceRef. */
export function validateSources(spec: JsonObject): readonly FieldError[] {
  const [source, reference] = [objectIn(spec, "dataSource"), objectIn(spec, "dataSourceRef")];
  const namespace = sourceNamespace(spec);
  const hasBoth = hasMember(spec, "dataSource") && hasMember(spec, "dataSourceRef");
  const differs = ["name", "kind", "apiGroup"].some((key) => textIn(source, key) !== textIn(reference, key));
  // kube-apiserver quotes a field.Path as the value, which prints as `{}`.
  const quoted = (detail: string): FieldError => invalid("spec", {}, detail);
  return [
    ...(hasMember(spec, "dataSource") ? validateSource(source, "spec.dataSource") : []),
    ...(hasMember(spec, "dataSourceRef") ? validateSource(reference, "spec.dataSourceRef") : []),
    ...(namespace === ""
      ? []
      : labelProblems(namespace).map((problem) => invalid("spec.dataSourceRef.namespace", namespace, problem))),
    ...(hasBoth && namespace !== "" ? [quoted("may not be specified when dataSourceRef.namespace is specified")] : []),
    ...(hasBoth && namespace === "" && differs ? [quoted("must match dataSourceRef")] : []),
  ];
}
