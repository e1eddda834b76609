/** Whether spans are made, and how they are sent. */
export type TraceSettings =
  /** `warning`: they were asked for in a way that is not supported. */
  | { readonly kind: "off"; readonly warning?: string }
  | {
      readonly kind: "otlp";
      /** Of the traces alone; absent: as `OTEL_EXPORTER_OTLP_ENDPOINT` and its neighbours say, which the exporter reads. */
      readonly url?: string;
      readonly sampler: SamplerChoice;
      readonly batch: BatchLimits;
      /** Values that are ignored, as the specification of OpenTelemetry asks for. */
      readonly warnings: readonly string[];
    };

/** The settings with what each span names. */
export interface TraceOptions {
  readonly settings: TraceSettings;
  /** Of Purser. */
  readonly version: string;
}

export interface SamplerChoice {
  readonly root:
    | { readonly kind: "all" }
    | { readonly kind: "none" }
    | { readonly kind: "ratio"; readonly ratio: number };
}

export interface BatchLimits {
  readonly scheduledDelayMillis?: number;
  readonly exportTimeoutMillis?: number;
  readonly maxQueueSize?: number;
  readonly maxExportBatchSize?: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * From the variables that OpenTelemetry specifies for its SDKs, and the flag `--otlp-endpoint`, which goes before their address.
 * Off unless an address or the exporter `otlp` is named.
 */
export function traceSettings(env: Environment, endpoint: string | undefined): TraceSettings {
  const value = (name: string): string | undefined => (env[name]?.trim() === "" ? undefined : env[name]?.trim());
  if (value("OTEL_SDK_DISABLED")?.toLowerCase() === "true") return { kind: "off" };
  const exporters = value("OTEL_TRACES_EXPORTER")?.split(",");
  const address = value("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") ?? value("OTEL_EXPORTER_OTLP_ENDPOINT");
  if (endpoint === undefined) {
    if (exporters === undefined && address === undefined) return { kind: "off" };
    if (exporters?.includes("none") === true) return { kind: "off" };
    if (exporters !== undefined && !exporters.includes("otlp"))
      return { kind: "off", warning: `OTEL_TRACES_EXPORTER=${exporters.join()} is not supported; write otlp or none` };
  }
  const protocolVariable = ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"].find(
    (name) => value(name) !== undefined,
  );
  const protocol = protocolVariable === undefined ? undefined : value(protocolVariable);
  if (protocol !== undefined && protocol !== "http/protobuf")
    return { kind: "off", warning: `${protocolVariable}=${protocol} is not supported; write http/protobuf` };
  const warnings: string[] = [];
  return {
    kind: "otlp",
    ...(endpoint === undefined ? {} : { url: `${endpoint.replace(/\/+$/, "")}/v1/traces` }),
    sampler: samplerOf(value("OTEL_TRACES_SAMPLER"), value("OTEL_TRACES_SAMPLER_ARG"), warnings),
    batch: batchOf(value, warnings),
    warnings,
  };
}

/** What begins a trace is sampled as named; what goes on in one as its beginning was. */
function samplerOf(name: string | undefined, argument: string | undefined, warnings: string[]): SamplerChoice {
  const ratio = (): SamplerChoice => {
    const number = argument === undefined ? 1 : Number(argument);
    if (number >= 0 && number <= 1) return { root: { kind: "ratio", ratio: number } };
    warnings.push(`OTEL_TRACES_SAMPLER_ARG=${argument} is not a number from 0 to 1; every trace is sent`);
    return { root: { kind: "all" } };
  };
  switch (name) {
    case undefined:
    case "always_on":
    case "parentbased_always_on":
      return { root: { kind: "all" } };
    case "always_off":
    case "parentbased_always_off":
      return { root: { kind: "none" } };
    case "traceidratio":
    case "parentbased_traceidratio":
      return ratio();
    default:
      warnings.push(`OTEL_TRACES_SAMPLER=${name} is not supported; every trace is sent`);
      return { root: { kind: "all" } };
  }
}

const batchVariables: readonly (readonly [keyof BatchLimits, string])[] = [
  ["scheduledDelayMillis", "OTEL_BSP_SCHEDULE_DELAY"],
  ["exportTimeoutMillis", "OTEL_BSP_EXPORT_TIMEOUT"],
  ["maxQueueSize", "OTEL_BSP_MAX_QUEUE_SIZE"],
  ["maxExportBatchSize", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE"],
];

function batchOf(value: (name: string) => string | undefined, warnings: string[]): BatchLimits {
  return Object.fromEntries(
    batchVariables.flatMap(([limit, name]) => {
      const text = value(name);
      if (text === undefined) return [];
      if (/^[1-9]\d{0,8}$/.test(text)) return [[limit, Number(text)]];
      warnings.push(`${name}=${text} is not a number above 0; the default is used`);
      return [];
    }),
  );
}
