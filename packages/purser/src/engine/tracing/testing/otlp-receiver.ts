import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";

/** A span as it arrived (opentelemetry/proto/trace/v1/trace.proto). */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty: it begins its trace. */
  readonly parentId: string;
  readonly name: string;
  readonly startedAt: bigint;
  readonly endedAt: bigint;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  readonly links: readonly string[];
  /** The text of the status when it is an error. */
  readonly failure?: string;
  /** Attributes of the process that sent it. */
  readonly resource: Readonly<Record<string, string | number | boolean>>;
}

export interface OtlpReceiver {
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  /** Method, path and headers of each request. */
  readonly requests: readonly { readonly path: string; readonly headers: Readonly<Record<string, unknown>> }[];
  stop(): Promise<void>;
}

/** A collector of spans for tests: OTLP over HTTP with protobuf bodies. @param status its answer to each request */
export async function startOtlpReceiver(status = 200): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const requests: OtlpReceiver["requests"][number][] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const sent = Buffer.concat(chunks);
      requests.push({ path: `${request.method} ${request.url}`, headers: request.headers });
      if (status === 200)
        spans.push(...readRequest(request.headers["content-encoding"] === "gzip" ? gunzipSync(sent) : sent));
      response.writeHead(status, { "content-type": "application/x-protobuf" }).end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    requests,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Fields = ReadonlyMap<number, readonly (Uint8Array | bigint)[]>;

/** All fields of a message: bytes of those with a length, numbers of all others. */
function fieldsOf(bytes: Uint8Array): Fields {
  const reader = new BinaryReader(bytes);
  const fields = new Map<number, (Uint8Array | bigint)[]>();
  while (reader.pos < reader.len) {
    const [field, wire] = reader.tag();
    const list = fields.get(field) ?? [];
    fields.set(field, list);
    if (wire === WireType.LengthDelimited) list.push(reader.bytes());
    else if (wire === WireType.Bit64) list.push(BigInt(reader.fixed64()));
    else if (wire === WireType.Varint) list.push(BigInt(reader.uint64()));
    else reader.skip(wire);
  }
  return fields;
}

const messages = (fields: Fields, field: number): readonly Fields[] =>
  (fields.get(field) ?? []).map((value) => fieldsOf(value as Uint8Array));
const bytesOf = (fields: Fields, field: number): Uint8Array =>
  (fields.get(field)?.[0] ?? new Uint8Array()) as Uint8Array;
const textOf = (fields: Fields, field: number): string => Buffer.from(bytesOf(fields, field)).toString("utf8");
const hexOf = (fields: Fields, field: number): string => Buffer.from(bytesOf(fields, field)).toString("hex");
const numberOf = (fields: Fields, field: number): bigint => (fields.get(field)?.[0] ?? 0n) as bigint;

function readRequest(body: Uint8Array): readonly ReceivedSpan[] {
  return messages(fieldsOf(body), 1).flatMap((group) => {
    const resource = attributesOf(messages(group, 1)[0] ?? new Map(), 1);
    return messages(group, 2).flatMap((scope) => messages(scope, 2).map((span) => readSpan(span, resource)));
  });
}

function readSpan(span: Fields, resource: ReceivedSpan["resource"]): ReceivedSpan {
  const [status] = messages(span, 15);
  return {
    traceId: hexOf(span, 1),
    spanId: hexOf(span, 2),
    parentId: hexOf(span, 4),
    name: textOf(span, 5),
    startedAt: numberOf(span, 7),
    endedAt: numberOf(span, 8),
    attributes: attributesOf(span, 9),
    links: messages(span, 13).map((link) => hexOf(link, 2)),
    ...(status !== undefined && numberOf(status, 3) === 2n ? { failure: textOf(status, 2) } : {}),
    resource,
  };
}

function attributesOf(fields: Fields, field: number): ReceivedSpan["attributes"] {
  return Object.fromEntries(
    messages(fields, field).map((pair) => {
      const value = messages(pair, 2)[0] ?? new Map();
      if (value.has(2)) return [textOf(pair, 1), numberOf(value, 2) === 1n];
      return [textOf(pair, 1), value.has(3) ? Number(numberOf(value, 3)) : textOf(value, 1)];
    }),
  );
}
