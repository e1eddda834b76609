import { keyOf, parseKey, type ObjectKey } from "../../apis/object.ts";
import type { ObjectWrite, WriteRefusal, Written } from "../../apis/object-write.ts";
import type { Result } from "../../result.ts";
import { currentRequestId } from "../../system/request-id.ts";
import { type SpanScope, withSpan } from "../../system/current-span.ts";
import type { SpanReference } from "../../tracing.ts";
import type { ObjectChange } from "../informer.ts";
import type { Causes } from "./causes.ts";
import type { Controller, Watch } from "./controller.ts";

/** So many failures in a row belong to the trace in which the first happened. */
const failuresInTrace = 5;
/** Links of one span; further causes of a pass are not shown. */
const linksKept = 16;

/** What a pass deals with by itself: another program was faster. */
const expectedRefusals: readonly WriteRefusal["kind"][] = ["alreadyExists", "notFound", "conflict"];

/** The span of one pass. */
export interface PassSpan {
  readonly scope: SpanScope;
  /** The span ends: one that wrote nothing, did not fail and is named by no other is not sent. */
  end(
    result: "done" | "conflict" | "error",
    writes: number,
    failure?: { readonly text: string; readonly times: number },
  ): void;
}

/** The spans of one controller's passes, and what each key in its queue follows from. */
export class PassTraces {
  readonly #controller: Controller;
  readonly #causes: Causes;
  /** The first is the parent of the next pass, unless its object is on its way. */
  readonly #pending = new Map<string, readonly SpanReference[]>();

  constructor(controller: Controller, causes: Causes) {
    this.#controller = controller;
    this.#causes = causes;
  }

  /** What a change follows from; keeps the journey of the controller's own objects. */
  causeOf(watch: Watch, change: ObjectChange): SpanReference | undefined {
    const { progress, watches } = this.#controller;
    if (progress !== undefined && watch === watches[0]) this.#causes.progressed(watch.type, change, progress);
    return this.#causes.of(watch.type, change);
  }

  /** The next pass over the key follows from this span. */
  because(key: string, cause: SpanReference | undefined): void {
    if (cause === undefined) return;
    const known = this.#pending.get(key) ?? [];
    if (known.length > linksKept || known.some(({ spanId }) => spanId === cause.spanId)) return;
    this.#pending.set(key, [...known, cause]);
  }

  begin(name: string): PassSpan {
    const causes = this.#pending.get(name) ?? [];
    this.#pending.delete(name);
    const key = parseKey(name);
    const [own] = this.#controller.watches;
    const journey = own === undefined ? undefined : this.#causes.journey(own.type, key);
    const [parent, ...links] = journey === undefined ? causes : [journey, ...causes];
    const { namespace } = key;
    const span = this.#causes.tracing.begin({
      name: `${this.#controller.name} ${name}`,
      attributes: {
        "purser.controller": this.#controller.name,
        "purser.key": name,
        "purser.request": currentRequestId() ?? "",
        ...(namespace === undefined ? {} : { "k8s.namespace.name": namespace }),
      },
      ...(parent === undefined ? {} : { parent }),
      ...(links.length === 0 ? {} : { links: links.slice(0, linksKept) }),
    });
    const scope = { reference: span.reference, isNamed: false };
    return {
      scope,
      end: (result, writes, failure) => {
        if (failure !== undefined && failure.times < failuresInTrace && parent !== undefined)
          this.because(name, parent);
        if (writes === 0 && result === "done" && !scope.isNamed) return;
        const told = result === "error" ? failure?.text : undefined;
        span.end({ "purser.result": result, "purser.writes": writes }, told);
      },
    };
  }

  /** A write of a pass, as a span of its own. */
  async write(
    write: ObjectWrite,
    by: SpanReference,
    send: () => Promise<Result<Written, WriteRefusal>>,
  ): Promise<Result<Written, WriteRefusal>> {
    const { type, verb } = write;
    const key = writtenKey(write);
    const span = this.#causes.tracing.begin({
      name: `${verb} ${type.kind}`,
      kind: "client",
      attributes: {
        "purser.object.kind": type.kind,
        "purser.object.name": key.name,
        ...(key.namespace === undefined ? {} : { "k8s.namespace.name": key.namespace }),
      },
      parent: by,
    });
    const sent = this.#causes.writing(type, key, by);
    try {
      const answer = await withSpan({ reference: span.reference, isNamed: true }, send);
      sent(answer.ok ? answer.value.object : undefined);
      if (answer.ok) span.end();
      else {
        const { kind, status } = answer.problem;
        span.end({ "purser.refusal": kind }, expectedRefusals.includes(kind) ? undefined : status.message);
      }
      return answer;
    } catch (error) {
      sent();
      span.end({}, error instanceof Error ? error.message : String(error));
      throw error;
    }
  }
}

const writtenKey = (write: ObjectWrite): ObjectKey => ("key" in write ? write.key : keyOf(write.object));
