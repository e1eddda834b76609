// Reads TypeScript interface declarations as data, so that a test can compare them with the schemas of crds/.
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { parseSync } from "oxc-parser";

export interface Member {
  readonly optional: boolean;
  readonly shape: Shape;
}

export type Shape =
  /** `file` is where the type is declared. */
  | { readonly kind: "object"; readonly file: string; readonly members: ReadonlyMap<string, Member> }
  | { readonly kind: "list"; readonly item: Shape }
  | { readonly kind: "map" }
  | { readonly kind: "text" | "number" | "boolean" }
  /** JSON, or a type that has no single shape. */
  | { readonly kind: "any" };

/** The few fields of a syntax tree that are read here. */
interface SyntaxNode {
  readonly type: string;
  readonly [field: string]: unknown;
}

const any: Shape = { kind: "any" };
const declarations = new Map<string, ReadonlyMap<string, SyntaxNode>>();
const imports = new Map<string, ReadonlyMap<string, string>>();

function node(value: unknown): SyntaxNode {
  return value as SyntaxNode;
}

function nodes(value: unknown): readonly SyntaxNode[] {
  return Array.isArray(value) ? value.map(node) : [];
}

function nameOf(value: unknown): string {
  const { name, value: text } = node(value);
  return typeof name === "string" ? name : String(text);
}

function load(file: string): void {
  if (declarations.has(file)) return;
  const { program, module } = parseSync(file, readFileSync(file, "utf8"));
  const found = new Map<string, SyntaxNode>();
  for (const statement of nodes(program.body)) {
    const declared = statement.type === "ExportNamedDeclaration" ? statement["declaration"] : statement;
    if (declared === null || declared === undefined) continue;
    if (["TSInterfaceDeclaration", "TSTypeAliasDeclaration"].includes(node(declared).type))
      found.set(nameOf(node(declared)["id"]), node(declared));
  }
  declarations.set(file, found);
  const from = new Map<string, string>();
  for (const { moduleRequest, entries } of module.staticImports)
    for (const { localName } of entries)
      if (moduleRequest.value.startsWith(".")) from.set(localName.value, resolve(dirname(file), moduleRequest.value));
  imports.set(file, from);
}

function membersOf(file: string, body: readonly SyntaxNode[]): Map<string, Member> {
  const members = new Map<string, Member>();
  for (const member of body) {
    if (member.type !== "TSPropertySignature") continue;
    const annotation = node(node(member["typeAnnotation"])["typeAnnotation"]);
    members.set(nameOf(member["key"]), { optional: member["optional"] === true, shape: shapeOf(file, annotation) });
  }
  return members;
}

function unionShape(file: string, types: readonly SyntaxNode[]): Shape {
  const shapes = types.map((type) => shapeOf(file, type));
  const [first = any] = shapes;
  return shapes.every(({ kind }) => kind === first.kind) && ["text", "number"].includes(first.kind) ? first : any;
}

function shapeOf(file: string, type: SyntaxNode): Shape {
  switch (type.type) {
    case "TSStringKeyword":
      return { kind: "text" };
    case "TSNumberKeyword":
      return { kind: "number" };
    case "TSBooleanKeyword":
      return { kind: "boolean" };
    case "TSLiteralType":
      return typeof node(type["literal"])["value"] === "string" ? { kind: "text" } : any;
    case "TSTypeOperator":
      return shapeOf(file, node(type["typeAnnotation"]));
    case "TSArrayType":
      return { kind: "list", item: shapeOf(file, node(type["elementType"])) };
    case "TSTypeLiteral":
      return { kind: "object", file, members: membersOf(file, nodes(type["members"])) };
    case "TSUnionType":
      return unionShape(file, nodes(type["types"]));
    case "TSTypeReference": {
      const name = nameOf(type["typeName"]);
      return name === "Readonly" ? { kind: "map" } : declaredShape(file, name);
    }
    default:
      return any;
  }
}

/** Shape of the type called `name` as `file` sees it. */
export function declaredShape(file: string, name: string): Shape {
  load(file);
  const declaration = declarations.get(file)?.get(name);
  if (declaration === undefined) {
    const source = imports.get(file)?.get(name);
    return source === undefined || source.endsWith("/json.ts") ? any : declaredShape(source, name);
  }
  if (declaration.type === "TSTypeAliasDeclaration") return shapeOf(file, node(declaration["typeAnnotation"]));
  const inherited = nodes(declaration["extends"]).map((base) => declaredShape(file, nameOf(base["expression"])));
  const members = membersOf(file, nodes(node(declaration["body"])["body"]));
  const all = new Map([...inherited.flatMap((base) => (base.kind === "object" ? [...base.members] : [])), ...members]);
  return { kind: "object", file, members: all };
}
