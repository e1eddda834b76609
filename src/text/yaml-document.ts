import { EVENT_ID, getScalarValue, parseEvents, SCALAR_STYLE, YAMLException } from "js-yaml";
import type { Event, ScalarEvent } from "js-yaml";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import { escapePointer, setMember } from "./members.ts";
import type { GoScalar } from "./go-scalar.ts";
import { jsonOfScalar, keyOfScalar, resolvePlain } from "./go-scalar.ts";
import { resolveTagged } from "./go-tag.ts";
import { maxDepth, TextError } from "./problem.ts";
import type { PlaceRecorder } from "./value-places.ts";

export interface YamlDocument {
  readonly value: JsonValue;
  /** True when the text held more documents, which Go's decoder would silently drop. */
  readonly lostDocuments: boolean;
}

/**
 * The first document of a YAML text, read as sigs.k8s.io/yaml does (YAML 1.1 scalars, keys turned into strings, the
 * last of equal keys wins, merge keys). Throws {@link TextError}. An empty text is null.
 */
export function readYamlDocument(text: string, recorder?: PlaceRecorder): YamlDocument {
  const { events, lostText } = firstDocumentEvents(text);
  if (events.length === 0) return { value: null, lostDocuments: false };
  const reader = new DocumentReader(text, events, recorder);
  const document = reader.read();
  return lostText ? { ...document, lostDocuments: true } : document;
}

