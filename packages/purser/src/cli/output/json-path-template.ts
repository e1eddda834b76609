import type { JsonValue } from "@purser/kubernetes/json";
import { type JsonPath, jsonPath } from "@purser/kubernetes/text/json-path";
import { done, failed, type Result } from "@purser/kubernetes/result";

type Part =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "path"; readonly path: JsonPath }
  | { readonly kind: "range"; readonly path: JsonPath; readonly parts: readonly Part[] };

/** Prints a document as a template says. */
type Template = (document: JsonValue) => string;

/**
 * kubectl's JSONPath templates: text, `{path}`, `{"text with \n"}` and `{range path}...{end}`; text without braces is one path.
 * Several values are separated by blanks, objects and lists are printed as JSON, and what does not exist prints nothing. The
 * problem is one sentence.
 */
export function jsonPathTemplate(text: string): Result<Template, string> {
  const template = text.includes("{") ? text : `{${text}}`;
  const pieces = template.match(/\{(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^{}"'])*\}|[^{}]+/g) ?? [];
  if (pieces.join("") !== template) return failed(`the braces of "${text}" do not match`);
  // The last frame is the innermost range that is still open.
  const frames: { readonly path?: JsonPath; readonly parts: Part[] }[] = [{ parts: [] }];
  for (const piece of pieces) {
    const inner = piece.startsWith("{") ? piece.slice(1, -1).trim() : undefined;
    const frame = frames.at(-1) as (typeof frames)[number];
    if (inner === undefined) frame.parts.push({ kind: "text", text: piece });
    else if (inner === "end") {
      const closed = frames.pop();
      const outer = frames.at(-1);
      if (closed?.path === undefined || outer === undefined) return failed(`{end} of "${text}" has no {range ...}`);
      outer.parts.push({ kind: "range", path: closed.path, parts: closed.parts });
    } else if (/^["']/.test(inner)) frame.parts.push({ kind: "text", text: unquoted(inner) });
    else {
      const [, isRange, path = ""] = /^(range\s+)?(.*)$/s.exec(inner) ?? [];
      const read = jsonPath(path === "." ? "@" : /^[.[$@]/.test(path) ? path : `.${path}`);
      if (read === undefined) return failed(`"${path}" is not a JSONPath`);
      if (isRange === undefined) frame.parts.push({ kind: "path", path: read });
      else frames.push({ path: read, parts: [] });
    }
  }
  const [{ parts } = { parts: [] }, open] = frames;
  if (open !== undefined) return failed(`a {range ...} of "${text}" has no {end}`);
  return done((document) => printed(parts, document));
}

function printed(parts: readonly Part[], value: JsonValue): string {
  return parts
    .map((part) => {
      switch (part.kind) {
        case "text":
          return part.text;
        case "path":
          return part.path(value).map(wordOf).join(" ");
        case "range":
          return part
            .path(value)
            .map((item) => printed(part.parts, item))
            .join("");
      }
    })
    .join("");
}

/** A value as kubectl prints it in a template or a column: strings as they are, lists and objects as JSON. */
export function wordOf(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };

const unquoted = (text: string): string =>
  text.slice(1, -1).replaceAll(/\\(.)/gs, (_, letter: string) => escapes[letter] ?? letter);
