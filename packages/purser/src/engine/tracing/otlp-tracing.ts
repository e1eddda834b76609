import {
  diag,
  DiagLogLevel,
  type Link,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
} from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { Clock } from "@purser/kubernetes/clock";
import type { Log } from "@purser/kubernetes/kube/log";
import type { SpanReference, SpanStart, Tracing } from "@purser/kubernetes/tracing";
import type { SamplerChoice, TraceSettings } from "./trace-settings.ts";

/** How long an ending process tries to send what is left. */
const flushMs = 3000;
/** An error text of the exporter is logged once in this time. */
const quietMs = 5 * 60 * 1000;

export interface OpenTracing extends Tracing {
  /** Sends what has ended and was not sent yet, for a few seconds at most. */
  stop(): Promise<void>;
}

/** Spans over OTLP through the OpenTelemetry SDK. What cannot be sent is dropped and logged; nothing waits for it. */
export function openOtlpTracing(
  { url, sampler, batch }: Extract<TraceSettings, { readonly kind: "otlp" }>,
  { clock, log, version, instance }: OtlpSurroundings,
): OpenTracing {
  diag.setLogger(loggingOnce(log, clock), { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  const exporter = new OTLPTraceExporter(url === undefined ? {} : { url });
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(
        resourceFromAttributes({
          "service.name": "purser",
          "service.version": version,
          "service.instance.id": instance,
        }),
      )
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: new ParentBasedSampler({ root: rootSampler(sampler) }),
    spanProcessors: [new BatchSpanProcessor({ ...batch, exporter })],
  });
  const tracer = provider.getTracer("purser", version);
  return {
    begin({ name, kind, attributes = {}, parent, links = [], startedAt }: SpanStart) {
      const context = parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, contextOf(parent));
      const span = tracer.startSpan(
        name,
        {
          attributes: mutable(attributes),
          startTime: new Date(startedAt ?? clock.now()),
          ...(kind === undefined ? {} : { kind: SpanKind.CLIENT }),
          ...(links.length === 0 ? {} : { links: links.map((link): Link => ({ context: contextOf(link) })) }),
        },
        context,
      );
      return {
        reference: referenceOf(span.spanContext()),
        end(further = {}, failure) {
          span.setAttributes(mutable(further));
          if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: failure });
          span.end(new Date(clock.now()));
        },
      };
    },
    async stop() {
      const ending = new AbortController();
      const patience = clock.sleep(flushMs, ending.signal).catch(() => {});
      await Promise.race([provider.shutdown().catch(() => {}), patience]);
      ending.abort();
      diag.disable();
    },
  };
}

export interface OtlpSurroundings {
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
  /** Tells this process from others. */
  readonly instance: string;
}

function rootSampler({ root }: SamplerChoice): Sampler {
  switch (root.kind) {
    case "all":
      return new AlwaysOnSampler();
    case "none":
      return new AlwaysOffSampler();
    case "ratio":
      return new TraceIdRatioBasedSampler(root.ratio);
  }
}

const contextOf = ({ traceId, spanId, isSampled }: SpanReference): SpanContext => ({
  traceId,
  spanId,
  traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
});

const referenceOf = ({ traceId, spanId, traceFlags }: SpanContext): SpanReference => ({
  traceId,
  spanId,
  isSampled: (traceFlags & TraceFlags.SAMPLED) !== 0,
});

const mutable = (
  attributes: NonNullable<SpanStart["attributes"]>,
): Record<string, string | number | boolean | string[]> =>
  Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [name, typeof value === "object" ? [...value] : value]),
  );

type DiagLogger = Parameters<typeof diag.setLogger>[0];

/** The SDK repeats its complaint for every batch. */
function loggingOnce(log: Log, clock: Clock): DiagLogger {
  const said = new Map<string, number>();
  const say = (text: string, details: readonly unknown[]): void => {
    const line = [text, ...details.map(String)].join(" ").slice(0, 500);
    const now = clock.monotonic();
    const before = said.get(line);
    if (before !== undefined && now - before < quietMs) return;
    if (said.size > 100) said.clear();
    said.set(line, now);
    log("warn", "spans could not be sent", { error: line });
  };
  const drop = (): void => {};
  return {
    error: (text, ...details) => say(text, details),
    warn: (text, ...details) => say(text, details),
    info: drop,
    debug: drop,
    verbose: drop,
  };
}
