import { forbiddenCharacter, forbiddenMessage } from "../utf8.ts";
import { TextError } from "../problem.ts";
import { scanBlockScalar, scanFlowScalar, scanPlainScalar } from "./yaml-scalars.ts";
import { isBlankOrEnd, isBreak, nextLine, type Cursor, scanError } from "./yaml-characters.ts";

/** Tokens of libyaml's scanner, which determines the beginning and end of block collections and simple keys. */
export type Token =
  | { readonly kind: Mark; readonly at: number }
  | { readonly kind: "alias" | "anchor"; readonly at: number; readonly name: string }
  | { readonly kind: "tag"; readonly at: number; readonly handle: string; readonly suffix: string }
  | { readonly kind: "tagDirective"; readonly at: number; readonly handle: string; readonly prefix: string }
  | { readonly kind: "scalar"; readonly at: number; readonly text: string; readonly plain: boolean };

type Mark =
  | "streamEnd"
  | "versionDirective"
  | "documentStart"
  | "documentEnd"
  | "blockSequence"
  | "blockMapping"
  | "blockEnd"
  | "flowSequence"
  | "flowSequenceEnd"
  | "flowMapping"
  | "flowMappingEnd"
  | "blockEntry"
  | "flowEntry"
  | "key"
  | "value";

/** A position where a simple key may have begun; a following colon confirms it. */
interface SimpleKey {
  possible: boolean;
  required: boolean;
  /** Number of the key's first token, counted from the start of the stream. */
  token: number;
  at: number;
  line: number;
  column: number;
}

const longestSimpleKey = 1024;
const deepest = 1000;
const space = 32;
const tab = 9;

/** Tokenizes a YAML text incrementally, like Go's decoder. Throws {@link TextError}. */
export class YamlScanner implements Cursor {
  readonly text: string;
  at = 0;
  line = 0;
  lineStart = 0;
  indent = -1;
  flowLevel = 0;
  simpleKeyAllowed = true;
  readonly #indents: number[] = [];
  readonly #keys: SimpleKey[] = [noKey()];
  #tokens: Token[] = [];
  #head = 0;
  #parsed = 0;
  #ended = false;

  constructor(text: string) {
    this.text = text;
    if (text.charCodeAt(0) === 0xfeff) this.at = this.lineStart = 1;
    const odd = forbiddenCharacter.exec(text);
    if (odd !== null) throw new TextError("syntax", odd.index, forbiddenMessage);
  }

  get column(): number {
    return this.at - this.lineStart;
  }

  peek(): Token {
    while (this.#needsMore()) this.#fetch();
    const token = this.#tokens[this.#head];
    if (token === undefined) throw new TextError("syntax", this.at, "unexpected end of stream");
    return token;
  }

  skip(): void {
    this.#head++;
    this.#parsed++;
    if (this.#head < 64) return;
    this.#tokens = this.#tokens.slice(this.#head);
    this.#head = 0;
  }

  #needsMore(): boolean {
    if (this.#ended) return false;
    if (this.#head === this.#tokens.length) return true;
    // While the first token may be a simple key, a key token may have to be inserted before it.
    for (const key of this.#keys) if (key.possible && key.token === this.#parsed) return this.#isValid(key);
    return false;
  }

  #isValid(key: SimpleKey): boolean {
    if (!key.possible) return false;
    if (key.line === this.line && key.at + longestSimpleKey >= this.at) return true;
    if (key.required) throw scanError(this, "could not find expected ':'", key.at);
    key.possible = false;
    return false;
  }

  #fetch(): void {
    this.#skipBlanks();
    this.#unroll(this.column);
    const { text, at } = this;
    if (at >= text.length) return this.#streamEnd();
    const code = text.charCodeAt(at);
    if (at === this.lineStart) {
      if (code === 37) return this.#directive();
      if ((code === 45 && text.startsWith("---", at)) || (code === 46 && text.startsWith("...", at)))
        if (isBlankOrEnd(text, at + 3)) return this.#documentMark(code === 45 ? "documentStart" : "documentEnd");
    }
    const next = (): boolean => isBlankOrEnd(text, at + 1);
    switch (code) {
      case 91:
        return this.#flowStart("flowSequence");
      case 123:
        return this.#flowStart("flowMapping");
      case 93:
        return this.#flowEnd("flowSequenceEnd");
      case 125:
        return this.#flowEnd("flowMappingEnd");
      case 44:
        return this.#flowEntry();
      case 45:
        return next() ? this.#blockEntry() : this.#plain();
      case 63:
        return this.flowLevel > 0 || next() ? this.#key() : this.#plain();
      case 58:
        return this.flowLevel > 0 || next() ? this.#value() : this.#plain();
      case 42:
        return this.#anchor("alias");
      case 38:
        return this.#anchor("anchor");
      case 33:
        return this.#tag();
      case 124:
      case 62:
        if (this.flowLevel === 0) return this.#blockScalar(code === 124);
        break;
      case 39:
      case 34:
        return this.#quoted(code === 39);
      case 35:
      case 37:
      case 64:
      case 96:
      case tab:
        break;
      default:
        return this.#plain();
    }
    throw scanError(this, "found character that cannot start any token", at);
  }

  #skipBlanks(): void {
    const { text } = this;
    for (;;) {
      let code = text.charCodeAt(this.at);
      while (code === space || (code === tab && (this.flowLevel > 0 || !this.simpleKeyAllowed)))
        code = text.charCodeAt(++this.at);
      if (code === 35) {
        while (this.at < text.length && !isBreak(text.charCodeAt(this.at))) this.at++;
        code = text.charCodeAt(this.at);
      }
      if (!isBreak(code)) return;
      nextLine(this);
      if (this.flowLevel === 0) this.simpleKeyAllowed = true;
    }
  }

  #push(token: Token): void {
    this.#tokens.push(token);
  }

