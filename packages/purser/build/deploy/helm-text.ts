import { isMarker, type Template } from "../../src/deploy/template.ts";
import { helmCondition } from "../../src/deploy/conditions.ts";
import type { ValueName } from "../../src/deploy/values.ts";

/** Names of the language of Helm for a value. */
const helmValue = (name: ValueName): string => (name === "namespace" ? ".Release.Namespace" : `.Values.${name}`);

/** Text that YAML reads as the same string without quotes. */
const isPlain = (text: string): boolean =>
  /^[A-Za-z/][\w./-]*$/.test(text) && !/^(true|false|yes|no|on|off|null|y|n)$/i.test(text);

function scalarText(value: unknown): string {
  return typeof value === "string" && isPlain(value) ? value : JSON.stringify(value);
}

const isScalar = (template: Template): boolean => typeof template !== "object" || template === null;
const entriesOf = (template: Template): readonly (readonly [string, Template])[] =>
  Object.entries(template as Readonly<Record<string, Template>>);

/** What stands behind `key:` or `-` on the same line; undefined where the template takes lines of its own. */
function inline(template: Template): string | undefined {
  if (isScalar(template)) return scalarText(template);
  if (isMarker(template)) {
    if (template.mark !== "text") return undefined;
    const parts = template.parts.map((part) =>
      typeof part === "string" ? JSON.stringify(part).slice(1, -1) : `{{ ${helmValue(part.name)} }}`,
    );
    return `"${parts.join("")}"`;
  }
  if (Object.keys(template as object).length === 0) return Array.isArray(template) ? "[]" : "{}";
  return undefined;
}

function entryLines(key: string, template: Template, indent: string): readonly string[] {
  const shown = `${indent}${scalarText(key)}:`;
  const same = inline(template);
  if (same !== undefined) return [`${shown} ${same}`];
  if (!isMarker(template)) return [shown, ...blockLines(template, `${indent}  `)];
  switch (template.mark) {
    case "value":
      return template.name === "namespace"
        ? [`${shown} {{ .Release.Namespace }}`]
        : [`{{- with ${helmValue(template.name)} }}`, `${shown} {{ toJson . }}`, "{{- end }}"];
    case "only":
      return [
        `{{- if ${helmCondition(template.condition)} }}`,
        ...entryLines(key, template.body, indent),
        "{{- end }}",
      ];
    case "items":
    case "text":
      throw new Error(`"${key}" cannot be the items of a list`);
  }
}

function itemLines(template: Template, indent: string): readonly string[] {
  const same = inline(template);
  if (same !== undefined) return [`${indent}- ${same}`];
  if (!isMarker(template)) {
    const [first = "", ...rest] = blockLines(template, `${indent}  `);
    if (!first.startsWith(`${indent}  `)) throw new Error(`an item begins with a condition: ${first}`);
    return [`${indent}- ${first.slice(indent.length + 2)}`, ...rest];
  }
  switch (template.mark) {
    case "only":
      return [`{{- if ${helmCondition(template.condition)} }}`, ...itemLines(template.body, indent), "{{- end }}"];
    case "items":
      return [`{{- range ${helmValue(template.name)} }}`, `${indent}- {{ toJson . }}`, "{{- end }}"];
    case "value":
    case "text":
      throw new Error("a whole value is no item of a list");
  }
}

function blockLines(template: Template, indent: string): readonly string[] {
  return Array.isArray(template)
    ? (template as readonly Template[]).flatMap((item) => itemLines(item, indent))
    : entriesOf(template).flatMap(([key, child]) => entryLines(key, child, indent));
}

/** The text of a chart's template with these manifests. */
export function helmText(manifests: readonly Template[]): string {
  const documents = manifests.map((manifest) => {
    if (!isMarker(manifest)) return ["---", ...blockLines(manifest, "")];
    if (manifest.mark !== "only") throw new Error("a manifest is an object, or one with a condition");
    return [`{{- if ${helmCondition(manifest.condition)} }}`, "---", ...blockLines(manifest.body, ""), "{{- end }}"];
  });
  return `${documents.flat().join("\n")}\n`;
}
