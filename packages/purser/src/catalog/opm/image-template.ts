import { goQuote } from "@purser/kubernetes/go-quote";
import { done, failed, type Result } from "@purser/kubernetes/result";

/** What a template of image references may name. */
export interface ImageTemplateData {
  readonly Package: string;
  readonly Name: string;
  readonly Version: string;
}

/** A read template: texts, and fields with the text of their action for complaints. */
export type ImageTemplate = readonly (string | { readonly field: string; readonly line: number })[];

const name = "image-ref-template";
const action = /\{\{(-[ \t\r\n])?([^]*?)([ \t\r\n]-)?\}\}/y;

/**
 * Reads the part of Go's template language that image references need: `{{.Package}}`, `{{.Name}}`, `{{.Version}}`,
 * blanks inside, `{{-` and `-}}`, and comments. The problem is Go's error text.
 */
export function parseImageTemplate(text: string): Result<ImageTemplate, string> {
  const parts: (string | { field: string; line: number })[] = [];
  let at = 0;
  let trimNext = false;
  const push = (piece: string, trimEnd: boolean): void => {
    const start = trimNext ? piece.trimStart() : piece;
    const kept = trimEnd ? start.trimEnd() : start;
    if (kept !== "") parts.push(kept);
  };
  for (let open = text.indexOf("{{"); open !== -1; open = text.indexOf("{{", at)) {
    const line = text.slice(0, open).split("\n").length;
    const refuse = (complaint: string): Result<never, string> => failed(`template: ${name}:${line}: ${complaint}`);
    action.lastIndex = open;
    const found = action.exec(text);
    if (found === null) return refuse("unclosed action");
    const [whole, trimBefore, inner = "", trimAfter] = found;
    push(text.slice(at, open), trimBefore !== undefined);
    trimNext = trimAfter !== undefined;
    at = open + whole.length;
    const word = inner.trim();
    if (inner.startsWith("/*") && inner.endsWith("*/")) continue;
    if (word === "") return refuse("missing value for command");
    if (!/^\.[A-Za-z_]\w*$/.test(word)) return refuse(complaintAbout(word));
    parts.push({ field: word.slice(1), line });
  }
  push(text.slice(at), false);
  return done(parts);
}

function complaintAbout(word: string): string {
  const [first = ""] = /^[A-Za-z_]\w*/.exec(word) ?? [];
  if (first !== "") return `function ${goQuote(first)} not defined`;
  return `only .Package, .Name and .Version may stand in an action, not ${goQuote(word)}`;
}

/** Fills a template in; the problem names an unknown field. */
export function fillImageTemplate(template: ImageTemplate, data: ImageTemplateData): Result<string, string> {
  let text = "";
  for (const part of template) {
    if (typeof part === "string") {
      text += part;
      continue;
    }
    const { field, line } = part;
    if (field !== "Package" && field !== "Name" && field !== "Version")
      return failed(
        `template: ${name}:${line}: executing ${goQuote(name)} at <.${field}>: can't evaluate field ${field} in type action.imageReferenceTemplateData`,
      );
    text += data[field];
  }
  return done(text);
}
