import { goQuote } from "../../go-quote.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json.ts";
import { type GoScalar, jsonOfScalar, keyOfScalar, resolvePlain } from "../go-scalar.ts";
import { resolveTagged } from "../go-tag.ts";
import { escapePointer, setMember } from "../members.ts";
import { maxDepth, TextError } from "../problem.ts";
import type { PlaceRecorder } from "../value-places.ts";
import { lineOf } from "./yaml-characters.ts";
import { type Token, YamlScanner } from "./yaml-scanner.ts";

export interface YamlDocument {
  readonly value: JsonValue;
  /** Whether there is text after the end of the document, which Go's decoder silently ignores. */
  readonly lostText: boolean;
}

/**
 * Parses the first document of a YAML text like sigs.k8s.io/yaml (YAML 1.1 scalars, keys converted to strings, the last
 * of equal keys is effective, merge keys). Throws {@link TextError}. An empty text is null.
 */
export function readYamlDocument(text: string, recorder?: PlaceRecorder): YamlDocument {
  return new DocumentReader(text, recorder).read();
}

interface Anchored {
  readonly value: JsonValue;
  readonly nodes: number;
  readonly scalar?: GoScalar;
}

// Go's limits on the share of nodes that come from aliases.
const denseLow = 400_000;
const denseHigh = 4_000_000;
function allowedAliasShare(nodes: number): number {
  if (nodes <= denseLow) return 0.99;
  if (nodes >= denseHigh) return 0.1;
  return 0.99 - 0.89 * ((nodes - denseLow) / (denseHigh - denseLow));
}

const quoted: GoScalar = { kind: "string" };
const emptyScalar: GoScalar = { kind: "null" };
const defaultTag = "tag:yaml.org,2002:";

