import { findCondition } from "@purser/kubernetes/apis/condition";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ClusterObjectSet } from "../../apis/v1/cluster-object-set.ts";
import type { LookedAt, LookStart } from "../look-at-member.ts";
import { keyIn } from "../member-object.ts";
import type { ObjectSetPorts } from "../object-set-ports.ts";
import type { PhaseMember } from "../resolve-phases.ts";
import type { KnownMember } from "./known-members.ts";

/** An object that is as a pass before saw it. */
export interface Unchanged extends KnownMember {
  readonly kind: "unchanged";
  /** A watch shows that; else it was seen moments ago. */
  readonly isShown: boolean;
}

export const hasSucceeded = ({ status }: ClusterObjectSet): boolean =>
  findCondition(status?.conditions, "Succeeded")?.status === "True";

/** What passes before saw of the objects of one revision. */
export class PhaseMemory {
  readonly #known: ObjectSetPorts["known"];
  /** The state of the revisions that decides what is wanted of its objects. */
  readonly #revision: string;
  /** Most likely its objects do not exist before it creates them. */
  readonly #createsAll: boolean;

  constructor(revision: ClusterObjectSet, siblings: readonly ClusterObjectSet[], known: ObjectSetPorts["known"]) {
    const { metadata, spec } = revision;
    const others = siblings.map(({ metadata: { uid } }) => uid ?? "").toSorted();
    this.#known = known;
    this.#revision = [metadata.uid, metadata.generation, ...others].join(" ");
    this.#createsAll = known !== undefined && spec?.revision === 1 && siblings.length === 0 && !hasSucceeded(revision);
  }

  /** Of an object that has not changed since the last pass; undefined when it has to be read. */
  unchanged({ object }: PhaseMember): Unchanged | undefined {
    const manifest = object as unknown as KubeObject;
    const found = this.#known?.members.of(this.#revision, manifest, this.#known.versions);
    return found === undefined ? undefined : { kind: "unchanged", ...found };
  }

  /** What is known of an object without a read: most likely it does not exist, or a watch shows how it is. */
  start({ object }: PhaseMember): LookStart {
    const manifest = object as unknown as KubeObject;
    if (this.#known === undefined) return "unread";
    const { members, versions } = this.#known;
    if (this.#createsAll && !members.exists(this.#revision, manifest)) return "absent";
    return members.changed(this.#revision, manifest, versions) ?? "unread";
  }

  /** @param fault why it is not ready */
  note(
    { object }: PhaseMember,
    end: { readonly kind: "unwritten" } | Unchanged | LookedAt,
    fault: string | undefined,
  ): void {
    const manifest = object as unknown as KubeObject;
    if (end.kind === "collision") this.#known?.members.meet(this.#revision, manifest);
    if (end.kind !== "applied" && end.kind !== "progressed") return;
    const { type, isFilled = false, rotateAt } = end;
    // What follows from other objects, what a newer revision controls and what has a former owner, whose reference the next write
    // removes, is read in each pass.
    const isShared = end.kind === "progressed" || end.object.metadata.ownerReferences?.length !== 1;
    if (type === undefined || isFilled || rotateAt !== undefined || isShared)
      this.#known?.members.meet(this.#revision, manifest);
    else
      this.#known?.members.note(this.#revision, manifest, end.object, keyIn(type, manifest), {
        type,
        ...(fault === undefined ? {} : { fault }),
      });
  }
}
