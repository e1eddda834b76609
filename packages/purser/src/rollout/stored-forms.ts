import { createHash } from "node:crypto";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { plainJson } from "@purser/kubernetes/json";
import { doubleJson } from "@purser/kubernetes/text/documents";

interface StoredForm {
  /** Digest of the object that was written. */
  readonly written: string;
  /** Digest of what the API server made of it. */
  readonly stored: string;
}

/** Objects, of which each costs 200 bytes. */
const most = 20_000;

/**
 * What API servers make of written objects that they do not keep as they are: they drop empty maps and lists, and write quantities
 * in another form. An object that still is what it became then needs no write, although its fields differ from those wanted.
 */
const forms = new Map<string, StoredForm>();

/** Notes what the API server made of an object. */
export function noteStoredForm(written: KubeObject, stored: KubeObject): void {
  const { uid = "" } = stored.metadata;
  forms.delete(uid);
  forms.set(uid, { written: digestOf(written), stored: digestOf(stored) });
  const [oldest = ""] = forms.keys();
  if (forms.size > most) forms.delete(oldest);
}

/** Whether `live` is what the API server made of the same `wanted` when it was written last by this process. */
export function isStoredForm(live: KubeObject, wanted: KubeObject): boolean {
  const form = forms.get(live.metadata.uid ?? "");
  return form !== undefined && form.written === digestOf(wanted) && form.stored === digestOf(live);
}

/** Without the status and what changes with every write. */
function digestOf(object: KubeObject): string {
  const { metadata, status: _status, ...rest } = object as KubeObject & { readonly status?: unknown };
  const { resourceVersion: _version, managedFields: _managed, ...kept } = metadata;
  return createHash("sha256")
    .update(doubleJson(plainJson({ ...rest, metadata: kept })))
    .digest("base64");
}
