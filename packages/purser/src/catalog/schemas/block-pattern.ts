import { plainWords } from "@purser/kubernetes/text/documents";
import type { GoShape } from "./go-shape.ts";

/**
 * Source of a pattern for one property in block YAML whose dash is in this column, as renderers write it and with 127 for
 * all letters beyond ASCII, that certainly fits the shape of its type. From the beginning of a line it takes whole lines
 * up to the first that is something else, whether valid or not: if that line is deeper than the dash, it is part of the
 * property. Every part of the pattern differs from its neighbours in its first letters, so its time is linear.
 */
export function fittingProperty(shapes: Iterable<readonly [string, GoShape]>, column: number): string {
  const dash = indent(column);
  return `${dash}- type: ${group(alike(shapes, (shape) => `\\n${dash}  value:\\n${block(shape, column + 4)}`))}`;
}

/** One or more fields of a struct. */
function block(shape: GoShape, column: number): string {
  return shape.kind === "struct" ? `${group(indent(column) + group(fields(shape, column)))}+` : none;
}

/** Alternatives of names with what follows them. Those with the same share it: most of the time is for compiling. */
function alike(shapes: Iterable<readonly [string, GoShape]>, behind: (shape: GoShape) => string): string {
  const names = new Map<string, string[]>();
  for (const [name, shape] of shapes) {
    const source = behind(shape);
    names.set(source, [...(names.get(source) ?? []), name.replaceAll(".", "\\.")]);
  }
  return Array.from(names, ([source, same]) => group(same.join("|")) + source).join("|");
}

/** Matches nothing. */
const none = "(?!)";

function indent(column: number): string {
  return " ".repeat(column);
}

type Struct = GoShape & { readonly kind: "struct" };

/** One field with its value, which may go on in lines behind this column. */
function fields({ fields: named }: Struct, column: number): string {
  return alike(Object.entries(named), (shape) => `:${value(shape, column)}`);
}

/** What follows the colon of a field at this column. */
function value(shape: GoShape, column: number): string {
  switch (shape.kind) {
    case "string":
      return ` +${text(column)}`;
    case "bool":
      return " +(?:true|false)\\n";
    case "int32":
      return " +[1-9][0-9]{0,8}\\n";
    case "map":
      return shape.item.kind === "string" ? lines("{}", `${indent(column + 2)}${key} +${text(column + 2)}`) : none;
    case "struct":
      return lines("{}", indent(column + 2) + group(fields(shape, column + 2)));
    case "list":
      if (shape.item.kind === "string") return lines("[]", `${indent(column)}- +${text(column)}`);
      return shape.item.kind === "struct" ? lines("[]", item(shape.item, column), `(?=${indent(column)}- )`) : none;
    case "raw":
    case "bytes":
      return none;
  }
}

/** A field of an item whose dash is at this column, behind the dash or below its first field. */
function item(shape: Struct, column: number): string {
  return `${indent(column)}(?:- |  )${group(fields(shape, column + 2))}`;
}

function lines(empty: string, one: string, ahead = ""): string {
  return `(?: ${empty.replaceAll(/./g, "\\$&")}\\n|\\n${ahead}${group(one)}+)`;
}

function group(source: string): string {
  return `(?:${source})`;
}

/** A key of a map with its colon. Go's reader refuses null as a key, and keys of a thousand letters. */
const key = "(?!(?:null|Null|NULL):)[A-Za-z][-\\w./]{0,250}:";
/** What a plain scalar begins with that is neither a word such as `yes` nor a number. */
const first = `(?:(?!(?:${plainWords.filter((word) => /^[a-z]/i.test(word)).join("|")}) *\\n)[A-Za-z/(<$_^=;)\\\\\\u007f]|[0-9]+(?:\\.[0-9]+\\.[0-9]|[-/]))`;
/** The rest of a line of a plain scalar. */
const rest = "[^\\n:#]*(?:(?::(?=[^ \\n])|(?<! )#)[^\\n:#]*)*\\n";
/** Behind the backslash of a double-quoted scalar. */
const escape =
  '["\\\\/0abtnvfreN_LP ]|x[0-9a-fA-F]{2}|u(?![dD][89a-fA-F])[0-9a-fA-F]{4}|U00(?:0[1-9a-fA-F]|10)[0-9a-fA-F]{4}';

/** A scalar that is a string, with its line feed. The collection that holds it is at this column. */
function text(column: number): string {
  const deeper = indent(column + 1);
  const inner = indent(column + 2);
  const fold = `\\n+${deeper}`;
  const double = `"[^"\\\\\\n]*(?:(?:\\\\(?:${escape}|${fold})|${fold})[^"\\\\\\n]*)*" *\\n`;
  const single = `'[^'\\n]*(?:(?:''|${fold})[^'\\n]*)*' *\\n`;
  const literal = `\\|[-+]?\\n+${inner}[^ \\n][^\\n]*\\n(?:${inner}[^\\n]*\\n|\\n)*`;
  const plain = `${first}${rest}(?:\\n*${deeper} *(?![ \\n])${rest})*`;
  return group([double, single, literal, plain].join("|"));
}
