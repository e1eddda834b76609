import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip, gzip } from "node:zlib";
import { promisify } from "node:util";
import { statusObject, statusOf } from "@purser/kubernetes/apis/status";
import type { ApiResponse } from "@purser/kubernetes/kube/transport";
import type { UnreadAnswer, UnreadAnswers } from "./unread-answers.ts";

const compress = promisify(gzip);

/** Answers of at least this many bytes are compressed for clients that accept it. */
const gzipFrom = 128 * 1024;
/** Shorter answers fit into the kernel's buffer. */
const fitsFrom = 16 * 1024;

/** Longer pieces are cut, so that little of them lies in the buffers of a client that does not read. */
const pieceLength = 64 * 1024;
/** What a compressor keeps for itself. */
const gzipBytes = 320 * 1024;

/** Node names some codes differently. */
const statusTexts: Readonly<Record<number, string>> = { 413: "Request Entity Too Large" };

export interface SendOptions {
  /** Headers of the request. */
  readonly asked: Readonly<Record<string, string>>;
  /** The client has left. */
  readonly gone: AbortSignal;
  /** A client that takes nothing of what waits for it for so long is cut off. */
  readonly stalledMs: number;
  /** What all clients have yet to read. */
  readonly unread: UnreadAnswers;
  /** The answer is sent, but the exchange ends when this resolves. */
  readonly hold?: Promise<void> | undefined;
}

/** Writes the answer; resolves when the last of it is handed over to the connection. */
export async function send(outgoing: ServerResponse, response: ApiResponse, options: SendOptions): Promise<void> {
  if (options.gone.aborted) return;
  const unread = options.unread.open(() => outgoing.destroy());
  outgoing.once("close", () => unread.close());
  await sendHeld(outgoing, response, options, unread);
}

async function sendHeld(
  outgoing: ServerResponse,
  response: ApiResponse,
  { asked, gone, stalledMs, hold }: SendOptions,
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
      await stream(outgoing, body.chunks, { gone, stalledMs, unread });
      return;
    case "texts":
      if (takesGzip) {
        announceGzip();
        outgoing.socket?.setTimeout(stalledMs);
        unread.hold(body, gzipBytes);
        // A client that leaves early ends the pipeline with an error that is nobody's.
        await pipeline(Readable.from(body.texts), createGzip(), outgoing).catch(() => undefined);
      } else await stream(outgoing, body.texts, { gone, stalledMs, unread });
      return;
    case "object":
    case "events":
      throw new Error("an answer for a socket must be bytes");
  }
}

/** One header per warning, as Go clients expect; warnings are quoted, so the separator is unambiguous. */
function splitWarnings(value: string): string[] {
  return value.split(/, (?=299 - ")/);
}

/** Sends chunks as they come; waits for a slow client, so that the watch's own bound decides about it. */
async function stream(
  outgoing: ServerResponse,
  chunks: AsyncIterable<Uint8Array> | Iterable<string>,
  reader: Reader,
): Promise<void> {
  outgoing.flushHeaders();
  for await (const chunk of chunks) {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    if (bytes.length <= pieceLength) await write(outgoing, bytes, reader);
    else {
      // Watchers share it; each keeps it until the last piece of it is written.
      reader.unread.hold(bytes, bytes.length);
      for (let at = 0; at < bytes.length && !reader.gone.aborted; at += pieceLength)
        await write(outgoing, bytes.subarray(at, at + pieceLength), reader);
      reader.unread.release(bytes);
    }
    if (reader.gone.aborted) return;
  }
  outgoing.end();
}

interface Reader {
  readonly gone: AbortSignal;
  readonly stalledMs: number;
  readonly unread: UnreadAnswer;
}

/** Writes a piece; it counts as unread until the connection has taken it. */
async function write(outgoing: ServerResponse, piece: Uint8Array, { gone, stalledMs, unread }: Reader): Promise<void> {
  if (gone.aborted) return;
  // Each connection encrypts for itself: a piece counts for each of them.
  const buffered = {};
  unread.hold(buffered, piece.length);
  if (!outgoing.write(piece, () => unread.release(buffered))) await drained(outgoing, gone, stalledMs);
}

async function drained(outgoing: ServerResponse, gone: AbortSignal, stalledMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const proceed = (): void => resolve();
  outgoing.once("drain", proceed);
  gone.addEventListener("abort", proceed, { once: true });
  outgoing.socket?.setTimeout(stalledMs);
  await promise;
  outgoing.socket?.setTimeout(0);
  outgoing.removeListener("drain", proceed);
  gone.removeEventListener("abort", proceed);
}

/** The answer is with the kernel, or the client is gone. */
export function finished(outgoing: ServerResponse): Promise<void> {
  if (outgoing.writableFinished || outgoing.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    outgoing.once("finish", resolve);
    outgoing.once("close", resolve);
  });
}

/** A request that ended in a bug of ours. */
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
