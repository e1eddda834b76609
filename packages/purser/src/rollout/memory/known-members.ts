import type { KubeObject, ObjectKey } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { Clock } from "@purser/kubernetes/clock";
import type { ObjectVersion, VersionView } from "@purser/kubernetes/kube/informer-cache";

/** How long an object that no watch shows yet counts as it was seen. It bounds the time of a repair before the watch has begun. */
export const unwatchedMs = 3_000;
/** After this an object is read again although no watch brought a change. */
export const knownMs = 600_000;

/** Objects that are kept, of all revisions; each costs about 300 bytes. */
const most = 10_000;

/** What is kept of an object that was as its revision wants it. */
export interface KnownMember {
  readonly type: ResourceType;
  /** Why it is not ready; undefined when its probes pass. */
  readonly fault?: string;
}

interface Noted extends KnownMember {
  readonly key: ObjectKey;
  readonly version: ObjectVersion;
  /** By the monotonic clock. */
  readonly at: number;
  wasShown: boolean;
}

/**
 * The objects of revisions in the versions in which they were seen last. While the watch on their type shows no other version they
 * are as they were, so that a pass reads only what changed.
 */
export class KnownMembers {
  readonly #clock: Pick<Clock, "monotonic">;
  /** Undefined: the object exists, and has to be read. */
  readonly #entries = new Map<string, Noted | undefined>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /**
   * An object that has not changed since it was noted; undefined when it may have. `isShown`: a watch says so; else it was noted
   * moments ago and the caller has to look again after `unwatchedMs`.
   * @param revision identifies the revision in the state that its objects were noted for
   */
  of(
    revision: string,
    object: KubeObject,
    versions: Pick<VersionView, "changeSince">,
  ): (KnownMember & { readonly isShown: boolean }) | undefined {
    const noted = this.#entries.get(nameOf(revision, object));
    if (noted === undefined) return undefined;
    const { type, fault, key, version, at } = noted;
    const age = this.#clock.monotonic() - at;
    const known = { type, ...(fault === undefined ? {} : { fault }) };
    const change = versions.changeSince(type, key, version);
    if (change === "unseen") return !noted.wasShown && age < unwatchedMs ? { ...known, isShown: false } : undefined;
    noted.wasShown = true;
    return change === "none" && age < knownMs ? { ...known, isShown: true } : undefined;
  }

  /** An object that has changed since it was noted, as a watch shows it whole; undefined when it has to be read. */
  changed(
    revision: string,
    object: KubeObject,
    versions: Pick<VersionView, "changeSince" | "lastSeen">,
  ): KubeObject | undefined {
    const noted = this.#entries.get(nameOf(revision, object));
    if (noted === undefined || this.#clock.monotonic() - noted.at >= knownMs) return undefined;
    const { type, key, version } = noted;
    return versions.changeSince(type, key, version) === "changed" ? versions.lastSeen(type, key) : undefined;
  }

  /** Whether the object of the revision was met on the cluster. */
  exists(revision: string, object: KubeObject): boolean {
    return this.#entries.has(nameOf(revision, object));
  }

  /** Notes that the object exists, as what it is may change without a change of the object itself. */
  meet(revision: string, object: KubeObject): void {
    this.#keep(nameOf(revision, object), undefined);
  }

  /** Notes an object as it was read or written. */
  note(revision: string, object: KubeObject, live: KubeObject, key: ObjectKey, known: KnownMember): void {
    const { uid, resourceVersion } = live.metadata;
    const isVersioned = uid !== undefined && resourceVersion !== undefined;
    this.#keep(
      nameOf(revision, object),
      isVersioned
        ? { ...known, key, version: { uid, resourceVersion }, at: this.#clock.monotonic(), wasShown: false }
        : undefined,
    );
  }

  #keep(name: string, noted: Noted | undefined): void {
    this.#entries.delete(name);
    this.#entries.set(name, noted);
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= most) break;
      this.#entries.delete(oldest);
    }
  }
}

const nameOf = (revision: string, { apiVersion, kind, metadata }: KubeObject): string =>
  `${revision} ${apiVersion} ${kind} ${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
