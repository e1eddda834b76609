import { isJsonObject, type JsonObject } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { readTyped } from "../api-types/read-typed.ts";
import { kindOf, listMember, objectMember, textMember } from "./first-object.ts";

/** A CRD manifest as OLM's registry library decodes it. */
export interface DecodedCrd {
  readonly version: "v1" | "v1beta1";
  /** Of `spec.versions`, in order. */
  readonly versions: readonly string[];
  /** `spec.version` of a v1beta1 CRD, else "". */
  readonly oldVersion: string;
}

/**
 * Decodes a CustomResourceDefinition by its version alone, as upstream's registry library does: another group is not
 * registered for it. Undefined for other kinds and for other versions, which are ignored. The problem is upstream's
 * text.
 */
export function decodeCrd(object: JsonObject): Result<DecodedCrd | undefined, string> {
  const { group, kind, version } = kindOf(object);
  if (kind !== "CustomResourceDefinition" || (version !== "v1" && version !== "v1beta1")) return done(undefined);
  const refuse = (message: string): Result<never, string> => failed(`error decoding ${version} CRD: ${message}`);
  if (group !== "apiextensions.k8s.io") {
    const apiVersion = textMember(object, "apiVersion");
    return refuse(
      `no kind "CustomResourceDefinition" is registered for version "${apiVersion}" in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  if (version === "v1") {
    const typed = readTyped("ext.CustomResourceDefinition", object, { keys: "exact", words: "decoder" });
    if (!typed.ok) return refuse(typed.problem.message);
  }
  const spec = objectMember(object, "spec");
  const versions = listMember(spec, "versions").map((item) => (isJsonObject(item) ? textMember(item, "name") : ""));
  return done({ version, versions, oldVersion: version === "v1beta1" ? textMember(spec, "version") : "" });
}