  #insert(token: Token, number: number): void {
    this.#tokens.splice(this.#head + number - this.#parsed, 0, token);
  }

  #roll(column: number, number: number | undefined, kind: "blockSequence" | "blockMapping", at: number): void {
    if (this.flowLevel > 0 || this.indent >= column) return;
    this.#indents.push(this.indent);
    if (this.#indents.length > deepest) throw new TextError("tooDeep", at, `exceeded max depth of ${deepest}`);
    this.indent = column;
    if (number === undefined) this.#push({ kind, at });
    else this.#insert({ kind, at }, number);
  }

  #unroll(column: number): void {
    if (this.flowLevel > 0) return;
    while (this.indent > column) {
      this.#push({ kind: "blockEnd", at: this.at });
      this.indent = this.#indents.pop() ?? -1;
    }
  }

  #lastKey(): SimpleKey {
    return this.#keys[this.#keys.length - 1] ?? noKey();
  }

  #saveKey(): void {
    if (!this.simpleKeyAllowed) return;
    this.#removeKey();
    const key = this.#lastKey();
    key.possible = true;
    key.required = this.flowLevel === 0 && this.indent === this.column;
    key.token = this.#parsed + this.#tokens.length - this.#head;
    key.at = this.at;
    key.line = this.line;
    key.column = this.column;
  }

  #removeKey(): void {
    const key = this.#lastKey();
    if (key.possible && key.required) throw scanError(this, "could not find expected ':'", key.at);
    key.possible = false;
  }

  #streamEnd(): void {
    // The end counts as a line break, so that no key can begin before it.
    if (this.column > 0) this.line++;
    this.#unroll(-1);
    this.#removeKey();
    this.simpleKeyAllowed = false;
    this.#push({ kind: "streamEnd", at: this.at });
    this.#ended = true;
  }

  #documentMark(kind: "documentStart" | "documentEnd"): void {
    this.#unroll(-1);
    this.#removeKey();
    this.simpleKeyAllowed = false;
    this.#push({ kind, at: this.at });
    this.at += 3;
  }

  #flowStart(kind: "flowSequence" | "flowMapping"): void {
    this.#saveKey();
    this.flowLevel++;
    if (this.flowLevel > deepest) throw new TextError("tooDeep", this.at, `exceeded max depth of ${deepest}`);
    this.#keys.push(noKey());
    this.simpleKeyAllowed = true;
    this.#push({ kind, at: this.at++ });
  }

  #flowEnd(kind: "flowSequenceEnd" | "flowMappingEnd"): void {
    this.#removeKey();
    if (this.flowLevel > 0) {
      this.flowLevel--;
      this.#keys.pop();
    }
    this.simpleKeyAllowed = false;
    this.#push({ kind, at: this.at++ });
  }

  #flowEntry(): void {
    this.#removeKey();
    this.simpleKeyAllowed = true;
    this.#push({ kind: "flowEntry", at: this.at++ });
  }

  #blockEntry(): void {
    if (this.flowLevel === 0) {
      if (!this.simpleKeyAllowed) throw scanError(this, "block sequence entries are not allowed in this context");
      this.#roll(this.column, undefined, "blockSequence", this.at);
    }
    this.#removeKey();
    this.simpleKeyAllowed = true;
    this.#push({ kind: "blockEntry", at: this.at++ });
  }

  #key(): void {
    if (this.flowLevel === 0) {
      if (!this.simpleKeyAllowed) throw scanError(this, "mapping keys are not allowed in this context");
      this.#roll(this.column, undefined, "blockMapping", this.at);
    }
    this.#removeKey();
    this.simpleKeyAllowed = this.flowLevel === 0;
    this.#push({ kind: "key", at: this.at++ });
  }

  #value(): void {
    const key = this.#lastKey();
    if (this.#isValid(key)) {
      this.#insert({ kind: "key", at: key.at }, key.token);
      this.#roll(key.column, key.token, "blockMapping", key.at);
      key.possible = false;
      this.simpleKeyAllowed = false;
    } else {
      if (this.flowLevel === 0) {
        if (!this.simpleKeyAllowed) throw scanError(this, "mapping values are not allowed in this context");
        this.#roll(this.column, undefined, "blockMapping", this.at);
      }
      this.simpleKeyAllowed = this.flowLevel === 0;
    }
    this.#push({ kind: "value", at: this.at++ });
  }

  #anchor(kind: "alias" | "anchor"): void {
    this.#saveKey();
    this.simpleKeyAllowed = false;
    const start = this.at++;
    const name = this.#take(/[0-9A-Za-z_-]*/y);
    const after = this.text.charAt(this.at);
    if (name === "" || !(isBlankOrEnd(this.text, this.at) || "?:,]}%@`".includes(after)))
      throw scanError(this, "did not find expected alphabetic or numeric character");
    this.#push({ kind, at: start, name });
  }

  #tag(): void {
    this.#saveKey();
    this.simpleKeyAllowed = false;
    const start = this.at;
    const whole = this.#take(/!(?:<[^>\s]+>|[^\s,[\]{}]*)/y);
    if (whole.startsWith("!<") && !whole.endsWith(">")) throw scanError(this, "did not find the expected '>'", start);
    if (!isBlankOrEnd(this.text, this.at)) throw scanError(this, "did not find expected whitespace or line break");
    if (whole.startsWith("!<")) return this.#push({ kind: "tag", at: start, handle: "", suffix: whole.slice(2, -1) });
    const named = /^(![0-9A-Za-z_-]*!)(.+)$/.exec(whole);
    const [, handle = "!", suffix = whole.slice(1)] = named ?? [];
    this.#push({ kind: "tag", at: start, handle, suffix });
  }

  #take(form: RegExp): string {
    form.lastIndex = this.at;
    const found = form.exec(this.text)?.[0] ?? "";
    this.at += found.length;
    return found;
  }

  #directive(): void {
    this.#unroll(-1);
    this.#removeKey();
    this.simpleKeyAllowed = false;
    const start = this.at;
    const words = this.#take(/%[^\n\r]*/y)
      .replace(/(?:^|\s)#.*$/, "")
      .trim()
      .split(/[ \t]+/);
    const [name, first = "", second = ""] = words;
    if (name === "%YAML") {
      if (!/^[0-9]+\.[0-9]+$/.test(first)) throw scanError(this, "did not find expected version number", start);
      if (first !== "1.1") throw scanError(this, "found incompatible YAML document", start);
      this.#push({ kind: "versionDirective", at: start });
    } else if (name === "%TAG") {
      if (!/^![0-9A-Za-z_-]*!?$/.test(first) || second === "")
        throw scanError(this, "did not find expected whitespace", start);
      this.#push({ kind: "tagDirective", at: start, handle: first, prefix: second });
    } else throw scanError(this, "found unknown directive name", start);
  }

  #blockScalar(literal: boolean): void {
    this.#removeKey();
    this.simpleKeyAllowed = true;
    const at = this.at;
    this.#push({ kind: "scalar", at, text: scanBlockScalar(this, literal), plain: false });
  }

  #quoted(single: boolean): void {
    this.#saveKey();
    this.simpleKeyAllowed = false;
    const at = this.at;
    this.#push({ kind: "scalar", at, text: scanFlowScalar(this, single), plain: false });
  }

  #plain(): void {
    this.#saveKey();
    this.simpleKeyAllowed = false;
    const at = this.at;
    const { text, multiline } = scanPlainScalar(this);
    if (multiline) this.simpleKeyAllowed = true;
    this.#push({ kind: "scalar", at, text, plain: true });
  }
}

function noKey(): SimpleKey {
  return { possible: false, required: false, token: 0, at: 0, line: 0, column: 0 };
}
