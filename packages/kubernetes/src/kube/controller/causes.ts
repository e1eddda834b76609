import { formatKey, keyOf, type KubeObject, type ObjectKey } from "../../apis/object.ts";
import { groupResource, type ResourceType } from "../../apis/resource-type.ts";
import type { OpenSpan, SpanReference, Tracing } from "../../tracing.ts";
import type { ObjectChange } from "../informer.ts";
import type { Progress } from "../plan.ts";

/** Writes that are remembered: a change that arrives later begins a trace of its own. */
const writesKept = 10_000;
/** Objects on their way whose span is open; further ones have none. */
const journeysKept = 10_000;

/**
 * Which pass led to which change, for the controllers of one process. A change that a pass wrote is recognised by the version of
 * the object, or while the write is under way by its name. An object on its way has a span of its own, its journey, from the change
 * that set it going to its end: passes over it belong to that span, also those that other programs' changes lead to.
 */
export class Causes {
  readonly tracing: Tracing;
  readonly #writes = new Map<string, SpanReference>();
  readonly #underway = new Map<string, SpanReference>();
  readonly #journeys = new Map<string, { readonly uid: string; readonly span: OpenSpan }>();

  constructor(tracing: Tracing) {
    this.tracing = tracing;
  }

  /**
   * A write is sent: until the returned function is called, changes of the object follow from the span.
   * @returns to be called with the object as stored, if there is one
   */
  writing(type: ResourceType, key: ObjectKey, by: SpanReference): (stored?: KubeObject) => void {
    const name = nameOf(type, key);
    this.#underway.set(name, by);
    return (stored) => {
      const version = stored === undefined ? undefined : versionOf(stored);
      if (version !== undefined) this.#remember(version, by);
      if (this.#underway.get(name) === by) this.#underway.delete(name);
    };
  }

  /** The span that a change follows from; undefined when no pass of this process made it. */
  of(type: ResourceType, { before, after }: ObjectChange): SpanReference | undefined {
    const object = after ?? before;
    if (object === undefined) return undefined;
    const version = versionOf(object);
    const known = version === undefined || after === undefined ? undefined : this.#writes.get(version);
    return known ?? this.#underway.get(nameOf(type, keyOf(object)));
  }

  /** The journey of an object that is on its way. */
  journey(type: ResourceType, key: ObjectKey): SpanReference | undefined {
    return this.#journeys.get(nameOf(type, key))?.span.reference;
  }

  /** Begins or ends the object's journey. */
  progressed(type: ResourceType, change: ObjectChange, progressOf: (object: KubeObject) => Progress): void {
    const object = change.after ?? change.before;
    if (object === undefined) return;
    const name = nameOf(type, keyOf(object));
    const open = this.#journeys.get(name);
    const uid = object.metadata.uid ?? "";
    if (open !== undefined && (change.after === undefined || open.uid !== uid)) this.#end(name, "Deleted", "deleted");
    if (change.after === undefined) return;
    const progress = progressOf(object);
    if (progress.kind !== "working") {
      this.#end(name, progress.state, progress.kind === "failed" ? progress.message : undefined);
      return;
    }
    if (this.#journeys.has(name) || this.#journeys.size >= journeysKept) return;
    const parent = this.of(type, change);
    const { namespace } = object.metadata;
    const span = this.tracing.begin({
      name: `${type.kind} ${formatKey(keyOf(object))}`,
      attributes: {
        "purser.object.kind": type.kind,
        "purser.object.name": object.metadata.name ?? "",
        ...(namespace === undefined ? {} : { "k8s.namespace.name": namespace }),
        "purser.state.first": progress.state,
      },
      ...(parent === undefined ? {} : { parent }),
    });
    this.#journeys.set(name, { uid, span });
  }

  /** Ends what is open: another process, or the next start, goes on in traces of its own. */
  close(): void {
    for (const name of this.#journeys.keys()) this.#end(name, "Interrupted", undefined);
  }

  #end(name: string, state: string, failure: string | undefined): void {
    const open = this.#journeys.get(name);
    this.#journeys.delete(name);
    open?.span.end({ "purser.state": state }, failure);
  }

  #remember(version: string, by: SpanReference): void {
    this.#writes.delete(version);
    this.#writes.set(version, by);
    const [oldest] = this.#writes.keys();
    if (this.#writes.size > writesKept && oldest !== undefined) this.#writes.delete(oldest);
  }
}

const nameOf = (type: ResourceType, key: ObjectKey): string => `${groupResource(type)} ${formatKey(key)}`;

function versionOf({ metadata: { uid, resourceVersion } }: KubeObject): string | undefined {
  return uid === undefined || resourceVersion === undefined ? undefined : `${uid} ${resourceVersion}`;
}