class DocumentReader {
  readonly #text: string;
  readonly #scanner: YamlScanner;
  readonly #recorder: PlaceRecorder | undefined;
  readonly #anchors = new Map<string, Anchored>();
  /** Anchors of the nodes that are being parsed. */
  readonly #open = new Set<string>();
  readonly #tags = new Map([
    ["!", "!"],
    ["!!", defaultTag],
  ]);
  #depth = 0;
  #nodes = 0;
  #aliasNodes = 0;
  /** Resolution of the last node when it was a scalar; used for map keys. */
  #scalar: GoScalar | undefined;
  /**
   * Whether the last node was a merge key `<<`: unquoted without a tag, or in any style with one of {@link mergeTags}.
   */
  #isMerge = false;
  /** What only a whole document is refused for: Go reads it to its end first, then fills maps, then writes JSON. */
  #unfit: TextError | undefined;
  #unwritable: TextError | undefined;

  constructor(text: string, recorder: PlaceRecorder | undefined) {
    this.#text = text;
    this.#scanner = new YamlScanner(text);
    this.#recorder = recorder;
  }

  read(): YamlDocument {
    const scanner = this.#scanner;
    if (scanner.peek().kind === "streamEnd") return { value: null, lostText: false };
    this.#directives();
    let value: JsonValue = null;
    if (scanner.peek().kind === "documentStart") {
      scanner.skip();
      if (!isAny(scanner.peek(), "versionDirective", "tagDirective", "documentStart", "documentEnd", "streamEnd"))
        value = this.#node("", true);
    } else value = this.#node("", true);
    const end = scanner.peek();
    const refused = this.#unfit ?? this.#unwritable;
    if (refused !== undefined) throw refused;
    const rest = this.#text.slice(end.kind === "documentEnd" ? end.at + 3 : end.at);
    return { value, lostText: end.kind !== "streamEnd" && /^[ \t]*[^#\s]/m.test(rest) };
  }

  #directives(): void {
    const scanner = this.#scanner;
    let any = false;
    let versioned = false;
    for (
      let token = scanner.peek();
      token.kind === "versionDirective" || token.kind === "tagDirective";
      token = scanner.peek()
    ) {
      any = true;
      if (token.kind === "versionDirective" && versioned) this.#fail(token, "found duplicate %YAML directive");
      versioned ||= token.kind === "versionDirective";
      if (token.kind === "tagDirective") this.#tags.set(token.handle, token.prefix);
      scanner.skip();
    }
    const next = scanner.peek();
    if (any && next.kind !== "documentStart") this.#fail(next, "did not find expected <document start>");
  }

  #fail(token: Token, message: string): never {
    throw new TextError("syntax", token.at, message, lineOf(this.#text, token.at));
  }

  /** `indentless`: a block sequence may begin at the indentation of its key. */
  #node(pointer: string, block: boolean, indentless = false, asKey = false): JsonValue {
    const scanner = this.#scanner;
    let token = scanner.peek();
    if (token.kind === "alias") {
      scanner.skip();
      return this.#alias(token.name, token.at);
    }
    const { at } = token;
    let anchor: string | undefined;
    let tag: string | undefined;
    for (; ; token = scanner.peek()) {
      if (token.kind === "anchor" && anchor === undefined) anchor = token.name;
      else if (token.kind === "tag" && tag === undefined) tag = this.#tagOf(token);
      else break;
      scanner.skip();
    }
    const before = this.#nodes++;
    if (anchor !== undefined) this.#open.add(anchor);
    if (!asKey) this.#recorder?.value(pointer, at);
    const value = this.#content(token, pointer, { block, indentless, asKey, tag, decorated: at !== token.at });
    if (anchor !== undefined) {
      const nodes = this.#nodes - before;
      this.#open.delete(anchor);
      this.#anchors.set(anchor, this.#scalar === undefined ? { value, nodes } : { value, nodes, scalar: this.#scalar });
    }
    return value;
  }

  #content(token: Token, pointer: string, { block, indentless, asKey, tag, decorated }: NodeContext): JsonValue {
    const scanner = this.#scanner;
    this.#isMerge = false;
    switch (token.kind) {
      case "scalar": {
        scanner.skip();
        this.#isMerge = token.text === "<<" && (tag === undefined ? token.plain : mergeTags.has(tag));
        return this.#scalarValue(token.text, token.plain, tag, token.at, asKey);
      }
      case "flowSequence":
        this.#enter(token);
        return this.#leave(this.#flowSequence(pointer));
      case "flowMapping":
        this.#enter(token);
        return this.#leave(this.#flowMapping(pointer));
      case "blockEntry":
        if (!indentless) break;
        this.#enter(undefined);
        return this.#leave(this.#indentlessSequence(pointer));
      case "blockSequence":
        if (!block) break;
        this.#enter(token);
        return this.#leave(this.#blockSequence(pointer));
      case "blockMapping":
        if (!block) break;
        this.#enter(token);
        return this.#leave(this.#blockMapping(pointer));
      case "alias":
      case "anchor":
      case "tag":
      case "tagDirective":
      case "versionDirective":
      case "streamEnd":
      case "documentStart":
      case "documentEnd":
      case "blockEnd":
      case "flowSequenceEnd":
      case "flowMappingEnd":
      case "flowEntry":
      case "key":
      case "value":
        break;
    }
    if (!decorated) this.#fail(token, "did not find expected node content");
    return this.#scalarValue("", true, tag, token.at, asKey);
  }

  /**
   * Begins a collection. Together with {@link #leave} it avoids a callback per level, so that a thousand levels fit on
   * the stack.
   */
  #enter(token: Token | undefined): void {
    if (token !== undefined) this.#scanner.skip();
    if (++this.#depth > maxDepth) throw new TextError("tooDeep", this.#scanner.at, `exceeded max depth of ${maxDepth}`);
  }

  #leave(value: JsonValue): JsonValue {
    this.#depth--;
    this.#scalar = undefined;
    this.#isMerge = false;
    return value;
  }

  #empty(pointer: string): null {
    this.#nodes++;
    this.#recorder?.value(pointer, this.#scanner.peek().at);
    this.#scalar = emptyScalar;
    this.#isMerge = false;
    return null;
  }

  #blockSequence(pointer: string): JsonValue {
    const items: JsonValue[] = [];
    const scanner = this.#scanner;
    for (let token = scanner.peek(); token.kind !== "blockEnd"; token = scanner.peek()) {
      if (token.kind !== "blockEntry") this.#fail(token, "did not find expected '-' indicator");
      scanner.skip();
      const item = `${pointer}/${items.length}`;
      items.push(isAny(scanner.peek(), "blockEntry", "blockEnd") ? this.#empty(item) : this.#node(item, true));
    }
    scanner.skip();
    return items;
  }

  #indentlessSequence(pointer: string): JsonValue {
    const items: JsonValue[] = [];
    const scanner = this.#scanner;
    while (scanner.peek().kind === "blockEntry") {
      scanner.skip();
      const item = `${pointer}/${items.length}`;
      const isEmpty = isAny(scanner.peek(), "blockEntry", "key", "value", "blockEnd");
      items.push(isEmpty ? this.#empty(item) : this.#node(item, true));
    }
    return items;
  }

  #blockMapping(pointer: string): JsonValue {
    const object: Record<string, JsonValue> = {};
    const scanner = this.#scanner;
    for (let token = scanner.peek(); token.kind !== "blockEnd"; token = scanner.peek()) {
      if (token.kind !== "key") this.#fail(token, "did not find expected key");
      scanner.skip();
      const at = scanner.peek().at;
      const isEmpty = isAny(scanner.peek(), "key", "value", "blockEnd");
      const key = isEmpty ? this.#empty("") : this.#node("", true, true, true);
      const slot = this.#slot(object, pointer, key, at);
      if (scanner.peek().kind !== "value") this.#fill(object, slot, this.#empty(slot.place));
      else {
        scanner.skip();
        const isNull = isAny(scanner.peek(), "key", "value", "blockEnd");
        this.#fill(object, slot, isNull ? this.#empty(slot.place) : this.#node(slot.place, true, true));
      }
    }
    scanner.skip();
    return object;
  }

  #flowSequence(pointer: string): JsonValue {
    const items: JsonValue[] = [];
    const scanner = this.#scanner;
    for (let token = scanner.peek(); token.kind !== "flowSequenceEnd"; token = scanner.peek()) {
      if (items.length > 0) {
        if (token.kind !== "flowEntry") this.#fail(token, "did not find expected ',' or ']'");
        scanner.skip();
        token = scanner.peek();
        if (token.kind === "flowSequenceEnd") break;
      }
      const item = `${pointer}/${items.length}`;
      if (token.kind === "key") {
        this.#enter(token);
        items.push(this.#leave(this.#singlePair(item)));
      } else items.push(this.#node(item, false));
    }
    scanner.skip();
    return items;
  }

  /** `[a: b]`: a mapping with one member and without braces. */
  #singlePair(pointer: string): JsonValue {
    const object: Record<string, JsonValue> = {};
    const scanner = this.#scanner;
    const at = scanner.peek().at;
    const isEmpty = isAny(scanner.peek(), "value", "flowEntry", "flowSequenceEnd");
    const key = isEmpty ? this.#empty("") : this.#node("", false, false, true);
    const slot = this.#slot(object, pointer, key, at);
    if (scanner.peek().kind !== "value") this.#fill(object, slot, this.#empty(slot.place));
    else {
      scanner.skip();
      const isNull = isAny(scanner.peek(), "flowEntry", "flowSequenceEnd");
      this.#fill(object, slot, isNull ? this.#empty(slot.place) : this.#node(slot.place, false));
    }
    return object;
  }

  #flowMapping(pointer: string): JsonValue {
    const object: Record<string, JsonValue> = {};
    const scanner = this.#scanner;
    let isFirst = true;
    for (let token = scanner.peek(); token.kind !== "flowMappingEnd"; token = scanner.peek()) {
      if (!isFirst) {
        if (token.kind !== "flowEntry") this.#fail(token, "did not find expected ',' or '}'");
        scanner.skip();
        token = scanner.peek();
        if (token.kind === "flowMappingEnd") break;
      }
      isFirst = false;
      const hasKey = token.kind === "key";
      if (hasKey) scanner.skip();
      const at = scanner.peek().at;
      const isEmpty = hasKey && isAny(scanner.peek(), "value", "flowEntry", "flowMappingEnd");
      const key = isEmpty ? this.#empty("") : this.#node("", false, false, true);
      const slot = this.#slot(object, pointer, key, at);
      if (!hasKey || scanner.peek().kind !== "value") this.#fill(object, slot, this.#empty(slot.place));
      else {
        scanner.skip();
        const isNull = isAny(scanner.peek(), "flowEntry", "flowMappingEnd");
        this.#fill(object, slot, isNull ? this.#empty(slot.place) : this.#node(slot.place, false));
      }
    }
    scanner.skip();
    return object;
  }

  /** Where to store the value of a key. */
  #slot(object: Record<string, JsonValue>, pointer: string, raw: JsonValue, at: number): Slot {
    if (this.#isMerge) return { key: undefined, place: `${pointer}/<<`, at };
    const key = this.#scalar === undefined ? undefined : keyOfScalar(this.#scalar, typeof raw === "string" ? raw : "");
    if (key === undefined) {
      this.#unfit ??= new TextError(
        "unsupportedKey",
        at,
        `unsupported map key ${JSON.stringify(raw)}: keys are scalars other than null`,
        0,
        raw === null ? undefined : `invalid map key: ${goSyntax(raw)}`,
      );
      return { key: "", place: `${pointer}/`, at };
    }
    const place = this.#recorder === undefined ? "" : `${pointer}/${escapePointer(key)}`;
    if (this.#recorder !== undefined && Object.hasOwn(object, key)) this.#recorder.duplicate(place, at);
    this.#recorder?.key(place, at);
    return { key, place, at };
  }

  #fill(object: Record<string, JsonValue>, { key, at }: Slot, value: JsonValue): void {
    if (key === undefined) this.#merge(object, value, at);
    else setMember(object, key, value);
  }

  /** Go sets merged keys at the position of the merge: only later keys override them. */
  #merge(object: Record<string, JsonValue>, source: JsonValue, at: number): void {
    const sources = Array.isArray(source) ? [...(source as readonly JsonValue[])].reverse() : [source];
    for (const each of sources) {
      if (!isJsonObject(each)) {
        this.#unfit ??= new TextError("syntax", at, "map merge requires map or sequence of maps as the value");
        continue;
      }
      for (const [key, value] of Object.entries(each as JsonObject))
        if (value !== undefined) setMember(object, key, value);
    }
  }

  #alias(name: string, at: number): JsonValue {
    if (this.#open.has(name)) {
      this.#unfit ??= new TextError("syntax", at, `anchor '${name}' value contains itself`);
      return null;
    }
    const anchored = this.#anchors.get(name);
    if (anchored === undefined) throw new TextError("syntax", at, `unknown anchor '${name}' referenced`);
    this.#nodes += anchored.nodes;
    this.#aliasNodes += anchored.nodes;
    const share = this.#aliasNodes / this.#nodes;
    if (this.#aliasNodes > 100 && this.#nodes > 1000 && share > allowedAliasShare(this.#nodes))
      throw new TextError("aliasBomb", at, "document contains excessive aliasing");
    this.#scalar = anchored.scalar;
    this.#isMerge = false;
    return anchored.value;
  }

  #tagOf(token: Extract<Token, { readonly kind: "tag" }>): string {
    if (token.handle === "") return token.suffix;
    const prefix = this.#tags.get(token.handle);
    if (prefix === undefined) this.#fail(token, "found undefined tag handle");
    return prefix + token.suffix;
  }

  #scalarValue(text: string, plain: boolean, tag: string | undefined, at: number, asKey: boolean): JsonValue {
    let content = text;
    if (tag !== undefined && tag !== "!") {
      const tagged = resolveTagged(tag, text, at);
      this.#scalar = tagged.scalar;
      content = tagged.text;
    } else this.#scalar = plain && tag === undefined ? resolvePlain(text) : quoted;
    const value = jsonOfScalar(this.#scalar, content);
    if (value !== undefined) return value;
    // Infinities and NaN have no JSON form; as keys they are strings.
    if (asKey) return content;
    this.#unwritable ??= new TextError("unsupportedValue", at, `the number ${text} has no JSON form`);
    return null;
  }
}

