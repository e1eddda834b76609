import type { JsonValue } from "@purser/kubernetes/json";
import { allSteps, type Steps } from "@purser/kubernetes/steps";
import { parseJsonInSteps } from "@purser/kubernetes/text/json-steps";
import { TextError } from "@purser/kubernetes/text/problem";
import type { PlaceRecorder } from "@purser/kubernetes/text/value-places";
import { readYamlDocument } from "@purser/kubernetes/text/yaml/yaml-document";
import { scanJson } from "./json-scan.ts";

export interface YamlBody {
  readonly value: JsonValue;
  /** The message of Go's strict decoder about duplicate keys, all of them in one text; absent when there are none. */
  readonly repeated?: string;
}

/** JSON that YAML reads differently: some numbers, lone surrogates and characters that YAML does not allow. */
const notYaml = /[0-9][.eE]|[0-9]{16}|-0|\\u[dD][89a-fA-F]|[^\t\n\r\u0020-\u007e\u0085\u00a0-\ud7ff\ue000-\ufffd]/;

/**
 * Reads the first document of a YAML text as kube-apiserver does.
 * @throws {TextError} with the message of Go's decoder, including the line where it has one
 */
export function yamlDocument(text: string): YamlBody {
  return allSteps(jsonAsYaml(text)) ?? fromYaml(text);
}

/**
 * The value of a JSON text that means the same in YAML, with pauses; undefined for every other text. Clients send JSON as YAML,
 * and the JSON parser is faster.
 */
export function* jsonAsYaml(text: string): Steps<YamlBody | undefined> {
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
    return { value, ...repeats.finding() };
  } catch (error) {
    if (error instanceof TextError) throw new TextError(error.kind, error.offset, withLine(error, text));
    throw error;
  }
}

/** Duplicate keys; Go reports the line on which the value begins. */
class Repeats implements PlaceRecorder {
  readonly #text: string;
  readonly #found: string[] = [];
  #awaited: string | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  key(): void {
    // The line of the value is reported, not that of the key.
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

  finding(): Pick<YamlBody, "repeated"> {
    return this.#found.length === 0 ? {} : { repeated: `yaml: unmarshal errors:\n  ${this.#found.join("\n  ")}` };
  }
}

function linesBefore(text: string, offset: number): number {
  let lines = 0;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}

/** Errors of libyaml's parser; those of its scanner are reported one line further. */
const ofParser =
  /^(?:did not find expected (?:key$|node content|',' or|'-' indicator|<document start>)|found undefined tag)/;
/** Errors that Go reports without a line. */
const withoutLine = /^(?:unknown anchor|document contains|control characters|exceeded max depth|map merge|the number)/;

function withLine({ kind, message, offset: found }: TextError, text: string): string {
  // Our reader places an unterminated scalar at its beginning, Go at the end of the text.
  const offset = message === "found unexpected end of stream" ? text.length : found;
  if (kind !== "syntax" || withoutLine.test(message)) return message;
  // At the end of a text that does not end with a line, libyaml begins another one.
  const atEnd = offset >= text.length && text !== "" && !text.endsWith("\n") && ofParser.test(message);
  const line = linesBefore(text, offset) + (atEnd ? 1 : 0);
  if (line === 0) return message;
  return `line ${ofParser.test(message) ? line : line + 1}: ${message}`;
}
