import assert from "node:assert/strict";
import { test } from "node:test";
import { traceSettings } from "./trace-settings.ts";

const on = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318" };
const settings = { kind: "otlp", sampler: { root: { kind: "all" } }, batch: {}, warnings: [] } as const;
const off = { kind: "off" } as const;

for (const [title, env, endpoint, wanted] of [
  ["nothing", {}, undefined, off],
  ["an empty address", { OTEL_EXPORTER_OTLP_ENDPOINT: " " }, undefined, off],
  ["an address", on, undefined, settings],
  ["the address of traces", { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://c/x" }, undefined, settings],
  ["the exporter alone", { OTEL_TRACES_EXPORTER: "otlp" }, undefined, settings],
  ["the exporter none beside an address", { ...on, OTEL_TRACES_EXPORTER: "none" }, undefined, off],
  ["a disabled SDK", { ...on, OTEL_SDK_DISABLED: "TRUE" }, "http://c", off],
  ["the flag", {}, "https://c:4318/base/", { ...settings, url: "https://c:4318/base/v1/traces" }],
  ["the flag beside none", { OTEL_TRACES_EXPORTER: "none" }, "http://c", { ...settings, url: "http://c/v1/traces" }],
  [
    "another exporter",
    { ...on, OTEL_TRACES_EXPORTER: "zipkin" },
    undefined,
    { ...off, warning: "OTEL_TRACES_EXPORTER=zipkin is not supported; write otlp or none" },
  ],
  [
    "another protocol",
    { ...on, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" },
    undefined,
    { ...off, warning: "OTEL_EXPORTER_OTLP_PROTOCOL=grpc is not supported; write http/protobuf" },
  ],
  [
    "the protocol of traces before that of all",
    { ...on, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc", OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/protobuf" },
    undefined,
    settings,
  ],
  [
    "a sampler of none",
    { ...on, OTEL_TRACES_SAMPLER: "always_off" },
    undefined,
    { ...settings, sampler: { root: { kind: "none" } } },
  ],
  [
    "a part of all traces",
    { ...on, OTEL_TRACES_SAMPLER: "parentbased_traceidratio", OTEL_TRACES_SAMPLER_ARG: "0.25" },
    undefined,
    { ...settings, sampler: { root: { kind: "ratio", ratio: 0.25 } } },
  ],
  [
    "values that mean nothing",
    { ...on, OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "2", OTEL_BSP_MAX_QUEUE_SIZE: "many" },
    undefined,
    {
      ...settings,
      warnings: [
        "OTEL_TRACES_SAMPLER_ARG=2 is not a number from 0 to 1; every trace is sent",
        "OTEL_BSP_MAX_QUEUE_SIZE=many is not a number above 0; the default is used",
      ],
    },
  ],
  [
    "an unknown sampler",
    { ...on, OTEL_TRACES_SAMPLER: "jaeger_remote" },
    undefined,
    { ...settings, warnings: ["OTEL_TRACES_SAMPLER=jaeger_remote is not supported; every trace is sent"] },
  ],
  [
    "limits of batches",
    {
      ...on,
      OTEL_BSP_SCHEDULE_DELAY: "100",
      OTEL_BSP_EXPORT_TIMEOUT: "200",
      OTEL_BSP_MAX_QUEUE_SIZE: "300",
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "40",
    },
    undefined,
    {
      ...settings,
      batch: { scheduledDelayMillis: 100, exportTimeoutMillis: 200, maxQueueSize: 300, maxExportBatchSize: 40 },
    },
  ],
] as const)
  test(`spans with ${title}: ${wanted.kind}`, () => assert.deepEqual(traceSettings(env, endpoint), wanted));
