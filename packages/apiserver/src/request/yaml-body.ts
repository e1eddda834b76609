import type { JsonValue } from "@purser/kubernetes/json";
import type { Steps } from "@purser/kubernetes/steps";
import { parseJsonInSteps } from "@purser/kubernetes/text/json-steps";
import { TextError } from "@purser/kubernetes/text/problem";
import type { PlaceRecorder } from "@purser/kubernetes/text/value-places";
import { readYamlDocument } from "@purser/kubernetes/text/yaml/yaml-document";
import { scanJson } from "./json-scan.ts";

export interface YamlBody {
  readonly value: JsonValue;
  /** What Go's strict decoder says of keys that stood twice, all of them in one text; absent when none did. */
  readonly repeated?: string;
}

/** What JSON writes otherwise than YAML reads it: numbers, halves of pairs and characters that YAML does not know. */
const notYaml = /[0-9][.eE]|[0-9]{16}|-0|\\u[dD][89a-fA-F]|[^\t\n\r\u0020-\u007e\u0085\u00a0-\ud7ff\ue000-\ufffd]/;

/**
 * Reads the first document of a YAML text as the real server does.
 * @throws {TextError} whose message is what Go's decoder says, with the line where it tells one
 */
export function* readYamlBody(text: string): Steps<YamlBody> {
  return (yield* fromJson(text)) ?? fromYaml(text);
}

/** Clients send JSON as YAML: what means the same in both is read faster so. */
function* fromJson(text: string): Steps<YamlBody | undefined> {
  if (!text.startsWith("{") || notYaml.test(text)) return undefined;
  try {
    const value = yield* parseJsonInSteps(text);
    yield;
    const { duplicates, tooDeep } = yield* scanJson(text);
    return tooDeep !== undefined || duplicates.length > 0 ? undefined : { value };
  } catch (error) {
    if (error instanceof TextError) return undefined;
    throw error;
  }
}

function fromYaml(text: string): YamlBody {
  const repeats = new Repeats(text);
  try {
    const { value } = readYamlDocument(text, repeats);
    return { value, ...repeats.told() };
  } catch (error) {
    if (error instanceof TextError) throw new TextError(error.kind, error.offset, withLine(error, text));
    throw error;
  }
}

/** Keys that stand twice; Go tells the line on which the value begins. */
class Repeats implements PlaceRecorder {
  readonly #text: string;
  readonly #found: string[] = [];
  #awaited: string | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  key(): void {
    // What counts is where the value stands.
  }

  duplicate(pointer: string): void {
    this.#awaited = pointer;
  }

  value(pointer: string, offset: number): void {
    if (pointer !== this.#awaited) return;
    this.#awaited = undefined;
    const key = pointer
      .slice(pointer.lastIndexOf("/") + 1)
      .replaceAll("~1", "/")
      .replaceAll("~0", "~");
    this.#found.push(`line ${linesBefore(this.#text, offset) + 1}: key ${JSON.stringify(key)} already set in map`);
  }

  told(): Pick<YamlBody, "repeated"> {
    return this.#found.length === 0 ? {} : { repeated: `yaml: unmarshal errors:\n  ${this.#found.join("\n  ")}` };
  }
}

function linesBefore(text: string, offset: number): number {
  let lines = 0;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}

/** Faults of the grammar; the scanner's are told one line further. */
const ofParser =
  /^(?:did not find expected (?:key$|node content|',' or|'-' indicator|<document start>)|found undefined tag)/;
/** Faults that Go tells without a place. */
const withoutLine = /^(?:unknown anchor|document contains|control characters|exceeded max depth|map merge|the number)/;

function withLine({ kind, message, offset: told }: TextError, text: string): string {
  // A scalar without an end is told where it begins.
  const offset = message === "found unexpected end of stream" ? text.length : told;
  if (kind !== "syntax" || withoutLine.test(message)) return message;
  // At the end of a text that does not end with a line, libyaml begins another one.
  const atEnd = offset >= text.length && text !== "" && !text.endsWith("\n") && ofParser.test(message);
  const line = linesBefore(text, offset) + (atEnd ? 1 : 0);
  if (line === 0) return message;
  return `line ${ofParser.test(message) ? line : line + 1}: ${message}`;
}
