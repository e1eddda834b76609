import { asKubeObject } from "../apis/object.ts";
import type { JsonValue } from "../json.ts";
import type { ApiBody, WatchEvent, WatchEventType } from "./transport.ts";

/** The server's response violates the protocol. */
export class UnreadableAnswerError extends Error {
  override readonly name = "UnreadableAnswerError";
}

/** A body parsed as JSON where possible, and its text otherwise. */
export interface ReadBody {
  /** Undefined when the body is absent, empty or not JSON. */
  readonly json?: JsonValue;
  /** Empty when the body was an object. */
  readonly text: string;
}

/** Reads a whole body of any form. */
export async function readBody(body: ApiBody | undefined): Promise<ReadBody> {
  if (body === undefined) return { text: "" };
  switch (body.kind) {
    case "object":
      return { json: body.value, text: "" };
    case "bytes":
      return parsed(new TextDecoder().decode(body.bytes));
    case "texts":
      return parsed([...body.texts].join(""));
    case "stream": {
      const decoder = new TextDecoder();
      const parts: string[] = [];
      for await (const chunk of body.chunks) parts.push(decoder.decode(chunk, { stream: true }));
      parts.push(decoder.decode());
      return parsed(parts.join(""));
    }
    case "events":
      throw new UnreadableAnswerError("The server answered with a watch stream where one document was expected");
  }
}

function parsed(text: string): ReadBody {
  if (text === "") return { text };
  try {
    return { json: JSON.parse(text) as JsonValue, text };
  } catch {
    return { text };
  }
}

/** Parses watch events from a body of any form. */
export async function* readEvents(body: ApiBody | undefined): AsyncGenerator<WatchEvent, void, undefined> {
  if (body === undefined) return;
  switch (body.kind) {
    case "events":
      yield* body.events;
      return;
    case "bytes":
      yield* eventsIn(only(body.bytes));
      return;
    case "stream":
      yield* eventsIn(body.chunks);
      return;
    case "texts":
    case "object":
      throw new UnreadableAnswerError("The server answered a watch with one document");
  }
}

// A generator, because the loop below needs an AsyncIterable.
async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield bytes;
}

async function* eventsIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<WatchEvent, void, undefined> {
  const decoder = new TextDecoder();
  // An event may arrive in many chunks: they are joined once at its end, otherwise large objects would take quadratic
  // time.
  let pieces: string[] = [];
  for await (const chunk of chunks) {
    let text = decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n")) {
      pieces.push(text.slice(0, end));
      text = text.slice(end + 1);
      const line = pieces.join("");
      pieces = [];
      if (line.trim() !== "") yield eventOf(line);
    }
    if (text !== "") pieces.push(text);
  }
  // A last line without line feed is incomplete and ignored: the event is sent again when the watch resumes.
}

const eventTypes: ReadonlySet<string> = new Set<WatchEventType>(["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"]);

function eventOf(line: string): WatchEvent {
  let frame: { readonly type?: unknown; readonly object?: JsonValue };
  try {
    frame = JSON.parse(line) as typeof frame;
  } catch (cause) {
    throw new UnreadableAnswerError(`A watch event is no JSON: ${line.slice(0, 120)}`, { cause });
  }
  const object = asKubeObject(frame.object);
  if (typeof frame.type !== "string" || !eventTypes.has(frame.type) || object === undefined)
    throw new UnreadableAnswerError(`A watch event has no type or no object: ${line.slice(0, 120)}`);
  return { type: frame.type as WatchEventType, object };
}
