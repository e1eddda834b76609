import type { Answer } from "../request/answer.ts";

/** As clients ask for it, and as a real server names what it gives. */
const asked = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
const given = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

/** Field `number` of a message: a text or a message, of less than 128 bytes. */
function field(number: number, content: Uint8Array): Uint8Array {
  return Uint8Array.of((number << 3) | 2, content.length, ...content);
}

const text = (value: string): Uint8Array => new TextEncoder().encode(value);

/** `openapi.v2.Document` with `swagger` and `info`; it has no paths and no definitions. */
const document = Uint8Array.from([
  ...field(1, text("2.0")),
  ...field(2, Uint8Array.from([...field(1, text("Kubernetes")), ...field(2, text("v1.36.3"))])),
]);

/**
 * The version 2 document for clients that read protobuf only. kubectl asks for it when version 3 lacks a kind; it must
 * be able to read the answer to come to the true reason, that there is no such kind.
 */
export function protobufDocument(accept: string | undefined): Answer | undefined {
  if (accept?.includes(asked) !== true) return undefined;
  const headers = { "content-type": given, vary: "Accept" };
  return { kind: "proxied", response: { status: 200, headers, body: { kind: "bytes", bytes: document } } };
}
