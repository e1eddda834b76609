import { once } from "node:events";
import type { Duplex } from "node:stream";
import type { Clock } from "@purser/kubernetes/clock";
import { statusObject, statusOf } from "@purser/kubernetes/apis/status";

/** A client that is still sending gets this time to read the response, and may send this many bytes until then. */
const lingerMs = 2000;
const lingerBytes = 4 * 1024 * 1024;

/** A response without a request (status line and body), as Go's HTTP server sends it. */
export interface SocketRefusal {
  readonly status: string;
  readonly contentType: string;
  readonly body: string;
}

/** `400 Bad Request` with the same text as its body; `why` is appended to both. */
export function plainRefusal(status: string, why?: string): SocketRefusal {
  const text = why === undefined ? status : `${status}: ${why}`;
  return { status: text, contentType: "text/plain; charset=utf-8", body: text };
}

const wrongMethod: SocketRefusal = {
  status: "405 Method Not Allowed",
  contentType: "application/json",
  body: `${JSON.stringify(
    statusObject(statusOf("MethodNotAllowed", "the server does not allow this method on the requested resource", {})),
  )}\n`,
};

/** A valid request line with a method that Node's parser does not know. */
const requestLine = /^[\w!#$%&'*+.^`|~-]+ [^ ]+ HTTP\/1\.[01]\r?\n/;

const refusals: ReadonlyMap<string, SocketRefusal | undefined> = new Map([
  ["HPE_HEADER_OVERFLOW", plainRefusal("431 Request Header Fields Too Large")],
  ["ERR_HTTP_REQUEST_TIMEOUT", plainRefusal("408 Request Timeout")],
  ["ECONNRESET", undefined],
  ["EPIPE", undefined],
]);

/** An error of Node's HTTP parser. */
export interface ParserProblem extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
  /** Offset in the packet at which parsing stopped. */
  readonly bytesParsed?: number;
}

/** The response to a parser error; undefined when the connection is just closed. */
export function refusalOf({ code = "", rawPacket, bytesParsed = 0 }: ParserProblem): SocketRefusal | undefined {
  if (code === "HPE_INVALID_METHOD" && rawPacket !== undefined) {
    const packet = rawPacket.toString("latin1");
    const before = packet.lastIndexOf("\r\n\r\n", bytesParsed);
    if (requestLine.test(before < 0 ? packet : packet.slice(before + 4))) return wrongMethod;
  }
  return refusals.has(code) ? refusals.get(code) : plainRefusal("400 Bad Request");
}

export const wrongMethodRefusal = wrongMethod;

const refused = new WeakSet<Duplex>();

/** Sends the response and closes the connection, once; a client that is still sending can read it. */
export function refuseSocket(socket: Duplex, refusal: SocketRefusal | undefined, clock: Clock): void {
  if (refused.has(socket)) return;
  refused.add(socket);
  if (refusal === undefined || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, contentType, body } = refusal;
  socket.end(`HTTP/1.1 ${status}\r\nContent-Type: ${contentType}\r\nConnection: close\r\n\r\n${body}`);
  void linger(socket, clock);
}

/** Reads and discards data for a while: closing a connection with unread bytes would discard the response. */
export async function linger(socket: Duplex, clock: Clock): Promise<void> {
  let dropped = 0;
  socket.on("data", (chunk: Buffer) => {
    dropped += chunk.length;
    if (dropped > lingerBytes) socket.destroy();
  });
  socket.on("error", () => undefined);
  socket.resume();
  const finished = new AbortController();
  const closed = once(socket, "close", { signal: finished.signal }).catch(() => undefined);
  await Promise.race([closed, clock.sleep(lingerMs, finished.signal).catch(() => undefined)]);
  finished.abort();
  socket.destroy();
}
