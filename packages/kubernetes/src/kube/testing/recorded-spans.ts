import type { OpenSpan, SpanAttributes, SpanStart, Tracing } from "../../tracing.ts";

/** A span that has begun; `end` is set when it was sent. */
export interface RecordedSpan extends SpanStart {
  readonly id: string;
  end?: { readonly attributes: SpanAttributes; readonly failure?: string };
}

/** Spans with ids `1`, `2` and so on. */
export class RecordedSpans implements Tracing {
  readonly spans: RecordedSpan[] = [];

  begin(start: SpanStart): OpenSpan {
    const span: RecordedSpan = { ...start, id: String(this.spans.length + 1) };
    this.spans.push(span);
    return {
      reference: { traceId: start.parent?.traceId ?? span.id, spanId: span.id, isSampled: true },
      end: (attributes = {}, failure) => {
        span.end = { attributes, ...(failure === undefined ? {} : { failure }) };
      },
    };
  }

  /** `NAME < PARENT`, in the order of their beginnings, of those that were sent. */
  sent(): readonly string[] {
    const nameOf = (id: string | undefined): string => this.spans.find((span) => span.id === id)?.name ?? "-";
    return this.spans.flatMap(({ name, parent, end }) =>
      end === undefined
        ? []
        : [`${name} < ${nameOf(parent?.spanId)}${end.failure === undefined ? "" : ` (${end.failure})`}`],
    );
  }
}
