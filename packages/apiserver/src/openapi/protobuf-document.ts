import type { Answer } from "../request/answer.ts";

/** The media type that clients request and the one that kube-apiserver returns. */
const asked = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
const given = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

/** Field `number` of a message: a string or message shorter than 128 bytes. */
function field(number: number, content: Uint8Array): Uint8Array {
  return Uint8Array.of((number << 3) | 2, content.length, ...content);
}

const text = (value: string): Uint8Array => new TextEncoder().encode(value);

/** `openapi.v2.Document` with `swagger` and `info`, without paths and definitions. */
const document = Uint8Array.from([
  ...field(1, text("2.0")),
  ...field(2, Uint8Array.from([...field(1, text("Kubernetes")), ...field(2, text("v1.36.3"))])),
]);

/**
 * An empty OpenAPI 2 document in protobuf, undefined when the client did not request protobuf. kubectl requests it when
 * OpenAPI 3 lacks a kind; it must be able to parse the response to report that the kind does not exist.
 */
export function protobufDocument(accept: string | undefined): Answer | undefined {
  if (accept?.includes(asked) !== true) return undefined;
  const headers = { "content-type": given, vary: "Accept" };
  return { kind: "proxied", response: { status: 200, headers, body: { kind: "bytes", bytes: document } } };
}
