import { failed } from "@purser/kubernetes/result";
import { expandBasic } from "./basic.ts";
import { schemaOf } from "./read-template.ts";
import { expandSemver } from "./semver.ts";
import { expandSubstitutes } from "./substitutes.ts";
import {
  type Expansion,
  type RenderReference,
  type TemplateKind,
  templateKinds,
  templateSchemas,
  type TemplateText,
} from "./template.ts";

/**
 * The catalog that a template expands to. Pure: `render` answers for the bundle references in it.
 * @param kind found from the template's schema when undefined; any other value is refused with upstream's text
 */
export function expand(template: TemplateText, render: RenderReference, kind?: string): Expansion {
  if (kind === undefined) {
    const schema = schemaOf(template);
    if (!schema.ok)
      return failed({ ...schema.problem, message: `auto-detecting template type: ${schema.problem.message}` });
    const detected = templateKinds.find((known) => templateSchemas[known] === schema.value);
    if (detected !== undefined) return expandKind(template, render, detected);
    const message = `auto-detecting template type: unknown template schema: ${schema.value}`;
    return failed({ kind: "unknownSchema", message, place: placeOf(template) });
  }
  const known = templateKinds.find((each) => each === kind);
  if (known !== undefined) return expandKind(template, render, known);
  const message = `creating template by type: unknown template type: ${kind}`;
  return failed({ kind: "unknownSchema", message, place: placeOf(template) });
}

function placeOf({ file }: TemplateText): { file?: string; line: number } {
  return { ...(file === undefined ? {} : { file }), line: 1 };
}

function expandKind(template: TemplateText, render: RenderReference, kind: TemplateKind): Expansion {
  const expansion = expanders[kind](template, render);
  return expansion.ok
    ? expansion
    : failed({ ...expansion.problem, message: `rendering template: ${expansion.problem.message}` });
}

const expanders: Readonly<Record<TemplateKind, (template: TemplateText, render: RenderReference) => Expansion>> = {
  basic: expandBasic,
  semver: expandSemver,
  substitutes: expandSubstitutes,
};
