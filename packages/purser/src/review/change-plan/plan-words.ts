import type { JsonValue } from "@purser/kubernetes/json";
import { goJson } from "@purser/kubernetes/text/documents";
import { ruleWords } from "../../discovery/package-details.ts";
import { counted, sizeText } from "../../explanation/summary.ts";
import type { Changes } from "./change-plan.ts";
import { type FieldChange, formatPath } from "./field-changes.ts";
import type { ImageChange } from "./image-changes.ts";
import type { ObjectChange, ObjectReference } from "./object-changes.ts";
import type { PermissionChange, PermissionRule } from "./permission-changes.ts";

/** `Deployment tools/manager`. */
export function objectWords({ kind, namespace, name }: ObjectReference): string {
  return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}

/** `3 created, 35 changed, 1 deleted, 2 kept`; numbers that are 0 are left out, `none` for no object. */
export function objectCounts(objects: readonly ObjectChange[]): string {
  const words = {
    created: "created",
    changed: "changed",
    deleted: "deleted",
    kept: "kept",
    left: "left behind",
  } as const;
  const counts = (Object.keys(words) as readonly (keyof typeof words)[]).flatMap((change) => {
    const count = objects.filter((object) => object.change === change).length;
    return count === 0 ? [] : [`${count} ${words[change]}`];
  });
  return counts.length === 0 ? "none" : counts.join(", ");
}

/** `+ get, list  secrets  in all namespaces  [cluster-wide, secrets]`. */
export function permissionLines({ account, namespace, added, removed }: PermissionChange): {
  readonly title: string;
  readonly added: readonly string[];
  readonly removed: readonly string[];
} {
  const line = ({ rule, flags }: PermissionRule): string => {
    const { verbs, on } = ruleWords({ ...rule, verbs: rule.verbs ?? [] });
    return `${verbs}  ${on}${flags.length === 0 ? "" : `  [${flags.join(", ")}]`}`;
  };
  return {
    title: `ServiceAccount ${account}, ${namespace === undefined ? "whole cluster" : `namespace ${namespace}`}`,
    added: added.map(line),
    removed: removed.map(line),
  };
}

/** `2 gained, 1 lost`, of rules. */
export function permissionCounts(permissions: Changes["permissions"]): string {
  const gained = permissions.reduce((sum, { added }) => sum + added.length, 0);
  const lost = permissions.reduce((sum, { removed }) => sum + removed.length, 0);
  return gained + lost === 0 ? "unchanged" : `${counted(gained, "rule")} gained, ${lost} lost`;
}

/** What may break stored objects, with the number of objects it touches. */
export function crdLines(crds: Changes["crds"]): readonly string[] {
  return crds.flatMap(({ name, findings, stored }) => {
    const objects = stored === undefined ? "stored objects not counted" : counted(stored, "stored object");
    return findings.map((finding) => `${name}: ${finding}  (${objects})`);
  });
}

const longest = 400;

/** A value on one line; a long one is cut. Values of Secrets are never shown. */
function valueText(value: JsonValue, isSecret: boolean): string {
  if (isSecret) return `(hidden, ${goJson(value).length} characters)`;
  const text = typeof value === "string" ? value : goJson(value);
  return text.length <= longest ? text : `${text.slice(0, longest)}... (${text.length} characters)`;
}

/** The lines of one changed field: its path, then `- before` and `+ after`; of a list of texts only the items that differ. */
export function fieldLines(change: FieldChange, object: ObjectReference): readonly string[] {
  const isSecret = object.kind === "Secret" && object.group === "";
  const path = formatPath(change.path);
  switch (change.kind) {
    case "added":
      return [path, `+ ${valueText(change.after, isSecret)}`];
    case "removed":
      return [path, `- ${valueText(change.before, isSecret)}`];
    case "reordered":
      return [`${path} in a different order`];
    case "changed": {
      const { before, after } = change;
      const texts = isSecret ? undefined : differingItems(before, after);
      if (texts !== undefined) return [path, ...texts];
      return [path, `- ${valueText(before, isSecret)}`, `+ ${valueText(after, isSecret)}`];
    }
  }
}

function differingItems(before: JsonValue, after: JsonValue): readonly string[] | undefined {
  if (!Array.isArray(before) || !Array.isArray(after)) return undefined;
  const [old, next] = [before, after].map((list: readonly JsonValue[]) => list.map((item) => valueText(item, false)));
  const removed = (old ?? []).filter((text) => next?.includes(text) === false).map((text) => `- ${text}`);
  const added = (next ?? []).filter((text) => old?.includes(text) === false).map((text) => `+ ${text}`);
  return removed.length + added.length === 0 ? undefined : [...removed, ...added];
}

/** The reference of an image, with its size where the registry was asked. */
export function imageWords({ image, size }: ImageChange): string {
  if (size === undefined) return image;
  return `${image}  (${size === null ? "size unknown" : sizeText(size)})`;
}
