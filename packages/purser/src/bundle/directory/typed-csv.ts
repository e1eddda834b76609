import type { JsonObject } from "@purser/kubernetes/json";
import { failed, type Result } from "@purser/kubernetes/result";
import { parseVersion } from "@purser/kubernetes/version";
import { asDecoder, type ReadingWay, readTyped, type TypeMismatch } from "../api-types/read-typed.ts";
import { foldedMember, objectMember } from "./first-object.ts";

/** A ClusterServiceVersion as its API type reads it from a text: a part of the wrong type anywhere is a problem. */
export function typedCsv(csv: JsonObject, way: ReadingWay = asDecoder): Result<JsonObject, TypeMismatch> {
  const read = readTyped("csv.ClusterServiceVersion", csv, way);
  if (!read.ok) return read;
  const message = releaseFault(csv);
  return message === undefined ? read : failed({ pointer: "/spec/release", message });
}

/** What is wrong with the text of `spec.release`, in the words of upstream's parser. */
function releaseFault(csv: JsonObject): string | undefined {
  const release = foldedMember(objectMember(csv, "spec"), "release");
  if (release === undefined || release === null) return undefined;
  if (typeof release !== "string")
    return `json: cannot unmarshal ${typeof release === "boolean" ? "bool" : typeof release} into Go struct field ClusterServiceVersionSpec.spec.release of type string`;
  const version = parseVersion(`0.0.0-${release}`);
  return version.ok ? undefined : version.problem.message;
}
