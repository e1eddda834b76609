/** A span by its ids, as in the header `traceparent`: what later spans name as their parent or link. */
export interface SpanReference {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  readonly isSampled: boolean;
}

export type SpanAttributes = Readonly<Record<string, string | number | boolean | readonly string[]>>;

export interface SpanStart {
  readonly name: string;
  /** `client`: a request to another process. Default: work of this one. */
  readonly kind?: "client";
  readonly attributes?: SpanAttributes;
  /** Absent: the span begins a trace. */
  readonly parent?: SpanReference;
  /** What else led to it. */
  readonly links?: readonly SpanReference[];
  /** Epoch milliseconds; default now. */
  readonly startedAt?: number;
}

/** A span that has begun. One that is never ended is never sent. */
export interface OpenSpan {
  readonly reference: SpanReference;
  /** @param failure why the work failed; absent: it did not */
  end(attributes?: SpanAttributes, failure?: string): void;
}

/** Where spans go. Absent wherever it is optional: none are made. */
export interface Tracing {
  begin(start: SpanStart): OpenSpan;
}

/** The value of the header `traceparent` (W3C Trace Context). */
export function traceParent({ traceId, spanId, isSampled }: SpanReference): string {
  return `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`;
}