const beginsWithEnd = /^(?:[ \t]*(?:#[^\n]*)?\r?\n)*\.\.\.(?:\s|$)/;

/** Go's decoder stops behind the first document: what follows its root need not even be YAML. */
function firstDocumentEvents(text: string): { readonly events: Event[]; readonly lostText: boolean } {
  if (beginsWithEnd.test(text)) throw new TextError("syntax", 0, "did not find expected node content");
  try {
    return { events: parseEvents(text, { maxDepth }), lostText: false };
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const position = error.mark?.position ?? 0;
    if (error.reason.startsWith("end of the stream") && position > 0)
      return { events: firstDocumentEvents(text.slice(0, position)).events, lostText: true };
    const deep = error.reason.includes("nesting");
    throw new TextError(deep ? "tooDeep" : "syntax", position, error.reason);
  }
}

interface Anchored {
  readonly value: JsonValue;
  readonly nodes: number;
  readonly scalar?: GoScalar;
}

// Go's limits on how much of a document may come out of aliases.
const denseLow = 400_000;
const denseHigh = 4_000_000;
function allowedAliasShare(nodes: number): number {
  if (nodes <= denseLow) return 0.99;
  if (nodes >= denseHigh) return 0.1;
  return 0.99 - 0.89 * ((nodes - denseLow) / (denseHigh - denseLow));
}

class DocumentReader {
  readonly #text: string;
  readonly #events: readonly Event[];
  readonly #recorder: PlaceRecorder | undefined;
  readonly #anchors = new Map<string, Anchored>();
  #next = 1;
  #nodes = 0;
  #aliasNodes = 0;
  /** How the scalar read last resolved; what a map key is made of. */
  #scalar: GoScalar | undefined;

  constructor(text: string, events: readonly Event[], recorder: PlaceRecorder | undefined) {
    this.#text = text;
    this.#events = events;
    this.#recorder = recorder;
  }

  read(): YamlDocument {
    const value = this.#peek().type === EVENT_ID.POP ? null : this.#node("");
    this.#next++;
    return { value, lostDocuments: this.#next < this.#events.length };
  }

  #peek(): Event {
    const event = this.#events[this.#next];
    if (event === undefined) throw new TextError("syntax", this.#text.length, "unexpected end of the event stream");
    return event;
  }

  #node(pointer: string, asKey = false): JsonValue {
    const event = this.#peek();
    this.#next++;
    const before = this.#nodes++;
    this.#scalar = undefined;
    switch (event.type) {
      case EVENT_ID.ALIAS:
        return this.#alias(event.anchorStart, event.anchorEnd);
      case EVENT_ID.SCALAR: {
        if (!asKey) this.#recorder?.value(pointer, event.valueStart);
        const value = this.#scalarValue(event, asKey);
        this.#remember(event, value, before);
        return value;
      }
      case EVENT_ID.SEQUENCE: {
        this.#recorder?.value(pointer, event.start);
        const items: JsonValue[] = [];
        while (this.#peek().type !== EVENT_ID.POP) items.push(this.#node(`${pointer}/${items.length}`));
        this.#next++;
        this.#scalar = undefined;
        this.#remember(event, items, before);
        return items;
      }
      case EVENT_ID.MAPPING: {
        this.#recorder?.value(pointer, event.start);
        const object = this.#mapping(pointer);
        this.#remember(event, object, before);
        return object;
      }
      case EVENT_ID.DOCUMENT:
      case EVENT_ID.POP:
        throw new TextError("syntax", this.#text.length, "a node was expected");
    }
  }

  #remember(
    event: { readonly anchorStart: number; readonly anchorEnd: number },
    value: JsonValue,
    before: number,
  ): void {
    if (event.anchorStart === -1) return;
    const nodes = this.#nodes - before;
    const scalar = this.#scalar;
    const anchored = scalar === undefined ? { value, nodes } : { value, nodes, scalar };
    this.#anchors.set(this.#text.slice(event.anchorStart, event.anchorEnd), anchored);
  }

  #alias(start: number, end: number): JsonValue {
    const name = this.#text.slice(start, end);
    const anchored = this.#anchors.get(name);
    if (anchored === undefined) throw new TextError("syntax", start, `unknown anchor '${name}' referenced`);
    this.#nodes += anchored.nodes;
    this.#aliasNodes += anchored.nodes;
    const share = this.#aliasNodes / this.#nodes;
    if (this.#aliasNodes > 100 && this.#nodes > 1000 && share > allowedAliasShare(this.#nodes))
      throw new TextError("aliasBomb", start, "document contains excessive aliasing");
    this.#scalar = anchored.scalar;
    return anchored.value;
  }

  #scalarValue(event: ScalarEvent, asKey: boolean): JsonValue {
    const text = getScalarValue(this.#text, event);
    if (event.tagStart !== -1) {
      const tag = this.#text.slice(event.tagStart, event.tagEnd);
      const tagged = resolveTagged(tag, text, Math.max(event.valueStart, event.tagStart));
      this.#scalar = tagged.scalar;
      return jsonValue(tagged.scalar, tagged.text, asKey, event.valueStart);
    }
    if (event.style !== SCALAR_STYLE.PLAIN) {
      this.#scalar = { kind: "string" };
      return text;
    }
    this.#scalar = resolvePlain(text);
    return jsonValue(this.#scalar, text, asKey, event.valueStart);
  }

  #mapping(pointer: string): JsonObject {
    const object: Record<string, JsonValue> = {};
    while (this.#peek().type !== EVENT_ID.POP) {
      const keyEvent = this.#peek();
      const offset = keyEvent.type === EVENT_ID.SCALAR ? keyEvent.valueStart : this.#offsetOf(keyEvent);
      const isMerge =
        keyEvent.type === EVENT_ID.SCALAR &&
        keyEvent.style === SCALAR_STYLE.PLAIN &&
        keyEvent.tagStart === -1 &&
        this.#text.slice(keyEvent.valueStart, keyEvent.valueEnd) === "<<";
      const raw = this.#node("", true);
      if (isMerge) {
        this.#merge(object, this.#node(`${pointer}/<<`), offset);
        continue;
      }
      const key =
        this.#scalar === undefined ? undefined : keyOfScalar(this.#scalar, typeof raw === "string" ? raw : "");
      if (key === undefined)
        throw new TextError(
          "unsupportedKey",
          offset,
          `unsupported map key ${JSON.stringify(raw)}: keys are scalars other than null`,
        );
      const place = `${pointer}/${escapePointer(key)}`;
      if (this.#recorder !== undefined && Object.hasOwn(object, key)) this.#recorder.duplicate(place, offset);
      this.#recorder?.key(place, offset);
      setMember(object, key, this.#node(place));
    }
    this.#next++;
    this.#scalar = undefined;
    return object;
  }

  #offsetOf(event: Event): number {
    switch (event.type) {
      case EVENT_ID.SEQUENCE:
      case EVENT_ID.MAPPING:
        return event.start;
      case EVENT_ID.ALIAS:
        return event.anchorStart;
      case EVENT_ID.SCALAR:
        return event.valueStart;
      case EVENT_ID.DOCUMENT:
      case EVENT_ID.POP:
        return 0;
    }
  }

  /** Go sets merged keys where the merge stands: they lose to later keys only. */
  #merge(object: Record<string, JsonValue>, source: JsonValue, offset: number): void {
    const sources = Array.isArray(source) ? [...(source as readonly JsonValue[])].reverse() : [source];
    for (const each of sources) {
      if (!isJsonObject(each))
        throw new TextError("syntax", offset, "map merge requires map or sequence of maps as the value");
      for (const [key, value] of Object.entries(each)) if (value !== undefined) setMember(object, key, value);
    }
  }
}

/** Infinities and NaN have no JSON form; as a key they are their text. */
function jsonValue(scalar: GoScalar, text: string, asKey: boolean, offset: number): JsonValue {
  const value = jsonOfScalar(scalar, text);
  if (value !== undefined) return value;
  if (asKey) return text;
  throw new TextError("unsupportedValue", Math.max(offset, 0), `the number ${text} has no JSON form`);
}
