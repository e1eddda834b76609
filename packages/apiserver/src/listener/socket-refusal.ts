import { once } from "node:events";
import type { Duplex } from "node:stream";
import type { Clock } from "@purser/kubernetes/clock";
import { statusObject, statusOf } from "@purser/kubernetes/apis/status";

/** A peer that is still sending has this long to read why it is cut off, and may send as many bytes until then. */
const lingerMs = 2000;
const lingerBytes = 4 * 1024 * 1024;

/** What is told where no request came to be: a status line and its text, as Go's HTTP server tells it. */
export interface SocketRefusal {
  readonly status: string;
  readonly contentType: string;
  readonly body: string;
}

/** `400 Bad Request` with the same as its text; `why` is added to both. */
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

/** A request line that is in order but for a method that Node's parser has never heard of. */
const requestLine = /^[\w!#$%&'*+.^`|~-]+ [^ ]+ HTTP\/1\.[01]\r?\n/;

const refusals: ReadonlyMap<string, SocketRefusal | undefined> = new Map([
  ["HPE_HEADER_OVERFLOW", plainRefusal("431 Request Header Fields Too Large")],
  ["ERR_HTTP_REQUEST_TIMEOUT", plainRefusal("408 Request Timeout")],
  ["ECONNRESET", undefined],
  ["EPIPE", undefined],
]);

/** As Node's parser reports it. */
export interface ParserProblem extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
  /** Where in the packet it stopped. */
  readonly bytesParsed?: number;
}

/** What a parser's error is answered with; undefined: with nothing but the end of the connection. */
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

/** Says why and ends the connection, once; the peer gets to read it even while it is sending. */
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

/** Reads on and drops what comes, for a while: a connection closed with unread bytes loses its last answer. */
export async function linger(socket: Duplex, clock: Clock): Promise<void> {
  let dropped = 0;
  socket.on("data", (chunk: Buffer) => {
    dropped += chunk.length;
    if (dropped > lingerBytes) socket.destroy();
  });
  socket.on("error", () => undefined);
  socket.resume();
  const gone = new AbortController();
  const closed = once(socket, "close", { signal: gone.signal }).catch(() => undefined);
  await Promise.race([closed, clock.sleep(lingerMs, gone.signal).catch(() => undefined)]);
  gone.abort();
  socket.destroy();
}
