import { matchesFields, parseFieldSelector } from "@purser/kubernetes/apis/field-selector";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { parseKey } from "@purser/kubernetes/apis/object";
import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import { matchesSelector, parseLabelSelector } from "@purser/kubernetes/apis/selector";
import type { Result } from "@purser/kubernetes/result";
import { done } from "@purser/kubernetes/result";
import type { ServedKind } from "../registry/served-kind.ts";
import { badRequest } from "../request/refusal.ts";
import type { StoredVersion } from "../storage/storage.ts";
import { fieldText, selectableFields } from "./selectable-fields.ts";

/** What a list, watch or deletecollection chooses. */
export interface Selection {
  /** Absent when everything is chosen. */
  readonly matches?: (object: KubeObject) => boolean;
  /**
   * The same without reading the object, where its key and stored labels decide; undefined: read it.
   * Present with `matches`; does not hold for what is converted by a webhook.
   */
  readonly decides?: (version: StoredVersion) => boolean | undefined;
  /** Work of choosing one object, as `turns` counts it: clients decide how much is to be compared. */
  readonly work: number;
  /** The only name that can match, when a field selector names one. */
  readonly name?: string;
}

const everything: Selection = { work: 0 };
/** Work of one comparison. */
const workOfOne = 8;

export function selection(
  kind: ServedKind,
  texts: { readonly labelSelector: string; readonly fieldSelector: string },
): Result<Selection, ApiStatus> {
  if (texts.labelSelector === "" && texts.fieldSelector === "") return done(everything);
  const labels = parseLabelSelector(texts.labelSelector);
  if (!labels.ok) return badRequest(labels.problem.message);
  const fields = parseFieldSelector(texts.fieldSelector);
  if (!fields.ok) return badRequest(fields.problem.message);
  const allowed = selectableFields(kind);
  for (const { field } of fields.value) if (!allowed.fields.has(field)) return badRequest(allowed.refusal(field));
  const beyond = fields.value.some(({ field }) => !field.startsWith("metadata.name"));
  const named = fields.value.find(({ field, equal }) => field === "metadata.name" && equal)?.value;
  // What key and labels decide.
  const known = fields.value.filter(({ field }) => field.startsWith("metadata.name"));
  const compared = labels.value.reduce((sum, part) => sum + ("values" in part ? part.values.length : 1), 8);
  return done({
    work: workOfOne * (compared + fields.value.length),
    matches: (object) =>
      matchesSelector(labels.value, object.metadata.labels) &&
      matchesFields(fields.value, (field) => fieldText(object, field)),
    decides: ({ key, labels: stored }) => {
      if (!matchesSelector(labels.value, stored)) return false;
      const { name, namespace = "" } = parseKey(key);
      if (!matchesFields(known, (field) => (field === "metadata.name" ? name : namespace))) return false;
      return beyond ? undefined : true;
    },
    ...(named === undefined ? {} : { name: named }),
  });
}
