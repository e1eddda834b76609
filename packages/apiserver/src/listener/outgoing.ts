import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip, gzip } from "node:zlib";
import { promisify } from "node:util";
import { statusObject, statusOf } from "@purser/kubernetes/apis/status";
import type { ApiResponse } from "@purser/kubernetes/kube/transport";
import { turns } from "../turns.ts";
import type { UnreadAnswer, UnreadAnswers } from "./unread-answers.ts";

const compress = promisify(gzip);

/** Minimum length in bytes of responses that are compressed for clients that accept it. */
const gzipFrom = 128 * 1024;
/** Shorter responses fit into the kernel's buffer. */
const fitsFrom = 16 * 1024;

/** Longer chunks are split, so that little of them is buffered for a client that does not read. */
const pieceLength = 64 * 1024;
/** Memory of a gzip compressor. */
const gzipBytes = 320 * 1024;

/** Status texts where Node's differ from Go's. */
const statusTexts: Readonly<Record<number, string>> = { 413: "Request Entity Too Large" };

export interface SendOptions {
  /** Request headers. */
  readonly asked: Readonly<Record<string, string>>;
  /** Aborted when the client disconnects. */
  readonly disconnected: AbortSignal;
  /** A client that takes nothing of a pending response for this long is disconnected. */
  readonly stalledMs: number;
  /** Pending bytes of all clients. */
  readonly unread: UnreadAnswers;
  /** The exchange ends only when this resolves, even though the response has been sent. */
  readonly hold?: Promise<void> | undefined;
}

/** Writes the response; resolves when all of it has been handed to the connection. */
export async function send(outgoing: ServerResponse, response: ApiResponse, options: SendOptions): Promise<void> {
  if (options.disconnected.aborted) return;
  const unread = options.unread.open(() => outgoing.destroy());
  outgoing.once("close", () => unread.close());
  await sendHeld(outgoing, response, options, unread);
}

async function sendHeld(
  outgoing: ServerResponse,
  response: ApiResponse,
  { asked, disconnected, stalledMs, hold }: SendOptions,
  unread: UnreadAnswer,
): Promise<void> {
  outgoing.statusCode = response.status;
  const text = statusTexts[response.status];
  if (text !== undefined) outgoing.statusMessage = text;
  for (const [name, value] of Object.entries(response.headers))
    outgoing.setHeader(name, name === "warning" ? splitWarnings(value) : value);
  const { body } = response;
  if (body === undefined) {
    outgoing.end();
    return;
  }
  const takesGzip = /\bgzip\b/.test(asked["accept-encoding"] ?? "");
  const announceGzip = (): void => {
    outgoing.setHeader("content-encoding", "gzip");
    outgoing.setHeader("vary", "Accept-Encoding");
  };
  switch (body.kind) {
    case "bytes": {
      const zipped = takesGzip && body.bytes.length >= gzipFrom;
      const bytes = zipped ? await compress(body.bytes) : body.bytes;
      if (zipped) announceGzip();
      outgoing.setHeader("content-length", bytes.length);
      if (bytes.length > fitsFrom) {
        outgoing.socket?.setTimeout(stalledMs);
        unread.hold(bytes, bytes.length);
      }
      if (hold === undefined) outgoing.end(bytes);
      else {
        outgoing.write(bytes);
        await hold;
        outgoing.end();
      }
      return;
    }
    case "stream":
      await stream(outgoing, body.chunks, { disconnected, stalledMs, unread });
      return;
    case "texts":
      if (takesGzip) {
        announceGzip();
        outgoing.socket?.setTimeout(stalledMs);
        unread.hold(body, gzipBytes);
        // An early disconnect fails the pipeline; that is not an error.
        const texts = Readable.from(inTurns(body.texts), { highWaterMark: 1 });
        await pipeline(texts, createGzip(), outgoing).catch(() => undefined);
      } else await stream(outgoing, inTurns(body.texts), { disconnected, stalledMs, unread });
      return;
    case "object":
    case "events":
      throw new Error("an answer for a socket must be bytes");
  }
}

/** What making one piece of a text costs about, in characters. */
const workOfPiece = 64 * 1024;

/** The pieces but for empty ones; each is made in its turn. */
async function* inTurns(texts: Iterable<string>): AsyncGenerator<string> {
  for (const text of texts) {
    if (text !== "") yield text;
    const wait = turns.before(workOfPiece);
    if (wait !== undefined) await wait;
  }
}

/** One header per warning, as Go clients expect; warnings are quoted, so the separator is unambiguous. */
function splitWarnings(value: string): string[] {
  return value.split(/, (?=299 - ")/);
}

/** Sends chunks as they arrive and waits for slow clients, so that the watch's own buffer limit applies. */
async function stream(
  outgoing: ServerResponse,
  chunks: AsyncIterable<Uint8Array | string>,
  reader: Reader,
): Promise<void> {
  outgoing.flushHeaders();
  for await (const chunk of chunks) {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    if (bytes.length <= pieceLength) await write(outgoing, bytes, reader);
    else {
      // The chunk is shared by watchers; each holds it until its last piece is written.
      reader.unread.hold(bytes, bytes.length);
      for (let at = 0; at < bytes.length && !reader.disconnected.aborted; at += pieceLength)
        await write(outgoing, bytes.subarray(at, at + pieceLength), reader);
      reader.unread.release(bytes);
    }
    if (reader.disconnected.aborted) return;
  }
  outgoing.end();
}

interface Reader {
  readonly disconnected: AbortSignal;
  readonly stalledMs: number;
  readonly unread: UnreadAnswer;
}

/** Writes a piece, which counts as unread until the connection has taken it. */
async function write(
  outgoing: ServerResponse,
  piece: Uint8Array,
  { disconnected, stalledMs, unread }: Reader,
): Promise<void> {
  if (disconnected.aborted) return;
  // Each connection has its own encrypted copy, so a piece counts per connection.
  const buffered = {};
  unread.hold(buffered, piece.length);
  if (!outgoing.write(piece, () => unread.release(buffered))) await drained(outgoing, disconnected, stalledMs);
}

async function drained(outgoing: ServerResponse, disconnected: AbortSignal, stalledMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const proceed = (): void => resolve();
  outgoing.once("drain", proceed);
  disconnected.addEventListener("abort", proceed, { once: true });
  outgoing.socket?.setTimeout(stalledMs);
  await promise;
  outgoing.socket?.setTimeout(0);
  outgoing.removeListener("drain", proceed);
  disconnected.removeEventListener("abort", proceed);
}

/** Resolves when the response is in the kernel's buffer or the client has disconnected. */
export function finished(outgoing: ServerResponse): Promise<void> {
  if (outgoing.writableFinished || outgoing.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    outgoing.once("finish", resolve);
    outgoing.once("close", resolve);
  });
}

/** Response for an unexpected exception. */
export function refuseBroken(outgoing: ServerResponse, problem: unknown): void {
  if (outgoing.headersSent || outgoing.destroyed) {
    outgoing.destroy();
    return;
  }
  const message = problem instanceof Error ? problem.message : String(problem);
  const body = `${JSON.stringify(statusObject(statusOf("InternalError", `Internal error occurred: ${message}`)))}\n`;
  outgoing.writeHead(500, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
  outgoing.end(body);
}
