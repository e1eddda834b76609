import { createHash } from "node:crypto";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { plainJson, type JsonValue } from "@purser/kubernetes/json";
import { doubleJson } from "@purser/kubernetes/text/documents";
import { differences } from "../plan/applied-already.ts";

interface StoredForm {
  /** Digest of the object that was written. */
  readonly written: string;
  /** Digest of where, and how, what the API server stored differs from it. */
  readonly different: string;
}

/** Objects, of which each costs 200 bytes. */
const most = 20_000;

/**
 * What API servers make of written objects that they do not keep as they are: they drop empty maps and lists, and write quantities
 * in another form. An object that still differs only so from what is wanted needs no write.
 */
const forms = new Map<string, StoredForm>();

/** Notes what the API server made of an object. */
export function noteStoredForm(written: KubeObject, stored: KubeObject): void {
  const { uid = "" } = stored.metadata;
  forms.delete(uid);
  forms.set(uid, { written: digestOfWritten(written), different: digestOfDifferences(stored, written) });
  const [oldest = ""] = forms.keys();
  if (forms.size > most) forms.delete(oldest);
}

/** Whether `live` differs from `wanted` only as it did when this process wrote the same object last. */
export function isStoredForm(live: KubeObject, wanted: KubeObject): boolean {
  const form = forms.get(live.metadata.uid ?? "");
  return (
    form !== undefined &&
    form.written === digestOfWritten(wanted) &&
    form.different === digestOfDifferences(live, wanted)
  );
}

function digestOfWritten(object: KubeObject): string {
  const { resourceVersion: _version, ...metadata } = object.metadata;
  return digestOf(plainJson({ ...object, metadata }));
}

const digestOfDifferences = (live: KubeObject, wanted: KubeObject): string =>
  digestOf([...differences(live, wanted)] as unknown as JsonValue);

const digestOf = (value: JsonValue): string => createHash("sha256").update(doubleJson(value)).digest("base64");
