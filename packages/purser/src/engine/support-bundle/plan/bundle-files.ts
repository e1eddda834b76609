import type { Event } from "@purser/kubernetes/apis/core";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asJson } from "@purser/kubernetes/apis/object";
import { compareBytes } from "@purser/kubernetes/text/documents";
import { type JsonValue, plainJson } from "@purser/kubernetes/json";
import type { DoctorCheck } from "../../doctor/plan/check.ts";
import { redacted, redactedText } from "./redact.ts";

export interface ObservedKind {
  /** `RESOURCE.GROUP`, or `RESOURCE` of the core group. */
  readonly resource: string;
  readonly objects: readonly KubeObject[];
  /** Not all were read. */
  readonly isCut: boolean;
}

export interface SupportWorld {
  readonly versions: { readonly client: string; readonly cluster: string };
  readonly checks: readonly DoctorCheck[];
  readonly kinds: readonly ObservedKind[];
  /** What the user may not read, as `list pods`. */
  readonly unread: readonly string[];
  readonly logs: readonly {
    readonly namespace: string;
    readonly pod: string;
    readonly container: string;
    readonly text: string;
  }[];
}

/** Events that happened at or after a time, in ms; one without a time is kept. */
export function eventsAfter(events: readonly KubeObject[], after: number): readonly KubeObject[] {
  return events.filter((event) => {
    const { lastTimestamp, eventTime, series, metadata } = event as Event;
    const last = series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? metadata.creationTimestamp;
    return last === undefined || last === null || Date.parse(last) >= after;
  });
}

export interface BundleFile {
  readonly path: string;
  readonly text: string;
}

const mostCharacters = 4 * 2 ** 20;

/**
 * The files of a support bundle, redacted, in byte order of their paths; each holds about 4 Mi characters at most. `contents.json` names them,
 * which of them are cut, and what the user may not read.
 */
export function bundleFiles(world: SupportWorld): readonly BundleFile[] {
  const files = [
    jsonFile("doctor.json", { checks: world.checks.map((check) => plainJson({ ...check })) }),
    jsonFile("versions.json", world.versions),
    ...world.kinds.map(kindFile),
    ...world.logs.map(({ namespace, pod, container, text }): CutFile => {
      const shown = redactedText(text);
      const path = `logs/${namespace}/${pod}/${container}.log`;
      return { path, text: shown.slice(-mostCharacters), isCut: shown.length > mostCharacters };
    }),
  ].toSorted((a, b) => compareBytes(a.path, b.path));
  const contents = files.map(({ path, text, isCut }) => ({ path, characters: text.length, isCut }));
  return [jsonFile("contents.json", { files: contents, unread: world.unread }), ...files].map(({ path, text }) => ({
    path,
    text,
  }));
}

interface CutFile extends BundleFile {
  readonly isCut: boolean;
}

const jsonFile = (path: string, value: JsonValue): CutFile => ({
  path,
  text: `${JSON.stringify(redacted(value), undefined, 2)}\n`,
  isCut: false,
});

/** By namespace and name; the objects that no longer fit are left out whole. */
function kindFile({ resource, objects, isCut }: ObservedKind): CutFile {
  const key = ({ metadata: { namespace = "", name = "" } }: KubeObject): string => `${namespace}/${name}`;
  const kept: JsonValue[] = [];
  let characters = 0;
  for (const object of objects.toSorted((a, b) => compareBytes(key(a), key(b)))) {
    const shown = redacted(asJson(object));
    characters += JSON.stringify(shown, undefined, 2).length;
    if (characters > mostCharacters) break;
    kept.push(shown);
  }
  const { path, text } = jsonFile(`objects/${resource}.json`, kept);
  return { path, text, isCut: isCut || kept.length < objects.length };
}
