import type { Result } from "../result.ts";
import { done } from "../result.ts";
import type { SelectorProblem } from "./requirement.ts";
import { selectorProblem } from "./requirement.ts";

/** `field=value` or `field!=value`; the server decides which fields are supported. */
export interface FieldRequirement {
  readonly field: string;
  readonly equal: boolean;
  readonly value: string;
}

/** All of them must hold. */
export type FieldSelector = readonly FieldRequirement[];

/** Removes the backslashes that escape a backslash, a comma or an equals sign. */
function unescape(text: string): Result<string, SelectorProblem> {
  let plain = "";
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index);
    if (character === "\\") {
      const escaped = text.charAt(++index);
      if (!["\\", ",", "="].includes(escaped))
        return selectorProblem(`invalid field selector: invalid escape sequence: \\${escaped}`);
      plain += escaped;
    } else if (character === "," || character === "=") {
      return selectorProblem(`invalid field selector: unescaped character in value: ${character.charCodeAt(0)}`);
    } else plain += character;
  }
  return done(plain);
}

/** Parses the text of a `fieldSelector` parameter. The problem has kube-apiserver's message for status 400. */
export function parseFieldSelector(text: string): Result<FieldSelector, SelectorProblem> {
  const requirements: FieldRequirement[] = [];
  const terms = text.match(/(?:\\[^]|[^\\,])+\\?|\\/g) ?? [];
  for (const term of terms) {
    const at = term.search(/!=|=/);
    if (at < 0) return selectorProblem(`invalid selector: '${text}'; can't understand '${term}'`);
    const [sign = "="] = /^(?:!=|==|=)/.exec(term.slice(at)) ?? [];
    const value = unescape(term.slice(at + sign.length));
    if (!value.ok) return value;
    const field = term.slice(0, at);
    // Kubernetes ignores a term that is empty on both sides.
    if (field === "" && value.value === "") continue;
    requirements.push({ field, equal: sign !== "!=", value: value.value });
  }
  return done(requirements);
}

/** `read` returns the text of a field; an absent field is an empty text. */
export function matchesFields(selector: FieldSelector, read: (field: string) => string): boolean {
  return selector.every(({ field, equal, value }) => (read(field) === value) === equal);
}