/** `!!merge`, and the non-specific tag. */
const mergeTags: ReadonlySet<string> = new Set(["tag:yaml.org,2002:merge", "!"]);

/** A value as Go's `%#v` prints it inside an interface. */
function goSyntax(value: JsonValue): string {
  if (value === null) return "interface {}(nil)";
  if (typeof value === "string") return goQuote(value);
  if (Array.isArray(value)) return `[]interface {}{${(value as readonly JsonValue[]).map(goSyntax).join(", ")}}`;
  // Exact integers have no prototype.
  if (!isJsonObject(value) || Object.getPrototypeOf(value) === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, held = null]) => `${goQuote(key)}:${goSyntax(held)}`);
  return `map[interface {}]interface {}{${members.join(", ")}}`;
}

interface Slot {
  /** Undefined for `<<`. */
  readonly key: string | undefined;
  readonly place: string;
  readonly at: number;
}

interface NodeContext {
  readonly block: boolean;
  readonly indentless: boolean;
  readonly asKey: boolean;
  readonly tag: string | undefined;
  /** Whether an anchor or a tag precedes the node, whose content may then be empty. */
  readonly decorated: boolean;
}

function isAny(token: Token, ...kinds: readonly Token["kind"][]): boolean {
  return kinds.includes(token.kind);
}
